// Package conformance runs the cases of package spec on subjects of package impl
// and judges the answers. It prints nothing: the [Result] holds everything that a
// report needs.
package conformance

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// Options configure a run. The zero value judges by RFC 9309, fails on MUST,
// text and SHOULD, and has no baseline.
type Options struct {
	// Interpretation is the name of the interpretation to judge by; "" means
	// rfc9309.
	Interpretation string
	// Baseline holds the known failures; nil means none.
	Baseline *Baseline
	// Set is the frozen set to score; cases that are not in it are not run.
	// nil means that every case is scored.
	Set *spec.Set
	// Transforms are applied to the cases: each case runs once for each transform
	// that applies to it, and does not run unchanged. Without transforms, the
	// cases run unchanged.
	Transforms []*Transform
	// FailOn is the lowest level at which a failure counts; "" means SHOULD.
	FailOn spec.Level
	// Jobs bounds the number of concurrent queries to an in-process subject; 0
	// means one per processor.
	Jobs int
	// Progress, unless nil, is called after every case with the number of
	// finished cases and of all cases. Calls come from several goroutines, one at
	// a time.
	Progress func(done, total int)
	// Now is the date against which the baseline expires; the zero time means
	// today.
	Now time.Time

	// remedy explains in baseline problems how to change the baseline; nil means
	// with repcheck run.
	remedy remedy
}

// Run runs every case on every subject and judges the answers. In-process
// subjects run one after the other, so that their times can be compared. Then the
// subjects in separate processes run, as many at a time as there are processors,
// because otherwise one that times out would delay all others. If ctx ends early,
// the result has the answers so far and a note that says so.
func Run(ctx context.Context, data *spec.Data, cases []spec.Case, subjects []impl.Subject, o Options) *Result {
	r := start(data, cases, subjects, &o)
	asked := o.variants(cases)
	r.judge(ctx, data, asked, subjects, o)
	for at, subject := range subjects {
		askAgain(ctx, r, asked, at, subject)
	}
	explain(r, asked)
	if ctx.Err() == nil {
		findCauses(ctx, r, asked)
		if ctx.Err() != nil {
			forgetCauses(r)
			r.Notes = append(r.Notes, "interrupted: the causes of failures are missing")
		}
	}
	r.finish()
	return r
}

// start returns a result without outcomes, and completes o.
func start(data *spec.Data, cases []spec.Case, subjects []impl.Subject, o *Options) *Result {
	if o.Interpretation == "" {
		o.Interpretation = spec.Interpretations[0]
	}
	if o.FailOn == "" {
		o.FailOn = spec.Should
	}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	if o.remedy == nil {
		o.remedy = onCommandLine
	}
	r := &Result{
		Format:         ResultFormat,
		Started:        time.Now().UTC(),
		Interpretation: o.Interpretation,
		CaseSet:        data.Hash,
		FailOn:         o.FailOn,
	}
	asked := o.variants(cases)
	r.Cases = make([]CaseResult, len(asked))
	for i := range asked {
		c := asked[i].load()
		r.Cases[i] = CaseResult{
			ID: c.ID, Transform: asked[i].transformID(), Section: c.Section,
			Requirements: data.RequirementsUnder(c, o.Interpretation), Level: data.LevelUnder(c, o.Interpretation), Point: c.Point,
			Rationale: c.Rationale, Pos: c.Pos, Hash: c.Hash(), Outcomes: make([]Outcome, len(subjects)),
		}
	}
	if o.Set != nil {
		later := 0
		for i := range cases {
			if !o.Set.Has(cases[i].ID) {
				later++
			}
		}
		r.Set = o.Set.Name
		r.Notes = append(r.Notes, fmt.Sprintf("judged by the frozen set %s: %d later cases are not scored", o.Set.Name, later))
	}
	noteTransforms(r, cases, o.Transforms)
	r.Subjects = make([]SubjectResult, len(subjects))
	return r
}

// judge asks the subjects and compares their answers with the cases and the baseline.
func (r *Result) judge(ctx context.Context, data *spec.Data, asked []variant, subjects []impl.Subject, o Options) {
	askAll(ctx, r, asked, subjects, o, newProgress(o.Progress, len(asked)*len(subjects)))
	if ctx.Err() != nil {
		r.Notes = append(r.Notes, "interrupted: what was not answered in time is not scored")
	}
	o.Baseline.mark(r, data, o.Now)
	if ctx.Err() == nil {
		loseSilent(r)
	}
	o.Baseline.check(r, data, o.Now, o.remedy)
}

