package fuzz

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// A recorder turns answers into findings. Each answer that is not the reference's
// is explained; then it is counted for a known finding, or its witness is minimized
// and stored as a new one. It is safe for concurrent use.
type recorder struct {
	workers   []*worker // in the order of all lists of answers
	explainer *Explainer
	store     *Store
	limits    ReduceOptions
	seed      uint64
	flags     map[string][]string // see SubjectAnswer.Flags
	// look is CampaignOptions.Look.
	look int

	mu      sync.Mutex // guards what follows
	showing map[string]bool
	failed  map[string]int // attempts to show a finding, by its ID
	looks   map[int]looks  // by subject
}

// looks counts the answers that were minimized because no cheap explanation fits
// them.
type looks struct{ all, known int }

const (
	defaultLook = 15

	// knownLooks is how many looks that end at a known finding count for one.
	knownLooks = 10

	// maxAttempts is how often a finding is tried to be shown that its subject does
	// not show again when it is asked alone.
	maxAttempts = 3
)

func newRecorder(workers []*worker, fingerprints []reference.Interpretation, store *Store) *recorder {
	return &recorder{workers: workers, explainer: NewExplainer(fingerprints), store: store,
		showing: map[string]bool{}, failed: map[string]int{}, looks: map[int]looks{}}
}

// An inputRecord is one input and the answers to it, with what is counted of them.
type inputRecord struct {
	Input
	// answers are by probe and subject, without a verdict where a subject was not
	// asked.
	answers [][]spec.Answer
	reading *reading.Reading
	tally   Tally   // of the input as a whole
	each    []Tally // by subject
	errs    []error
}

// total is the tally of the input and of all subjects.
func (in *inputRecord) total() Tally {
	all := in.tally
	for i := range in.each {
		all.Add(in.each[i])
	}
	return all
}

// err is about findings that could not be stored.
func (in *inputRecord) err() error { return errors.Join(in.errs...) }

// An observation is one answer that is not the reference's.
type observation struct {
	*inputRecord
	tally    *Tally // of the subject
	subject  int
	probe    spec.Probe
	answers  []spec.Answer // of all subjects, to the probe
	answer   spec.Answer   // of the subject
	expected spec.Verdict
	// searched: Explain was asked about the minimized witness and returned causes.
	searched bool
	causes   []Cause
}

func (o *observation) witness() Witness { return Witness{Robots: o.Robots, Probe: o.probe} }

// record takes the answers to an input. When ctx ends, it leaves out the rest.
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
		expected := all.reading.Verdict(reference.RFC9309, p)
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

// disagree reports whether two subjects give different verdicts.
func disagree(answers []spec.Answer) bool {
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

// recordSlow records that the input as a whole took a subject long.
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

// explain says what an answer shows, as far as that is cheap to tell, and whether
// the subject's fingerprint does not expect it.
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
	if begun, unsteady := r.beginShowing(id); !begun {
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
	r.endShowing(id, shown && r.keep(ctx, o, f, w))
}

// beginShowing reports whether the caller is to show a new finding: no other
// goroutine does, and it was tried fewer than maxAttempts times. unsteady reports
// that an attempt failed.
func (r *recorder) beginShowing(id string) (begun, unsteady bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	failed := r.failed[id]
	if r.showing[id] || failed >= maxAttempts {
		return false, failed > 0
	}
	r.showing[id] = true
	return true, false
}

func (r *recorder) endShowing(id string, shown bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.showing, id)
	if !shown {
		r.failed[id]++
	}
}

// lookInto minimizes an answer that has no cheap explanation and searches for
// another one.
func (r *recorder) lookInto(ctx context.Context, o *observation, f Finding) {
	if !r.mayLook(o.subject) {
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
		r.lookedAtKnown(o.subject)
		return
	}
	r.keep(ctx, o, f, w)
}

// mayLook counts a look at an answer of the subject, if it has one left.
func (r *recorder) mayLook(subject int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.looks[subject]
	if knownLooks*(n.all-n.known)+n.known >= knownLooks*cmp.Or(r.look, defaultLook) {
		return false
	}
	n.all++
	r.looks[subject] = n
	return true
}

