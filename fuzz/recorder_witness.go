package fuzz

import (
	"context"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// minimize makes the witness smaller while it shows the finding. It reports false
// if the witness does not show the finding when its subject is queried alone, or
// if ctx ended.
func (r *recorder) minimize(ctx context.Context, o *observation, f Finding) (Witness, bool) {
	w := o.witness()
	if f.takesLong() { // each step would take as long again
		return w, r.confirmed(ctx, o, f, w)
	}
	shows := r.shows(ctx, o, f)
	if !shows(w) || !r.confirmed(ctx, o, f, w) {
		return w, false
	}
	smaller := minimized(ctx, w, r.options.minimizeCalls, shows)
	if smaller.Compare(w) != 0 && r.confirmed(ctx, o, f, smaller) {
		w = smaller
	}
	return w, ctx.Err() == nil
}

// confirmed reports whether a crash or a timeout occurs when the witness is the
// first query of a fresh process. Other findings need no confirmation, and neither
// does a subject that cannot be restarted.
func (r *recorder) confirmed(ctx context.Context, o *observation, f Finding, w Witness) bool {
	restarter, ok := r.workers[o.subject].Subject.(impl.Restarter)
	if !ok || f.Kind != CrashFound && f.Kind != TimeoutFound {
		return true
	}
	fresh, err := restarter.Fresh(ctx)
	if err != nil {
		return false
	}
	defer fresh.Close()
	a := fresh.Ask(ctx, w.Robots, []spec.Probe{w.Probe})[0]
	return a.Verdict == o.answer.Verdict && (f.Kind != CrashFound || complaintOf(a.Detail) == f.Detail)
}

// shows returns whether a witness shows the finding: the verdicts of the subject
// and of the reference are unchanged, and so is the cause. The answers of other
// subjects do not matter: most files have several causes of disagreement, and a
// witness should show one.
func (r *recorder) shows(ctx context.Context, o *observation, f Finding) func(Witness) bool {
	subject := r.workers[o.subject].Subject
	complains := f.Kind == CrashFound || f.Kind == RefusalFound
	return func(w Witness) bool {
		file := reading.New(w.Robots)
		expected := file.Verdict(reference.RFC9309(), w.Probe)
		switch {
		case f.Kind == CrashFound:
		case f.Kind == RefusalFound && expected == spec.Reject:
			return false
		case f.Kind == RefusalFound:
		case expected != o.expected || !r.explainer.because(f.Cause, file, o.subject, w.Probe, o.answer.Verdict):
			return false
		}
		a := subject.Ask(ctx, w.Robots, []spec.Probe{w.Probe})[0]
		return a.Verdict == o.answer.Verdict && (!complains || complaintOf(a.Detail) == f.Detail)
	}
}

// keep queries all subjects about the witness and stores the finding. It reports
// false if ctx ended first.
func (r *recorder) keep(ctx context.Context, o *observation, f Finding, w Witness) bool {
	answers := [][]spec.Answer{o.answers}
	if !f.takesLong() {
		answers = askAll(ctx, r.workers, w.Robots, []spec.Probe{w.Probe})
	}
	if answers == nil {
		return false
	}
	f.Witness, f.Expected, f.Seed, f.Input = w, Expected(w), r.options.Seed, o.Number
	f.Answers, f.Causes = r.answersTo(o, f, answers[0])
	isNew, err := r.store.Record(f)
	switch {
	case err != nil:
		o.errs = append(o.errs, err)
	case isNew:
		o.tally.New = append(o.tally.New, f.ID())
	default: // another goroutine or process was faster
		o.tally.Known++
	}
	return true
}

// answersTo returns the answers to the witness of a finding, with their causes.
// For a witness that takes long, only cheap explanations are tried.
func (r *recorder) answersTo(o *observation, f Finding, answers []spec.Answer) (all []SubjectAnswer, causes map[string][]Cause) {
	causes = map[string][]Cause{}
	x := newExplanation(f.Witness)
	for s, a := range answers {
		if a.Verdict == "" {
			continue // it was not queried
		}
		info := r.workers[s].Info()
		all = append(all, SubjectAnswer{Subject: info.Name, Version: info.Version, Lineage: info.Lineage, Flags: r.options.Flags[info.Name], Answer: a})
		if a.Verdict == f.Expected || !a.Verdict.Decided() {
			continue
		}
		cause, origin := r.explainer.why(x.Reading, s, x.Probe, a.Verdict)
		switch {
		case s == o.subject && f.Kind == Disagreement:
			causes[info.Name] = []Cause{f.Cause}
			continue
		case s == o.subject && f.Kind == UnexplainedAnswer && len(f.Cause)+len(f.Refuted) > 0:
			causes[info.Name] = nil
			continue
		case origin == ByFingerprint || origin == ByOthers:
			causes[info.Name] = []Cause{cause}
			continue
		case f.takesLong():
			continue
		default:
			causes[info.Name] = x.explain(a.Verdict, r.explainer.view(s))
		}
		known := r.explainer.view(s)
		if c := known.atOnce(x.Reading, x.Probe, a.Verdict); c != nil && len(causes[info.Name]) == 0 {
			causes[info.Name] = []Cause{c}
		}
	}
	return all, causes
}
