//go:build !linux

package process

func adoptOrphans() {}

// killOrphans does nothing: this system does not record who started a program
// that left the process group, so it lives on.
func killOrphans(int, string) {}

// EndOrphans does nothing, for the same reason.
func EndOrphans() {}
