package conformance

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// A Cause is a choice that explains failures of a subject: a parser that differs from
// the interpretation only in such choices fails in the same way, and gives no fewer
// of the subject's other answers to the cases.
type Cause struct {
	// Choice has the form "point=choice".
	Choice string `json:"choice"`
	// Or are other choices that explain the answers to the cases of this run equally
	// well.
	Or []string `json:"or,omitempty"`
	// Failures counts the failures that it explains, alone or with other choices;
	// Known counts those of them that are known.
	Failures int `json:"failures"`
	Known    int `json:"known,omitempty"`
}

// String returns the choice and, after "or", the others that explain as much.
func (c *Cause) String() string {
	return strings.Join(append([]string{c.Choice}, c.Or...), " or ")
}

// findCauses sets the causes of the failures of every subject, and those of each
// failed check. The answers to the cases of the run are the evidence: package
// fingerprint searches for the choices that predict them, and takes back those that
// other answers are against.
//
// Transformed cases have no causes: their failures are those of the unchanged cases,
// and a search among them takes many times as long.
func findCauses(ctx context.Context, r *Result, cases []variant) {
	base, err := reference.Named(r.Interpretation)
	if err != nil {
		return
	}
	var of []int // the index in r.Cases of each file
	var files []spec.Case
	for i := range cases {
		if cases[i].transform != nil {
			return
		}
		if slices.ContainsFunc(r.Cases[i].Outcomes, func(o Outcome) bool { return len(o.Checks) > 0 }) {
			of, files = append(of, i), append(files, *cases[i].Case)
		}
	}
	sample := fingerprint.NewSample(fingerprint.CaseFiles(files))
	for at := range r.Subjects {
		f := causeSearch{r: r, at: at, of: of, base: base, sample: sample}
		f.find(ctx)
	}
}

// forgetCauses removes all causes: a search that was interrupted has found those of
// some subjects only, and the others would seem to have none.
func forgetCauses(r *Result) {
	for i := range r.Subjects {
		s := &r.Subjects[i]
		s.Causes, s.Explained, s.OtherChoices = nil, 0, nil
	}
	for i := range r.Cases {
		for _, o := range r.Cases[i].Outcomes {
			for k := range o.Checks {
				o.Checks[k].Causes = nil
			}
		}
	}
}

// A causeSearch finds the causes of the failures of one subject.
type causeSearch struct {
	r      *Result
	at     int   // the index of the subject
	of     []int // the index in r.Cases of each file of the sample
	base   reference.Interpretation
	sample *fingerprint.Sample
}

// check returns the check of a query, or nil if the subject did not get it.
func (f *causeSearch) check(query int) *Check {
	file, probe := f.sample.Place(query)
	checks := f.r.Cases[f.of[file]].Outcomes[f.at].Checks
	if len(checks) == 0 {
		return nil
	}
	return &checks[probe]
}

// find searches for the choices that explain the failures.
func (f *causeSearch) find(ctx context.Context) {
	answers := make([]fingerprint.Outcome, f.sample.Queries())
	var failed []int
	for i := range answers {
		check := f.check(i)
		if check == nil {
			continue
		}
		answers[i] = fingerprint.OutcomeOf(check.Got.Verdict)
		if (check.Status == Fail || check.Status == Known) && answers[i] != fingerprint.Silent {
			failed = append(failed, i)
		}
	}
	if len(failed) == 0 {
		return
	}
	found := f.sample.Adapt(ctx, answers, fingerprint.Found{In: f.base})
	if ctx.Err() != nil {
		return
	}
	v, base := f.sample.View(found.In, answers), f.sample.View(f.base, answers)
	failed = slices.DeleteFunc(failed, func(i int) bool {
		return v.Predicted[i] != answers[i] || base.Predicted[i] == answers[i] // no change is needed: the case itself is wrong
	})
	f.record(v, f.fewest(v, failed))
}

// record counts what the changes explain, which are given for each explained failure.
func (f *causeSearch) record(v *fingerprint.View, fewest map[int]reference.Changes) {
	causes := map[reference.Change]*Cause{}
	for i, changes := range fewest {
		for _, c := range changes {
			if causes[c] == nil {
				causes[c] = &Cause{Choice: c.String()}
			}
			causes[c].Failures++
			if f.check(i).Status == Known {
				causes[c].Known++
			}
		}
	}
	s := &f.r.Subjects[f.at]
	s.Explained = len(fewest)
	for c, cause := range causes {
		for _, other := range v.Alternatives(c, f.base[c.Point]) {
			cause.Or = append(cause.Or, other.String())
		}
		s.Causes = append(s.Causes, *cause)
	}
	for i, changes := range fewest {
		check := f.check(i)
		for _, c := range changes {
			check.Causes = append(check.Causes, causes[c].String())
		}
	}
	for _, p := range reference.Points() {
		c, back := reference.Change{Point: p, Choice: v.In[p]}, reference.Change{Point: p, Choice: f.base[p]}
		if c != back && causes[c] == nil && len(v.Change(back, v.About(p)).Against) > 0 {
			s.OtherChoices = append(s.OtherChoices, c.String())
		}
	}
	slices.SortFunc(s.Causes, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Failures, a.Failures), cmp.Compare(a.Choice, b.Choice))
	})
}

// fewest returns, for each of these queries, as few changes as possible of those that
// lead from the base to the interpretation of v, such that the reference gives the
// subject's answer. If one change suffices, it is the one that suffices for most of
// the queries.
func (f *causeSearch) fewest(v *fingerprint.View, queries []int) map[int]reference.Changes {
	var all reference.Changes
	for _, p := range reference.Points() {
		if v.In[p] != f.base[p] {
			all = append(all, reference.Change{Point: p, Choice: v.In[p]})
		}
	}
	readings := map[*fingerprint.File]*reading.Reading{}
	gives := func(i int, in reference.Interpretation) bool {
		file, probe := f.sample.Query(i)
		if readings[file] == nil {
			readings[file] = reading.New(file.Robots)
		}
		return fingerprint.OutcomeOf(readings[file].Verdict(in, probe)) == v.Answers[i]
	}
	alone := map[reference.Change][]int{} // the queries for which the change suffices
	for _, c := range all {
		for _, i := range queries {
			if gives(i, c.Of(f.base)) {
				alone[c] = append(alone[c], i)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b reference.Change) int { return cmp.Compare(len(alone[b]), len(alone[a])) })
	fewest := map[int]reference.Changes{}
	for _, c := range all {
		for _, i := range alone[c] {
			if fewest[i] == nil {
				fewest[i] = reference.Changes{c}
			}
		}
	}
	slices.Reverse(all) // what explains most is left out last
	for _, i := range queries {
		if fewest[i] != nil {
			continue
		}
		fewest[i] = reading.Fewest(all, func(changes reference.Changes) bool {
			in := f.base
			for _, c := range changes {
				in = c.Of(in)
			}
			return gives(i, in)
		})
		slices.SortFunc(fewest[i], func(a, b reference.Change) int { return cmp.Compare(a.Point, b.Point) })
	}
	return fewest
}
