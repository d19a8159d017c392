// Package reading tells what the reference answers about files under changed
// choices. It is shared by the packages of this module and is not for users:
// package reference answers under one interpretation.
package reading

import (
	"sync"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// parsers holds the reference under every interpretation that Parser was asked
// for.
var parsers sync.Map // reference.Interpretation to *reference.Parser

// Parser returns the reference under an interpretation and keeps it, as building
// one takes longer than reading a small file. Each takes 3 KB; for one of
// thousands of interpretations use reference.New.
func Parser(in reference.Interpretation) *reference.Parser {
	if p, ok := parsers.Load(in); ok {
		return p.(*reference.Parser)
	}
	p, _ := parsers.LoadOrStore(in, reference.New(in))
	return p.(*reference.Parser)
}

// A Reading is one file as the reference reads it under many interpretations,
// each at most once. It is not safe for concurrent use.
type Reading struct {
	robots []byte
	files  map[reference.Interpretation]*reference.File
}

// New returns the reading of a file, which must not change while it is in use.
func New(robots []byte) *Reading {
	return &Reading{robots: robots, files: map[reference.Interpretation]*reference.File{}}
}

// Verdict returns what the reference answers under in: Allow, Disallow, or Reject
// for all queries about a file that it refuses.
func (r *Reading) Verdict(in reference.Interpretation, p spec.Probe) spec.Verdict {
	file := r.files[in]
	if file == nil {
		file = Parser(in).Parse(r.robots)
		r.files[in] = file
	}
	return Verdict(file, p)
}

// Gives reports whether the reference gives the verdict with the choices of RFC
// 9309 changed. A file that the choices cannot make it refuse is not read for
// Reject, which spares a campaign thousands of readings.
func (r *Reading) Gives(verdict spec.Verdict, p spec.Probe, changes ...reference.Change) bool {
	if verdict == spec.Reject && !canRefuse(changes) {
		return false
	}
	return r.Verdict(reference.With(changes...), p) == verdict
}

// canRefuse reports whether one of the choices makes the reference refuse files.
func canRefuse(changes []reference.Change) bool {
	for _, c := range changes {
		switch c {
		case reference.Change{Point: reference.SizeLimit, Choice: reference.SizeLimitReject},
			reference.Change{Point: reference.ControlOctets, Choice: reference.ControlOctetsRejectFile},
			reference.Change{Point: reference.OrphanRules, Choice: reference.OrphanRulesRejectFile}:
			return true
		}
	}
	return false
}

// Verdict returns the answer of a file that the reference has read.
func Verdict(file *reference.File, p spec.Probe) spec.Verdict {
	switch {
	case file.Refused() != "":
		return spec.Reject
	case file.Test(p.Agent, p.URL).Allow:
		return spec.Allow
	}
	return spec.Disallow
}

// Shows returns a function that reports whether a change of RFC 9309 shows in the
// queries: whether it makes the reference refuse the file or give at least one
// query another verdict.
func Shows(robots []byte, probes []spec.Probe) func(reference.Change) bool {
	file := Parser(reference.RFC9309).Parse(robots)
	allowed := make([]bool, len(probes))
	for i, p := range probes {
		allowed[i] = file.Test(p.Agent, p.URL).Allow
	}
	return func(c reference.Change) bool {
		file := Parser(reference.With(c)).Parse(robots)
		if file.Refused() != "" {
			return true
		}
		for i, p := range probes {
			if file.Test(p.Agent, p.URL).Allow != allowed[i] {
				return true
			}
		}
		return false
	}
}
