//go:build !linux

package usage

import "time"

// Of returns zero: to know more would take another program ten times a second.
func Of(int) Usage { return Usage{} }

// SelfWaited returns zero, as it is not known here.
func SelfWaited() time.Duration { return 0 }

// Known reports that this system does not tell how long processes wait.
func Known() bool { return false }
