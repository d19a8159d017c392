package fuzz

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// A Recorder makes findings of answers: each that is not the reference's is
// explained; what is new is reduced and kept, what is known is counted. It is
// safe for concurrent use.
type Recorder struct {
	Differ    *Differ
	Explainer *Explainer
	Store     *Store
	// MinimizeCalls is how many queries may be asked to minimize one witness; 0
	// means 2000. About large files there are fewer.
	MinimizeCalls int
	// Seed goes into the findings.
	Seed uint64
	// Flags go into the findings, by the name of the subject; see SubjectAnswer.
	Flags map[string][]string
	// Look is how many answers of one subject that no cheap explanation fits are
	// reduced and looked into; 0 means 15. Each takes the time of some hundred
	// inputs. Of those that turn out to be known ten count for one. More are only
	// counted.
	Look int

	mu    sync.Mutex
	looks map[int]int // taken off the budget, by subject
}

const defaultLook = 15

// A Tally is what came of asking. It adds up with Add.
type Tally struct {
	Inputs, Questions, Answers int
	// Disagreements are the questions on which lineages part.
	Disagreements int
	// Departures are the answers, allow or disallow, that the reference does not
	// give under RFC 9309; each is in one of the next three.
	Departures int
	// ByFingerprint are explained by choices of the subject's fingerprint,
	// ByOthers by other choices, Unexplained by none that was tried. Of these,
	// Unseen were too many to be looked into.
	ByFingerprint, ByOthers, Unexplained, Unseen int
	Crashes, Hangs, Refusals                     int
	// Unsteady counts the answers that depend on what was asked before: the same
	// query asked alone, crashes and timeouts in a fresh process, gave another one.
	Unsteady int
	// Known counts the answers that are of a finding that was there already.
	Known int
	// New are the IDs of findings that no process had recorded before.
	New []string
}

// Add adds another tally.
func (t *Tally) Add(o Tally) {
	t.Inputs += o.Inputs
	t.Questions += o.Questions
	t.Answers += o.Answers
	t.Disagreements += o.Disagreements
	t.Departures += o.Departures
	t.ByFingerprint += o.ByFingerprint
	t.ByOthers += o.ByOthers
	t.Unexplained += o.Unexplained
	t.Unseen += o.Unseen
	t.Crashes += o.Crashes
	t.Hangs += o.Hangs
	t.Refusals += o.Refusals
	t.Unsteady += o.Unsteady
	t.Known += o.Known
	t.New = append(t.New, o.New...)
}

// Explained is the share of the departures that choices explain, from 0 to 1; 1
// if there are none.
func (t *Tally) Explained() float64 {
	if t.Departures == 0 {
		return 1
	}
	return float64(t.ByFingerprint+t.ByOthers) / float64(t.Departures)
}

// Try asks about one input and takes in the answers. An error means that a
// finding could not be kept; asking went on all the same. When ctx ends the
// tally is of what was done.
func (r *Recorder) Try(ctx context.Context, in Input) (Tally, error) {
	answers := r.Differ.Ask(ctx, in.Robots, in.Probes)
	if answers == nil {
		return Tally{}, nil
	}
	return r.Take(ctx, in, answers)
}

// Take takes in the answers to an input: those to probe i at index i, in the
// order of the subjects. The answer of a subject that was not asked is zero.
func (r *Recorder) Take(ctx context.Context, in Input, answers [][]spec.Answer) (Tally, error) {
	t := r.take(ctx, in, answers)
	return t.total(), t.err()
}

func (r *Recorder) take(ctx context.Context, in Input, answers [][]spec.Answer) *taking {
	t := &taking{Recorder: r, ctx: ctx, in: in, answers: answers, reading: newReading(in.Robots), each: make([]Tally, len(r.Differ.subjects))}
	t.tally.Inputs = 1
	for i, p := range in.Probes {
		if ctx.Err() != nil {
			break
		}
		t.question(p, answers[i])
	}
	return t
}

// A taking is one input whose answers are taken in.
type taking struct {
	*Recorder
	ctx     context.Context
	in      Input
	answers [][]spec.Answer // by probe and subject
	reading *reading
	tally   Tally   // of what is of no subject
	each    []Tally // of each subject
	errs    []error
}

// total is the tally of all.
func (t *taking) total() Tally {
	all := t.tally
	for i := range t.each {
		all.Add(t.each[i])
	}
	return all
}

func (t *taking) err() error { return errors.Join(t.errs...) }

func (t *taking) question(p spec.Probe, answers []spec.Answer) {
	t.tally.Questions++
	expected := t.reading.verdict(reference.RFC9309, p)
	if t.part(answers) {
		t.tally.Disagreements++
	}
	for s, a := range answers {
		if a.Verdict == "" || a.Verdict == spec.Unsupported {
			continue
		}
		tally := &t.each[s]
		tally.Answers++
		if a.Verdict == expected {
			continue
		}
		o := observation{taking: t, tally: tally, subject: s, probe: p, answers: answers, answer: a, expected: expected}
		switch a.Verdict {
		case spec.Crash, spec.ProtocolError:
			tally.Crashes++
			o.meet(Finding{Kind: CrashFound, Lineage: o.lineage(), Detail: complaintOf(a.Detail)}, false)
		case spec.Timeout:
			tally.Hangs++
			o.meet(Finding{Kind: HangFound, Lineage: o.lineage()}, false)
		case spec.Reject:
			o.refusal()
		default:
			o.departure()
		}
	}
}

