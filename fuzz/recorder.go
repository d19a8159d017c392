package fuzz

import (
	"cmp"
	"context"
	"slices"

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
	options   CampaignOptions
	attempts  *attempts
}

func newRecorder(workers []*worker, fingerprints []reference.Interpretation, store *Store, o CampaignOptions) *recorder {
	return &recorder{workers: workers, explainer: NewExplainer(fingerprints), store: store, options: o, attempts: newAttempts()}
}

// recall confirms the causes that experiments of an earlier run confirmed.
func (r *recorder) recall() error {
	found, err := r.store.List()
	for i := range found {
		if r.confirms(found[i]) {
			r.confirm(found[i])
		}
	}
	return err
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
// An answer with several confirmed causes at once counts for each of them, and one
// that several known choices give, each by itself, for the first; neither is a
// finding of its own.
func (r *recorder) observe(ctx context.Context, o *observation) {
	f, origin := r.explain(o)
	beyond := origin != ByFingerprint
	switch {
	case f.Kind == UnexplainedAnswer && len(f.Cause) == 0:
		r.lookInto(ctx, o, f)
	case f.Kind == Disagreement && r.isMixture(o, f.Cause, origin):
		for _, c := range f.Cause {
			single := Finding{Kind: Disagreement, Cause: Cause{c}, Lineage: f.Lineage}
			r.store.Hit(&single, r.workers[o.subject].Info().Name, beyond)
		}
		o.tally.Known++
	default:
		r.meet(ctx, o, f, beyond && len(f.Cause) > 0)
	}
}

// isMixture reports whether an answer shows no cause by itself.
func (r *recorder) isMixture(o *observation, c Cause, origin Origin) bool {
	if _, each := r.explainer.confirmed(o.subject, c); each {
		return true
	}
	m := r.explainer.view(o.subject)
	return origin == ByFingerprint && !m.needs(c, o.reading, o.probe, o.answer.Verdict) &&
		!slices.ContainsFunc(c, func(c Change) bool {
			return !r.store.knows(&Finding{Kind: Disagreement, Cause: Cause{c}, Lineage: r.lineage(o.subject)})
		})
}

// explain returns the finding that an answer shows, as far as that is cheap to
// find, and the origin of its cause.
func (r *recorder) explain(o *observation) (Finding, Origin) {
	t := o.tally
	lineage := r.lineage(o.subject)
	switch o.answer.Verdict {
	case spec.Crash, spec.ProtocolError:
		t.Crashes++
		return Finding{Kind: CrashFound, Lineage: lineage, Detail: complaintOf(o.answer.Detail)}, Unexplained
	case spec.Timeout:
		t.Timeouts++
		return Finding{Kind: TimeoutFound, Lineage: lineage}, Unexplained
	}
	cause, origin := r.explainer.why(o.reading, o.subject, o.probe, o.answer.Verdict)
	switch {
	case o.answer.Verdict == spec.Reject:
		t.Refusals++
		if origin == Unexplained || origin == ByContradicted {
			return Finding{Kind: RefusalFound, Lineage: lineage, Detail: complaintOf(o.answer.Detail)}, Unexplained
		}
	case origin == Unexplained:
		t.Deviations++
		return Finding{Kind: UnexplainedAnswer, Lineage: lineage}, origin
	case origin == ByContradicted:
		t.Deviations++
		t.Refuted++
		return Finding{Kind: UnexplainedAnswer, Cause: cause, Lineage: lineage}, origin
	default:
		t.Deviations++
		if confirmed, _ := r.explainer.confirmed(o.subject, cause); confirmed {
			t.Confirmed++
		} else {
			o.proposed = true
			t.Proposed++
		}
	}
	return Finding{Kind: Disagreement, Cause: cause, Lineage: lineage}, origin
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
	if shown && f.Kind == Disagreement {
		f = r.test(ctx, o, f, w)
		if o.proposed {
			o.tally.Proposed--
			r.tested(o, f)
		}
		if f.ID() != id {
			r.store.unhit(id, r.workers[o.subject].Info().Name)
			unseen := f.Kind == UnexplainedAnswer && len(f.Cause) == 0 && !r.attempts.mayLook(o.subject, r.looks())
			if unseen || r.store.Hit(&f, r.workers[o.subject].Info().Name, beyond) {
				o.tally.Known++
				r.attempts.end(id, true)
				return
			}
		}
	}
	r.attempts.end(id, shown && r.keep(ctx, o, f, w))
}

// tested counts an answer whose causes were tested.
func (r *recorder) tested(o *observation, f Finding) {
	m := r.explainer.view(o.subject)
	switch {
	case f.Kind == UnexplainedAnswer && (len(f.Refuted) > 0 || m.refutedGives(o.reading, o.probe, o.answer.Verdict)):
		o.tally.Refuted++
	case f.Kind == UnexplainedAnswer:
		o.tally.Unexplained++
	case r.confirms(f):
		o.tally.Confirmed++
	default:
		o.tally.Proposed++
	}
}

// looks returns how many answers of a subject are minimized that nothing explains.
func (r *recorder) looks() int { return cmp.Or(r.options.Look, defaultLook) }

// lookInto minimizes an answer that has no cheap explanation and searches for
// another one.
func (r *recorder) lookInto(ctx context.Context, o *observation, f Finding) {
	if !r.attempts.mayLook(o.subject, r.looks()) {
		before := o.tally.Unexplained
		r.tested(o, f)
		o.tally.Unseen += o.tally.Unexplained - before
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
	if f.Cause = r.cause(newExplanation(w), o); f.Cause != nil {
		f.Kind = Disagreement
		f = r.test(ctx, o, f, w)
	} else {
		f.Detail, f.Witness = o.detail(), w
	}
	r.tested(o, f)
	if r.store.Hit(&f, r.workers[o.subject].Info().Name, true) {
		o.tally.Known++
		r.attempts.lookedAtKnown(o.subject)
		return
	}
	r.keep(ctx, o, f, w)
}

// cause searches for a cause of the answer to a witness that also gives it together
// with all that is known of the subject; nil if there is none.
func (r *recorder) cause(x *explanation, o *observation) Cause {
	known := r.explainer.view(o.subject)
	for _, c := range x.explain(o.answer.Verdict, known) {
		if h := newHypothesis(known.own, c, nil); x.Verdict(h.in, x.Probe) == o.answer.Verdict {
			return c
		}
	}
	return nil
}

// detail says how the answer differs from the reference's.
func (o *observation) detail() string {
	return string(o.answer.Verdict) + " instead of " + string(o.expected)
}

const (
	// maxHypotheses bounds the causes that are tested for one witness.
	maxHypotheses = 6

	// defaultExperiments is how many experiments a cause is tested by, and
	// leastExperiments how many confirm it if there are no more.
	defaultExperiments = 8
	leastExperiments   = 3
)

func (r *recorder) experiments() int { return cmp.Or(r.options.Experiments, defaultExperiments) }

// confirms reports whether the experiments of a finding confirm its cause.
func (r *recorder) confirms(f Finding) bool {
	return f.Kind == Disagreement && len(f.Experiments) >= min(leastExperiments, r.experiments())
}

// confirm stores that experiments confirm the cause of a finding, for all parsers
// of its lineage.
func (r *recorder) confirm(f Finding) {
	for i := range r.workers {
		if r.lineage(i) == f.Lineage {
			r.explainer.Confirm(i, f.Cause)
		}
	}
}

// test tests the cause of a disagreement by experiments. If one refutes it, the
// next cause is tested, up to maxHypotheses. If all are refuted, the answer is
// unexplained, or a refusal if it refuses the file.
func (r *recorder) test(ctx context.Context, o *observation, f Finding, w Witness) Finding {
	worker := r.workers[o.subject]
	ask := func(w Witness) spec.Verdict {
		if worker.Err() != nil {
			return spec.Timeout
		}
		return worker.Subject.Ask(ctx, w.Robots, []spec.Probe{w.Probe})[0].Verdict
	}
	x := newExplanation(w)
	for range maxHypotheses {
		known := r.explainer.view(o.subject)
		h := newHypothesis(known.own, f.Cause, x.singles(o.answer.Verdict, slices.Concat(known.own, known.others)))
		done, refuted := h.test(ctx, w, r.experiments(), ask)
		if ctx.Err() != nil {
			return f
		}
		if !refuted {
			r.explainer.Learn(o.subject, f.Cause)
			if f.Experiments = done; r.confirms(f) {
				r.confirm(f)
			}
			return f
		}
		f.Refuted = append(f.Refuted, Refutation{f.Cause, done[len(done)-1]})
		r.explainer.Refute(o.subject, f.Cause)
		if f.Cause = r.cause(x, o); f.Cause == nil {
			break
		}
	}
	if o.answer.Verdict == spec.Reject {
		f.Kind, f.Cause, f.Detail = RefusalFound, nil, complaintOf(o.answer.Detail)
		return f
	}
	f.Kind = UnexplainedAnswer
	known := r.explainer.view(o.subject)
	if f.Cause = known.resembled(x.Reading, w.Probe, o.answer.Verdict); f.Cause == nil {
		f.Detail, f.Witness = o.detail(), w
	}
	return f
}