// finish counts what the result holds.
func (r *Result) finish() {
	for i := range r.Subjects {
		tally(r, i)
	}
	r.Elapsed = time.Since(r.Started)
}

// askAll runs all cases on all subjects.
func askAll(ctx context.Context, r *Result, cases []variant, subjects []impl.Subject, o Options, done func()) {
	var processes []int
	for at, subject := range subjects {
		if subject.Kind() == impl.InOwnProcess {
			processes = append(processes, at)
		} else {
			r.Subjects[at] = ask(ctx, r, cases, at, subject, o, done)
		}
	}
	impl.Each(len(processes), runtime.GOMAXPROCS(0), func(i int) {
		at := processes[i]
		r.Subjects[at] = ask(ctx, r, cases, at, subjects[at], o, done)
	})
}

// ask runs all cases on one subject, if it started.
func ask(ctx context.Context, r *Result, cases []variant, at int, subject impl.Subject, o Options, done func()) SubjectResult {
	s := SubjectResult{SubjectInfo: subject.Info()}
	if err := subject.Err(); err != nil {
		for i := range cases {
			r.Cases[i].Outcomes[at] = Outcome{Subject: s.Name, Checks: []Check{}}
			done()
		}
		s.Lost = err.Error()
		return s
	}
	workers := subject.Parallel()
	if o.Jobs > 0 {
		workers = min(workers, o.Jobs)
	}
	started := time.Now()
	impl.Each(len(cases), workers, func(i int) {
		r.Cases[i].Outcomes[at] = Outcome{Subject: s.Name, Checks: []Check{}}
		if ctx.Err() != nil || !o.Asks(cases[i].Case) {
			done()
			return
		}
		c := cases[i].load()
		probes := make([]spec.Probe, len(c.Expect))
		for k, e := range c.Expect {
			probes[k] = e.Probe
		}
		if crawler, ok := subject.(*crawling); ok {
			r.Cases[i].Outcomes[at] = crawler.outcome(ctx, c)
			if ctx.Err() == nil {
				done()
			}
			return
		}
		began := time.Now()
		answers := subject.Ask(ctx, c.Robots, probes)
		took := time.Since(began)
		if ctx.Err() != nil { // an answer may only mean that time ran out
			return
		}
		r.Cases[i].Outcomes[at] = judge(c, s.Name, answers, o.Interpretation)
		r.Cases[i].Outcomes[at].Elapsed = took
		done()
	})
	s.Elapsed = time.Since(started)
	for i := range r.Cases {
		for _, check := range r.Cases[i].Outcomes[at].Checks {
			s.Queries++
			if check.Got.Verdict.Answered() {
				s.Answered++
			}
		}
	}
	stats := subject.Stats()
	s.Library, s.Faults = stats.Library, stats.Faults
	if err := subject.Err(); err != nil {
		s.Lost = err.Error()
	}
	return s
}

// loseSilent marks a subject that answered no query as lost, because its
// installation is broken or it supports nothing. A subject is not lost if all its
// failures are known.
func loseSilent(r *Result) {
	for at := range r.Subjects {
		s := &r.Subjects[at]
		if s.Lost != "" || s.Queries == 0 || s.Answered > 0 {
			continue
		}
		counts := map[spec.Verdict]int{}
		known := 0
		var first *Check
		for i := range r.Cases {
			for k := range r.Cases[i].Outcomes[at].Checks {
				check := &r.Cases[i].Outcomes[at].Checks[k]
				counts[check.Got.Verdict]++
				if check.Status == Known {
					known++
				}
				if first == nil {
					first = check
				}
			}
		}
		if known == s.Queries {
			continue
		}
		var parts []string
		for _, v := range spec.Verdicts {
			if counts[v] > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", counts[v], v))
			}
		}
		s.Lost = fmt.Sprintf("it answered none of %d queries (%s)", s.Queries, strings.Join(parts, ", "))
		if detail, _, _ := strings.Cut(strings.TrimSpace(first.Got.Detail), "\n"); detail != "" {
			s.Lost += ": " + spec.EncodeOctets([]byte(detail))
		}
	}
}

// Asks reports whether a run includes the case: it is in the set, and it classifies
// or is scored under the interpretation.
func (o *Options) Asks(c *spec.Case) bool {
	if o.Set != nil && !o.Set.Has(c.ID) {
		return false
	}
	return c.Classifies() || slices.ContainsFunc(c.Expect, func(e spec.Expectation) bool {
		_, scored := e.Want(o.Interpretation)
		return scored
	})
}

