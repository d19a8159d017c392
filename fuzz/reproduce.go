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

// A Reproduction is what came of asking about a finding once more.
type Reproduction struct {
	// Asked are the subjects of the finding that were there to be asked.
	Asked []string
	// Shown are those of them that still show it, Changed those that do not.
	Shown, Changed []string
}

// Gone reports that subjects were asked, and none shows the finding any more.
func (r *Reproduction) Gone() bool { return len(r.Asked) > 0 && len(r.Shown) == 0 }

// Reproduce asks the subjects that showed a finding about its witness. Other
// subjects are not asked. A finding of growth is not measured again, and Asked
// is empty.
func Reproduce(ctx context.Context, f *Finding, subjects []impl.Subject) Reproduction {
	var r Reproduction
	if f.Kind == GrowthFound {
		return r
	}
	recorded := map[string]spec.Answer{}
	for _, a := range f.Answers {
		recorded[a.Subject] = a.Answer
	}
	for _, s := range subjects {
		name := s.Info().Name
		if f.Hits[name] == 0 || s.Err() != nil {
			continue
		}
		before, ok := recorded[name]
		if !ok {
			continue
		}
		asker := newAskers([]impl.Subject{s}, 1)[0]
		reply := asker.ask(ctx, f.Witness.Robots, []spec.Probe{f.Witness.Probe})
		if ctx.Err() != nil || reply.lost != "" { // it may be the loss that changed the answer
			continue
		}
		r.Asked = append(r.Asked, name)
		if f.shows(before, reply) {
			r.Shown = append(r.Shown, name)
		} else {
			r.Changed = append(r.Changed, name)
		}
	}
	return r
}

// shows reports whether a reply is what the finding is about. A subject that
// showed it on other witnesses may have answered this one otherwise; then it
// need only answer as it did.
func (f *Finding) shows(before spec.Answer, r reply) bool {
	a := r.answers[0]
	switch f.Kind {
	case SlowFound:
		return r.took > slow
	case CrashFound:
		return a.Verdict == before.Verdict && complaintOf(a.Detail) == complaintOf(before.Detail)
	}
	return a.Verdict == before.Verdict
}

// Showing are the names of the subjects whose answers to the witness are what
// the finding is about, sorted.
func (f *Finding) Showing() []string {
	var names []string
	r := reading.New(f.Witness.Robots)
	expected := r.Verdict(reference.RFC9309, f.Witness.Probe)
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
