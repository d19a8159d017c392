// Package reading computes the answers of the reference about a file under many
// interpretations. Other packages of this module share it; it is not meant for
// users, for whom package reference answers under one interpretation.
package reading

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// parsers caches the results of Parser, of which kept counts those that were added.
var (
	parsers sync.Map // reference.Interpretation to *reference.Parser
	kept    atomic.Int64
)

// mostParsers bounds the cache; a parser takes 3 KB.
const mostParsers = 10_000

// Parser returns the reference under an interpretation and caches it, because
// building one takes longer than reading a small file.
func Parser(in reference.Interpretation) *reference.Parser {
	if p, ok := parsers.Load(in); ok {
		return p.(*reference.Parser)
	}
	if kept.Add(1)%mostParsers == 0 {
		parsers.Clear()
	}
	p, _ := parsers.LoadOrStore(in, reference.New(in))
	return p.(*reference.Parser)
}

// A Reading is one file, parsed by the reference under many interpretations, at
// most once under each. It is not safe for concurrent use.
type Reading struct {
	robots []byte
	files  map[reference.Interpretation]*reference.File
}

// New returns the reading of a file, which must not change while it is in use.
func New(robots []byte) *Reading {
	return &Reading{robots: robots, files: map[reference.Interpretation]*reference.File{}}
}

// Verdict returns the verdict of the reference under in: Allow, Disallow, or Reject
// for all queries about a file that it refuses and for a URL that it refuses.
func (r *Reading) Verdict(in reference.Interpretation, p spec.Probe) spec.Verdict {
	file := r.files[in]
	if file == nil {
		file = Parser(in).Parse(r.robots)
		r.files[in] = file
	}
	return Verdict(file, p)
}

// Gives reports whether the reference gives the verdict when the changes are
// applied to RFC 9309. For Reject it parses the file only if one of the changes can
// cause a refusal, which saves a campaign thousands of parses.
func (r *Reading) Gives(verdict spec.Verdict, p spec.Probe, changes ...reference.Change) bool {
	if verdict == spec.Reject && !canRefuse(changes) {
		return false
	}
	return r.Verdict(reference.With(changes...), p) == verdict
}

// canRefuse reports whether one of the choices makes the reference refuse files or
// URLs.
func canRefuse(changes []reference.Change) bool {
	for _, c := range changes {
		switch c {
		case reference.Change{Point: reference.SizeLimit, Choice: reference.SizeLimitReject},
			reference.Change{Point: reference.ControlOctets, Choice: reference.ControlOctetsRejectFile},
			reference.Change{Point: reference.InvalidUTF8, Choice: reference.InvalidUTF8RejectFile},
			reference.Change{Point: reference.OrphanRules, Choice: reference.OrphanRulesRejectFile},
			reference.Change{Point: reference.MalformedURL, Choice: reference.MalformedURLRefuse}:
			return true
		}
	}
	return false
}

// Fewest returns some of the changes for which gives still holds, as it does for all of
// them. No single one of these can be left out. It prefers to leave out the first ones.
//
// It leaves them out one after the other instead of trying all sets, as a dozen have
// 220 triples. Then it tries again, as a change that was needed before may not be
// needed any more.
func Fewest(changes reference.Changes, gives func(reference.Changes) bool) reference.Changes {
	for again := true; again; {
		again = false
		for i := 0; i < len(changes); {
			if fewer := slices.Concat(changes[:i], changes[i+1:]); gives(fewer) {
				changes, again = fewer, true
			} else {
				i++
			}
		}
	}
	return changes
}

// Verdict returns the verdict of a file that the reference has parsed.
func Verdict(file *reference.File, p spec.Probe) spec.Verdict {
	if file.Refused() != "" {
		return spec.Reject
	}
	return VerdictOf(file.Test(p.Agent, p.URL))
}

// VerdictOf returns the verdict of a decision about a file that is not refused.
func VerdictOf(d reference.Decision) spec.Verdict {
	switch {
	case d.Reason == reference.ReasonRefusedURL:
		return spec.Reject
	case d.Allow:
		return spec.Allow
	}
	return spec.Disallow
}

// Shows returns a function that reports whether a change to RFC 9309 is visible in
// the queries, that is, whether with it the reference gives another verdict for at
// least one query.
func Shows(robots []byte, probes []spec.Probe) func(reference.Change) bool {
	file := Parser(reference.RFC9309()).Parse(robots)
	verdicts := make([]spec.Verdict, len(probes))
	for i, p := range probes {
		verdicts[i] = Verdict(file, p)
	}
	return func(c reference.Change) bool {
		file := Parser(reference.With(c)).Parse(robots)
		for i, p := range probes {
			if Verdict(file, p) != verdicts[i] {
				return true
			}
		}
		return false
	}
}