// judge compares a subject's answers with what the case expects.
func judge(c *spec.Case, subject string, answers []spec.Answer, interpretation string) Outcome {
	out := Outcome{Subject: subject, Checks: make([]Check, len(c.Expect))}
	for i := range c.Expect {
		e := &c.Expect[i]
		check := Check{Probe: e.Probe, Got: answers[i], WantLine: e.Line}
		check.Got.Detail = strings.ToValidUTF8(check.Got.Detail, "\uFFFD")
		check.Got.Pattern = spec.EncodeOctets([]byte(check.Got.Pattern))
		if c.Classifies() {
			check.Status = Classified
			for choice, verdict := range e.Choices {
				if verdict == check.Got.Verdict {
					check.Choices = append(check.Choices, choice)
				}
			}
			slices.Sort(check.Choices)
			if fragile(e, check.Got.Verdict) {
				check.Status = Fail
			}
		} else {
			check.Want, check.Status = judgeOne(e, answers[i].Verdict, interpretation)
			if check.Want != e.Verdict {
				check.WantLine = 0 // the line belongs to RFC 9309's verdict
			}
		}
		if check.Got.Verdict == spec.ProtocolError {
			check.Status = Broken
		}
		out.Checks[i] = check
		out.Status = max(out.Status, check.Status)
	}
	return out
}

// fragile reports whether the answer to a query of a classifying case shows that the
// subject is not robust. A crash and a timeout are no choice that a document leaves
// open, nor is a refusal of the file or the URL unless it is among the choices.
func fragile(e *spec.Expectation, got spec.Verdict) bool {
	switch got {
	case spec.Crash, spec.Timeout:
		return true
	case spec.Reject:
		return !slices.Contains(slices.Collect(maps.Values(e.Choices)), got)
	}
	return false
}

func judgeOne(e *spec.Expectation, got spec.Verdict, interpretation string) (spec.Verdict, Status) {
	want, scored := e.Want(interpretation)
	switch {
	case !scored:
		return "", NotScored
	case got == want:
		return want, Pass
	case got == spec.Unsupported:
		return want, Skipped
	}
	return want, Fail
}

// explain adds the file to every case that failed or was expected to fail, and
// the reason for the expected verdict to its failed and fixed checks.
func explain(r *Result, cases []variant) {
	in, err := reference.Named(r.Interpretation)
	if err != nil {
		return
	}
	parser := reference.New(in)
	for i := range r.Cases {
		var file *reference.File
		for o := range r.Cases[i].Outcomes {
			for k := range r.Cases[i].Outcomes[o].Checks {
				check := &r.Cases[i].Outcomes[o].Checks[k]
				if check.Status != Fail && check.Status != Known && check.Baseline == "" {
					continue
				}
				if file == nil {
					robots := cases[i].load().Robots
					file = parser.Parse(robots)
					r.Cases[i].Robots = excerpt(robots)
				}
				if check.Want == "" {
					continue // a classifying case wants any answer
				}
				trace := file.Rules(check.Agent).Explain(check.URL)
				if trace.Decision.Allow == (check.Want == spec.Allow) {
					check.Why = trace.Why()
				}
			}
		}
	}
}

// maxExcerpt is the maximum length, in bytes, of a file in a result. Cases about the
// size limit have files of half a megabyte.
const maxExcerpt = 4096

// excerpt returns the first bytes of the file in octet notation.
func excerpt(robots []byte) string {
	if len(robots) <= maxExcerpt {
		return spec.EncodeOctets(robots)
	}
	return spec.EncodeOctets(robots[:maxExcerpt]) + "…"
}

// tally counts the checks of the subject with index at.
func tally(r *Result, at int) {
	s := &r.Subjects[at]
	s.Checks = map[Status]int{}
	s.Levels = map[spec.Level]Tally{}
	for _, c := range r.Cases {
		for _, check := range c.Outcomes[at].Checks {
			s.Checks[check.Status]++
			if c.Level != "" && (check.Status == Pass || check.Status >= Known) {
				t := s.Levels[c.Level]
				t.Total++
				if check.Status == Pass {
					t.Pass++
				}
				s.Levels[c.Level] = t
			}
		}
	}
}

func newProgress(tell func(done, total int), total int) func() {
	if tell == nil {
		return func() {}
	}
	var mu sync.Mutex
	done := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		tell(done, total)
	}
}
