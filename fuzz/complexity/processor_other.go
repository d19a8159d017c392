//go:build !unix

package complexity

import "time"

// processorTime returns 0: this system does not report it.
func processorTime() time.Duration { return 0 }
