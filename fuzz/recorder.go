package fuzz

import (
	"context"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// A Recorder asks, and keeps what the subjects do not agree on: a signature that
// is new in this process is reduced and explained, one that is not is counted.
// It is safe for concurrent use.
type Recorder struct {
	Differ *Differ
	Store  *Store
	// Reduce bounds the reduction of one finding.
	Reduce ReduceOptions
	// Seed goes into the findings.
	Seed uint64
}

// A Tally is what came of asking about one file.
type Tally struct {
	// Probes had an answer, Disagreements of them one that is a finding.
	Probes, Disagreements int
	// New are the IDs of findings that no process had recorded before.
	New []string
	// Unsteady counts disagreements that were gone when asked about alone.
	Unsteady int
}

// Try asks about one file. An error means that a finding could not be kept;
// asking went on all the same. When ctx ends the tally is of what was done.
func (r *Recorder) Try(ctx context.Context, robots []byte, probes []spec.Probe) (Tally, error) {
	var t Tally
	var failed error
	answers := r.Differ.Ask(ctx, robots, probes)
	for i := range answers {
		t.Probes++
		signature := r.Differ.Signature(answers[i])
		if signature.None() {
			continue
		}
		t.Disagreements++
		id := signature.ID()
		if r.Store.Seen(id) {
			if err := r.Store.Hit(id); err != nil {
				failed = err
			}
			continue
		}
		reduction := r.Differ.Reduce(ctx, Witness{Robots: robots, Probe: probes[i]}, r.Reduce)
		switch {
		case reduction.Answers == nil:
			return t, failed
		case reduction.Signature.ID() != id:
			t.Unsteady++
			continue
		}
		f := newFinding(r.Differ.Subjects(), reduction)
		f.Hits, f.Seed, f.First = 1, r.Seed, time.Now()
		f.Last = f.First
		isNew, err := r.Store.Record(f)
		if err != nil {
			failed = err
		} else if isNew {
			t.New = append(t.New, id)
		}
	}
	return t, failed
}
