//go:build race

package conformance

func init() { underRace = true }
