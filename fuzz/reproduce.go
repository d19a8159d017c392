package fuzz

import (
	"context"
	"maps"
	"slices"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// A Reproduction is the result of repeating the query of a finding.
type Reproduction struct {
	// Asked are the subjects of the finding that could be queried, Changed those of
	// them that no longer show it.
	Asked, Changed []string
}

// Gone reports whether subjects were queried and none shows the finding any more.
func (r *Reproduction) Gone() bool { return len(r.Asked) > 0 && len(r.Changed) == len(r.Asked) }

// Reproduce queries the subjects that showed a finding about its witness. It does
// not query other subjects.
func Reproduce(ctx context.Context, f *Finding, subjects []impl.Subject) Reproduction {
	var r Reproduction
	recorded := map[string]spec.Answer{}
	for _, a := range f.Answers {
		recorded[a.Subject] = a.Answer
	}
	for _, s := range subjects {
		name := s.Info().Name
		before, ok := recorded[name]
		if !ok || f.Hits[name] == 0 {
			continue
		}
		reply := newWorkers([]impl.Subject{s}, 1)[0].ask(ctx, f.Witness.Robots, []spec.Probe{f.Witness.Probe})
		if ctx.Err() != nil || !reply.Asked() || s.Err() != nil { // the loss of the subject may have changed the answer
			continue
		}
		r.Asked = append(r.Asked, name)
		if !f.shows(before, reply) {
			r.Changed = append(r.Changed, name)
		}
	}
	return r
}

// shows reports whether a reply shows the finding. A subject that showed it on
// other witnesses may have answered this one differently; then it only has to
// give the same answer again.
func (f *Finding) shows(before spec.Answer, r reply) bool {
	a := r.Answers[0]
	switch f.Kind {
	case SlowFound:
		return r.Took > slow
	case CrashFound:
		return a.Verdict == before.Verdict && complaintOf(a.Detail) == complaintOf(before.Detail)
	}
	return a.Verdict == before.Verdict
}

// Showing returns the names of the subjects whose answers to the witness show the
// finding, sorted.
func (f *Finding) Showing() []string {
	var names []string
	r := reading.New(f.Witness.Robots)
	expected := r.Verdict(reference.RFC9309(), f.Witness.Probe)
	for _, a := range f.Answers {
		if f.Hits[a.Subject] > 0 && (a.Verdict != expected || f.Kind == SlowFound) {
			names = append(names, a.Subject)
		}
	}
	if names == nil {
		return slices.Sorted(maps.Keys(f.Hits))
	}
	slices.Sort(names)
	return names
}
