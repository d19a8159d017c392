package fuzz

import (
	"context"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// A recorder turns answers into findings. It explains each answer that differs
// from the reference's, then counts it for a known finding, or minimizes its
// witness and stores it as a new one. It is safe for concurrent use.
type recorder struct {
	workers   []*worker // in the order of all lists of answers
	explainer *Explainer
	store     *Store
	seed      uint64
	flags     map[string][]string // see SubjectAnswer.Flags
	// minimizeCalls is CampaignOptions.MinimizeCalls.
	minimizeCalls int
	attempts      *attempts
}

func newRecorder(workers []*worker, fingerprints []reference.Interpretation, store *Store) *recorder {
	return &recorder{workers: workers, explainer: NewExplainer(fingerprints), store: store, attempts: newAttempts()}
}

// record processes the answers to an input. When ctx ends, it skips the rest.
func (r *recorder) record(ctx context.Context, in Input, answers [][]spec.Answer) *inputRecord {
	all := &inputRecord{Input: in, answers: answers, reading: reading.New(in.Robots), each: make([]Tally, len(r.workers))}
	all.tally.Inputs = 1
	for i, p := range in.Probes {
		if ctx.Err() != nil {
			break
		}
		all.tally.Queries++
		if disagree(answers[i]) {
			all.tally.Disagreements++
		}
		expected := all.reading.Verdict(reference.RFC9309(), p)
		for s, a := range answers[i] {
			if a.Verdict == "" || a.Verdict == spec.Unsupported {
				continue
			}
			all.each[s].Answers++
			if a.Verdict != expected {
				r.observe(ctx, &observation{inputRecord: all, tally: &all.each[s], subject: s, probe: p, answers: answers[i], answer: a, expected: expected})
			}
		}
	}
	return all
}

// recordSlow records that a subject took long for the input as a whole.
func (r *recorder) recordSlow(ctx context.Context, in *inputRecord, subject int) {
	if len(in.Probes) > 0 {
		o := &observation{inputRecord: in, tally: &in.each[subject], subject: subject, probe: in.Probes[0], answers: in.answers[0]}
		r.meet(ctx, o, Finding{Kind: SlowFound, Lineage: r.lineage(subject), Detail: "more than a second for one file"}, false)
	}
}

func (r *recorder) lineage(subject int) string { return lineageOf(r.workers[subject].Info()) }

// observe explains an answer and counts it, or minimizes and stores its witness.
func (r *recorder) observe(ctx context.Context, o *observation) {
	f, beyond := r.explain(o)
	if f.Kind == UnexplainedAnswer {
		r.lookInto(ctx, o, f)
		return
	}
	r.meet(ctx, o, f, beyond)
}

// explain returns the finding that an answer shows, as far as that is cheap to
// find, and whether the subject's fingerprint does not predict the answer.
func (r *recorder) explain(o *observation) (f Finding, beyond bool) {
	t := o.tally
	switch o.answer.Verdict {
	case spec.Crash, spec.ProtocolError:
		t.Crashes++
		return Finding{Kind: CrashFound, Lineage: r.lineage(o.subject), Detail: complaintOf(o.answer.Detail)}, false
	case spec.Timeout:
		t.Timeouts++
		return Finding{Kind: TimeoutFound, Lineage: r.lineage(o.subject)}, false
	}
	cause, origin := r.explainer.why(o.reading, o.subject, o.probe, o.answer.Verdict)
	if o.answer.Verdict == spec.Reject {
		t.Refusals++
		if origin == Unexplained {
			return Finding{Kind: RefusalFound, Lineage: r.lineage(o.subject), Detail: complaintOf(o.answer.Detail)}, false
		}
		return Finding{Kind: Disagreement, Cause: cause}, origin == ByOthers
	}
	t.Deviations++
	switch origin {
	case ByFingerprint:
		t.ByFingerprint++
	case ByOthers:
		t.ByOthers++
	default:
		return Finding{Kind: UnexplainedAnswer}, true
	}
	return Finding{Kind: Disagreement, Cause: cause}, origin == ByOthers
}

// meet counts a finding and, if it is new, minimizes and stores it.
func (r *recorder) meet(ctx context.Context, o *observation, f Finding, beyond bool) {
	if r.store.Hit(&f, r.workers[o.subject].Info().Name, beyond) {
		o.tally.Known++
		return
	}
	id := f.ID()
	if begun, unsteady := r.attempts.begin(id); !begun {
		if unsteady {
			o.tally.Unsteady++
		} else {
			o.tally.Known++
		}
		return
	}
	w, shown := r.minimize(ctx, o, f)
	if !shown && ctx.Err() == nil {
		o.tally.Unsteady++
	}
	r.attempts.end(id, shown && r.keep(ctx, o, f, w))
}

// lookInto minimizes an answer that has no cheap explanation and searches for
// another one.
func (r *recorder) lookInto(ctx context.Context, o *observation, f Finding) {
	if !r.attempts.mayLook(o.subject) {
		o.tally.Unexplained++
		o.tally.Unseen++
		return
	}
	w, shown := r.minimize(ctx, o, f)
	if ctx.Err() != nil {
		return
	}
	if !shown {
		o.tally.Unsteady++
		o.tally.Deviations--
		return
	}
	o.searched, o.causes = true, Explain(w, o.answer.Verdict, r.explainer.Known(o.subject))
	if len(o.causes) == 0 {
		o.tally.Unexplained++
		f.Lineage, f.Detail, f.Witness = r.lineage(o.subject), string(o.answer.Verdict)+" instead of "+string(o.expected), w
	} else {
		o.tally.ByOthers++
		r.explainer.Learn(o.subject, o.causes[0])
		f = Finding{Kind: Disagreement, Cause: o.causes[0]}
	}
	if r.store.Hit(&f, r.workers[o.subject].Info().Name, true) {
		o.tally.Known++
		r.attempts.lookedAtKnown(o.subject)
		return
	}
	r.keep(ctx, o, f, w)
}