func (r *recorder) lookedAtKnown(subject int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.looks[subject]
	n.known++
	r.looks[subject] = n
}

// minimize makes the witness smaller while it shows the finding. It reports false
// if the witness does not show the finding when its subject is asked alone, or if
// ctx ended.
func (r *recorder) minimize(ctx context.Context, o *observation, f Finding) (Witness, bool) {
	w := o.witness()
	if f.takesLong() { // each step would take as long again
		return w, r.confirmed(ctx, o, f, w)
	}
	shows := r.shows(ctx, o, f)
	if !shows(w) || !r.confirmed(ctx, o, f, w) {
		return w, false
	}
	smaller, _ := reduce(ctx, w, r.limits, shows)
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
// and of the reference are as they were, and so is the cause. The answers of other
// subjects do not matter: most files hold several causes of disagreement, and a
// witness is to show one.
func (r *recorder) shows(ctx context.Context, o *observation, f Finding) func(Witness) bool {
	subject := r.workers[o.subject].Subject
	complains := f.Kind == CrashFound || f.Kind == RefusalFound
	return func(w Witness) bool {
		file := reading.New(w.Robots)
		expected := file.Verdict(reference.RFC9309, w.Probe)
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

// keep asks all subjects about the witness and stores the finding. It reports false
// if ctx ended first.
func (r *recorder) keep(ctx context.Context, o *observation, f Finding, w Witness) bool {
	answers := [][]spec.Answer{o.answers}
	if !f.takesLong() {
		answers = askAll(ctx, r.workers, w.Robots, []spec.Probe{w.Probe})
	}
	if answers == nil {
		return false
	}
	f.Witness, f.Expected, f.Seed, f.Input = w, Expected(w), r.seed, o.Number
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

// answersTo returns the answers to the witness of a finding, and why they are
// given. For a witness that takes long, only cheap explanations are tried.
func (r *recorder) answersTo(o *observation, f Finding, answers []spec.Answer) (all []SubjectAnswer, causes map[string][]Cause) {
	causes = map[string][]Cause{}
	x := newExplanation(f.Witness)
	for s, a := range answers {
		if a.Verdict == "" {
			continue // it was not asked
		}
		info := r.workers[s].Info()
		all = append(all, SubjectAnswer{Subject: info.Name, Version: info.Version, Lineage: info.Lineage, Flags: r.flags[info.Name], Answer: a})
		if a.Verdict == f.Expected || !a.Verdict.Decided() {
			continue
		}
		cause, origin := r.explainer.why(x.Reading, s, x.Probe, a.Verdict)
		switch {
		case origin != Unexplained:
			causes[info.Name] = []Cause{cause}
			continue
		case f.takesLong():
			continue
		case s == o.subject && o.searched:
			causes[info.Name] = o.causes
		default:
			causes[info.Name] = x.explain(a.Verdict, r.explainer.Known(s))
		}
		if c := r.explainer.atOnce(x.Reading, s, x.Probe, a.Verdict); c != nil && len(causes[info.Name]) == 0 {
			causes[info.Name] = []Cause{c}
		}
	}
	return all, causes
}

// askAll asks the subjects one after the other. The answers are by probe and
// subject; nil if ctx ended early.
func askAll(ctx context.Context, workers []*worker, robots []byte, probes []spec.Probe) [][]spec.Answer {
	replies := make([]reply, len(workers))
	for i, w := range workers {
		replies[i].Reply = w.Ask(ctx, robots, probes)
	}
	if ctx.Err() != nil {
		return nil
	}
	return byProbe(len(probes), replies)
}

// byProbe returns the answers of replies by probe and subject.
func byProbe(probes int, replies []reply) [][]spec.Answer {
	answers := make([][]spec.Answer, probes)
	for i := range answers {
		answers[i] = make([]spec.Answer, len(replies))
		for s, r := range replies {
			if r.Answers != nil {
				answers[i][s] = r.Answers[i]
			}
		}
	}
	return answers
}
