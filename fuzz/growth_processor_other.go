//go:build !unix

package fuzz

import "time"

// processorTime is not told here.
func processorTime() time.Duration { return 0 }
