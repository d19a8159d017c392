package fuzz

import (
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// eachShown calls yield for each choice, by its index, until yield returns
// false. A choice shows if the reference with this one choice changed refuses
// the file or gives another verdict to a probe.
func eachShown(robots []byte, probes []spec.Probe, of []choice, yield func(i int, shows bool) bool) {
	file := parserOf(reference.RFC9309).Parse(robots)
	want := make([]bool, len(probes), max(len(probes), 32))
	for i, p := range probes {
		want[i] = file.Test(p.Agent, p.URL).Allow
	}
	for i, c := range of {
		if !yield(i, !answersAlike(parserOf(with(c)).Parse(robots), probes, want)) {
			return
		}
	}
}

// answersAlike reports whether the file is not refused and gives the verdicts
// wanted.
func answersAlike(file *reference.File, probes []spec.Probe, want []bool) bool {
	if file.Refused() != "" {
		return false
	}
	for i, p := range probes {
		if file.Test(p.Agent, p.URL).Allow != want[i] {
			return false
		}
	}
	return true
}