// part reports whether two lineages answer differently.
func (t *taking) part(answers []spec.Answer) bool {
	var first spec.Verdict
	for _, a := range answers {
		switch {
		case !a.Verdict.Decided():
		case first == "":
			first = a.Verdict
		case a.Verdict != first:
			return true
		}
	}
	return false
}

// tooSlow takes in that the input as a whole took the subject very long.
func (t *taking) tooSlow(subject int) {
	if len(t.in.Probes) > 0 {
		o := observation{taking: t, tally: &t.each[subject], subject: subject, probe: t.in.Probes[0], answers: t.answers[0]}
		o.meet(Finding{Kind: SlowFound, Lineage: o.lineage(), Detail: "more than a second for one file"}, false)
	}
}

// An observation is one answer that is not the reference's.
type observation struct {
	*taking
	tally    *Tally // of the subject
	subject  int
	probe    spec.Probe
	answers  []spec.Answer // of all subjects, to the probe
	answer   spec.Answer
	expected spec.Verdict
	// looked is that Explain was asked about the reduced witness, which causes came of.
	looked bool
	causes []Cause
}

func (o *observation) info() spec.SubjectInfo { return o.Differ.infos[o.subject] }
func (o *observation) lineage() string        { return lineageOf(o.info()) }
func (o *observation) witness() Witness       { return Witness{Robots: o.in.Robots, Probe: o.probe} }

func (o *observation) departure() {
	o.tally.Departures++
	switch cause, origin := o.Explainer.why(o.reading, o.subject, o.probe, o.answer.Verdict); origin {
	case ByFingerprint:
		o.tally.ByFingerprint++
		o.meet(Finding{Kind: Disagreement, Cause: cause}, false)
	case ByOthers:
		o.tally.ByOthers++
		o.meet(Finding{Kind: Disagreement, Cause: cause}, true)
	default:
		o.lookInto()
	}
}

// refusal is a departure if some choice makes the reference refuse the file too.
func (o *observation) refusal() {
	o.tally.Refusals++
	cause, origin := o.Explainer.why(o.reading, o.subject, o.probe, spec.Reject)
	if origin == Unexplained {
		o.meet(Finding{Kind: RefusalFound, Lineage: o.lineage(), Detail: complaintOf(o.answer.Detail)}, false)
		return
	}
	o.meet(Finding{Kind: Disagreement, Cause: cause}, origin == ByOthers)
}

// meet counts a finding and, if it is new, shows and keeps it.
func (o *observation) meet(f Finding, beyond bool) {
	claimed, err := o.Store.Hit(&f, o.info().Name, beyond)
	if err != nil {
		o.errs = append(o.errs, err)
	}
	if !claimed {
		if o.Store.unsteady(f.ID()) {
			o.tally.Unsteady++
		} else {
			o.tally.Known++
		}
		return
	}
	if w, ok := o.shrink(f); ok {
		o.keep(f, w)
		return
	}
	o.Store.Forget(f.ID())
	if o.ctx.Err() == nil {
		o.tally.Unsteady++
	}
}

// shrink reduces the witness while it shows the finding. It reports false if it
// does not even show it when its subject is asked alone.
func (o *observation) shrink(f Finding) (Witness, bool) {
	w := o.witness()
	if f.takesLong() { // each step would take as long again
		return w, o.confirmed(f, w)
	}
	holds := o.shows(f)
	if !holds(w) || !o.confirmed(f, w) {
		return w, false
	}
	smaller := minimized(o.ctx, w, o.MinimizeCalls, holds)
	if smaller.Compare(w) != 0 && o.confirmed(f, smaller) {
		w = smaller
	}
	return w, o.ctx.Err() == nil
}

// confirmed reports whether a crash or a timeout shows where the witness is the
// first query of a fresh process: it must not depend on what was asked before.
func (o *observation) confirmed(f Finding, w Witness) bool {
	restarter, ok := o.Differ.subjects[o.subject].(impl.Restarter)
	if !ok || f.Kind != CrashFound && f.Kind != HangFound {
		return true
	}
	fresh, err := restarter.Fresh(o.ctx)
	if err != nil {
		return false
	}
	defer fresh.Close()
	a := fresh.Ask(o.ctx, w.Robots, []spec.Probe{w.Probe})[0]
	return a.Verdict == o.answer.Verdict && (f.Kind != CrashFound || complaintOf(a.Detail) == f.Detail)
}

