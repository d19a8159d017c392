//go:build !linux

package usage

import "time"

// Tree returns the process alone: finding its descendants would take another
// program.
func Tree(pid int) []int { return []int{pid} }

// Memory returns 0, as it is not known here.
func Memory([]int) int64 { return 0 }

// Waited returns 0, as it is not known here.
func Waited([]int) time.Duration { return 0 }

// SelfWaited returns zero, as it is not known here.
func SelfWaited() time.Duration { return 0 }

// Known reports that this system does not record how long processes wait.
func Known() bool { return false }