// shows returns whether a witness shows the finding: the subject's verdict and
// the reference's are what they were, and so is the reason. Who else answers how
// is left open, for most files hold several reasons to part at once, and one is
// to be seen at a time.
func (o *observation) shows(f Finding) func(Witness) bool {
	return func(w Witness) bool {
		r := newReading(w.Robots)
		expected := r.verdict(reference.RFC9309, w.Probe)
		switch f.Kind {
		case CrashFound:
		case RefusalFound:
			if expected == spec.Reject {
				return false
			}
		default:
			if expected != o.expected {
				return false
			}
			if !o.Explainer.because(f.Cause, r, o.subject, w.Probe, o.answer.Verdict) {
				return false
			}
		}
		a := o.ask(w)
		if a.Verdict != o.answer.Verdict {
			return false
		}
		return f.Kind != CrashFound && f.Kind != RefusalFound || complaintOf(a.Detail) == f.Detail
	}
}

// ask puts a witness to the subject alone.
func (o *observation) ask(w Witness) spec.Answer {
	return o.Differ.subjects[o.subject].Ask(o.ctx, w.Robots, []spec.Probe{w.Probe})[0]
}

// lookInto reduces what has no cheap explanation, and looks for a dearer one.
func (o *observation) lookInto() {
	if !o.mayLook() {
		o.tally.Unexplained++
		o.tally.Unseen++
		return
	}
	w, ok := o.shrink(Finding{Kind: UnexplainedAnswer})
	if o.ctx.Err() != nil {
		return
	}
	if !ok {
		o.tally.Unsteady++
		o.tally.Departures--
		return
	}
	causes := Explain(w, o.answer.Verdict, o.Explainer.Known(o.subject))
	o.looked, o.causes = true, causes
	if len(causes) == 0 {
		o.tally.Unexplained++
		f := Finding{Kind: UnexplainedAnswer, Lineage: o.lineage(), Detail: string(o.answer.Verdict) + " instead of " + string(o.expected), Witness: w}
		o.found(f, w)
		return
	}
	o.tally.ByOthers++
	o.Explainer.Learn(o.subject, causes[0])
	o.found(Finding{Kind: Disagreement, Cause: causes[0]}, w)
}

// found is meet for a finding whose witness is reduced already.
func (o *observation) found(f Finding, w Witness) {
	claimed, err := o.Store.Hit(&f, o.info().Name, true)
	if err != nil {
		o.errs = append(o.errs, err)
	}
	if !claimed {
		o.tally.Known++
		o.lookedAgain()
		return
	}
	o.keep(f, w)
}

// lookCost is what a look takes off the budget, which Look times that is; all
// but one of it is given back where the look ended at what is known.
const lookCost = 10

// mayLook reports whether the subject has a look left, and takes it.
func (o *observation) mayLook() bool {
	r := o.Recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.looks == nil {
		r.looks = map[int]int{}
	}
	if r.looks[o.subject] >= lookCost*cmp.Or(r.Look, defaultLook) {
		return false
	}
	r.looks[o.subject] += lookCost
	return true
}

// lookedAgain takes in that a look has shown nothing new.
func (o *observation) lookedAgain() {
	r := o.Recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	r.looks[o.subject] -= lookCost - 1
}

// keep asks everybody about the witness and records the finding.
func (o *observation) keep(f Finding, w Witness) {
	answers := [][]spec.Answer{o.answers}
	if !f.takesLong() {
		answers = o.Differ.Ask(o.ctx, w.Robots, []spec.Probe{w.Probe})
	}
	if answers == nil {
		o.Store.Forget(f.ID())
		return
	}
	f.Witness, f.Expected, f.Seed, f.Input = w, Expected(w), o.Seed, o.in.Number
	f.Answers, f.Causes = o.whoSaidWhat(w, answers[0], f)
	isNew, err := o.Store.Record(f)
	if err != nil {
		o.errs = append(o.errs, err)
	} else if isNew {
		o.tally.New = append(o.tally.New, f.ID())
	}
}

// whoSaidWhat returns the answers to a witness, and why they are given: of a
// witness that takes parsers long, only what is cheap to tell.
func (o *observation) whoSaidWhat(w Witness, answers []spec.Answer, f Finding) ([]SubjectAnswer, map[string][]Cause) {
	var all []SubjectAnswer
	causes := map[string][]Cause{}
	reading := newReading(w.Robots)
	for s, a := range answers {
		if a.Verdict == "" {
			continue // it was not asked
		}
		info := o.Differ.infos[s]
		all = append(all, SubjectAnswer{Subject: info.Name, Version: info.Version, Lineage: info.Lineage, Flags: o.Flags[info.Name], Answer: a})
		if a.Verdict == f.Expected || !a.Verdict.Decided() {
			continue
		}
		if cause, origin := o.Explainer.why(reading, s, w.Probe, a.Verdict); origin != Unexplained {
			causes[info.Name] = []Cause{cause}
			continue
		}
		if f.takesLong() {
			continue
		}
		if s == o.subject && o.looked {
			causes[info.Name] = o.causes
		} else {
			causes[info.Name] = reading.explain(w.Probe, a.Verdict, o.Explainer.Known(s))
		}
		if c := o.Explainer.atOnce(reading, s, w.Probe, a.Verdict); c != nil && len(causes[info.Name]) == 0 {
			causes[info.Name] = []Cause{c}
		}
	}
	return all, causes
}
