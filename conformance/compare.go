package conformance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// A Comparison holds the changes between two results, subject by subject.
//
// Baselines are ignored: a known failure counts as a failure. An expectation
// broke if it did not fail in the old result and fails in the new one, and was
// fixed if it failed and passes now. Only cases with the same content in both
// results are compared that way; failures in added or edited cases are listed
// separately. Timeouts that no baseline lists, and queries that a lost subject
// did not answer, usually depend on the machine, so they are counted but not
// compared.
type Comparison struct {
	// Format is the version of the JSON format, 1.
	Format         int         `json:"format"`
	Old            ComparedRun `json:"old"`
	New            ComparedRun `json:"new"`
	Interpretation string      `json:"interpretation"`
	// Transforms are the transforms of both runs; none means unchanged cases.
	Transforms []string `json:"transforms,omitempty"`
	// FailOn is the lowest level at which a regression counts.
	FailOn spec.Level `json:"fail_on"`
	// AddedSubjects are only in the new result, RemovedSubjects only in the old
	// one.
	AddedSubjects   []string `json:"added_subjects,omitempty"`
	RemovedSubjects []string `json:"removed_subjects,omitempty"`
	// AddedCases and RemovedCases are the IDs of cases that are in only one
	// result, EditedCases those of cases whose content changed, in the order of
	// the results.
	AddedCases   []string `json:"added_cases,omitempty"`
	RemovedCases []string `json:"removed_cases,omitempty"`
	EditedCases  []string `json:"edited_cases,omitempty"`
	// Subjects are the subjects in both results, in the order of the new one.
	Subjects []SubjectComparison `json:"subjects"`
}

// A ComparedRun describes one of the two results.
type ComparedRun struct {
	// File is the file of the result; Compare leaves it empty.
	File    string    `json:"file,omitempty"`
	Version string    `json:"version"`
	Started time.Time `json:"started"`
	CaseSet string    `json:"case_set"`
	Set     string    `json:"set,omitempty"`
	Cases   int       `json:"cases"`
}

// A SubjectComparison holds the changes for one subject.
type SubjectComparison struct {
	Name string     `json:"name"`
	Old  SubjectRun `json:"old"`
	New  SubjectRun `json:"new"`
	// Compared counts the expectations that were compared.
	Compared int `json:"compared"`
	// Unasked counts expectations that only one of the runs included although
	// both have the case, because of a frozen set or an interrupt.
	Unasked int `json:"unasked,omitempty"`
	// Broke lists expectations that did not fail in the old result and fail in
	// the new one; Fixed those that failed and now pass; Changed those that got
	// another verdict but neither broke nor were fixed. NewFailures lists
	// failures in cases that were added or edited.
	Broke       []Change `json:"broke,omitempty"`
	Fixed       []Change `json:"fixed,omitempty"`
	Changed     []Change `json:"changed,omitempty"`
	NewFailures []Change `json:"new_failures,omitempty"`
}

// A SubjectRun summarizes one of the results for a subject.
type SubjectRun struct {
	Version string `json:"version,omitempty"`
	Lost    string `json:"lost,omitempty"`
	// Timeouts and Unanswered count the expectations that are not compared for
	// these reasons.
	Timeouts   int `json:"timeouts,omitempty"`
	Unanswered int `json:"unanswered,omitempty"`
}

// A Change is one expectation whose answer changed.
type Change struct {
	// Case is the case from the new result, with its file if either result has
	// it.
	Case *CaseResult
	// Old is nil if the case was added or edited.
	Old, New *Check
}

// A changeJSON is a Change as JSON. Agent and URL are in octet notation, because
// they may not be UTF-8.
type changeJSON struct {
	Case  string       `json:"case"`
	Pos   string       `json:"pos"`
	Level spec.Level   `json:"level,omitempty"`
	Point string       `json:"point,omitempty"`
	Agent string       `json:"agent"`
	URL   string       `json:"url"`
	Want  spec.Verdict `json:"want,omitempty"`
	Old   *answerState `json:"old,omitempty"`
	New   *answerState `json:"new"`
	Why   string       `json:"why,omitempty"`
}

// An answerState is the part of a Check that describes the answer.
type answerState struct {
	Status  Status       `json:"status"`
	Verdict spec.Verdict `json:"verdict"`
	Detail  string       `json:"detail,omitempty"`
	Reason  string       `json:"reason,omitempty"`
}

// MarshalJSON writes the query, the expected verdict and both answers.
func (c Change) MarshalJSON() ([]byte, error) {
	state := func(check *Check) *answerState {
		if check == nil {
			return nil
		}
		return &answerState{check.Status, check.Got.Verdict, check.Got.Detail, check.Reason}
	}
	out := changeJSON{
		Case: c.Case.ID, Pos: c.Case.Pos, Level: c.Case.Level, Point: c.Case.Point,
		Agent: spec.EncodeInline(c.New.Agent), URL: spec.EncodeInline(c.New.URL), Want: c.New.Want,
		Old: state(c.Old), New: state(c.New), Why: c.New.Why,
	}
	if out.Why == "" && c.Old != nil {
		out.Why = c.Old.Why
	}
	return json.Marshal(out)
}

// Regressions counts the expectations that broke at the level FailOn or above.
func (c *Comparison) Regressions() int {
	n := 0
	for i := range c.Subjects {
		for _, change := range c.Subjects[i].Broke {
			if change.Case.Counts(c.FailOn) {
				n++
			}
		}
	}
	return n
}

// Lost returns the subjects that answered in the old result and were lost in
// the new one.
func (c *Comparison) Lost() []SubjectComparison {
	var lost []SubjectComparison
	for _, s := range c.Subjects {
		if s.New.Lost != "" && s.Old.Lost == "" {
			lost = append(lost, s)
		}
	}
	return lost
}

// Compare compares two results. failOn is the lowest level at which a regression
// counts; "" means SHOULD. Compare returns an error if the results cannot be
// compared: if they judge by different interpretations, ran different transforms,
// share no subject or no case, or do not show whether their cases are the same.
func Compare(old, new *Result, failOn spec.Level) (*Comparison, error) {
	if failOn == "" {
		failOn = spec.Should
	}
	if old.Interpretation != new.Interpretation {
		return nil, fmt.Errorf("the old result judges by %s, the new one by %s: run both with the same --interpretation", old.Interpretation, new.Interpretation)
	}
	transforms := transformsOf(old)
	if other := transformsOf(new); !slices.Equal(transforms, other) {
		return nil, fmt.Errorf("the old result holds %s, the new one %s: run both with the same --transform",
			describeTransforms(transforms), describeTransforms(other))
	}
	c := &comparer{sameSet: old.CaseSet == new.CaseSet, cases: old.byID()}
	if err := cmp.Or(c.check("new", new), c.check("old", old)); err != nil {
		return nil, err
	}
	out := &Comparison{
		Format: 1, Old: comparedRun(old), New: comparedRun(new), Interpretation: new.Interpretation, Transforms: transforms, FailOn: failOn,
		AddedSubjects: notIn(new.Subjects, old.Subjects, subjectName), RemovedSubjects: notIn(old.Subjects, new.Subjects, subjectName),
		AddedCases: notIn(new.Cases, old.Cases, caseID), RemovedCases: notIn(old.Cases, new.Cases, caseID),
	}
	for i := range new.Cases {
		if was := c.cases[new.Cases[i].ID]; was != nil && !c.same(was, &new.Cases[i]) {
			out.EditedCases = append(out.EditedCases, was.ID)
		}
	}
	for i := range new.Subjects {
		s := &new.Subjects[i]
		if at := slices.IndexFunc(old.Subjects, func(o SubjectResult) bool { return o.Name == s.Name }); at >= 0 {
			out.Subjects = append(out.Subjects, c.compareSubject(&old.Subjects[at], s, new))
		}
	}
	if len(out.Subjects) == 0 {
		return nil, fmt.Errorf("the results have no parser in common: the old one has %s, the new one %s",
			strings.Join(out.RemovedSubjects, ", "), strings.Join(out.AddedSubjects, ", "))
	}
	if !slices.ContainsFunc(out.Subjects, SubjectComparison.any) {
		return nil, fmt.Errorf("the results have no expectation in common: run the same cases for both")
	}
	return out, nil
}

// any reports whether both runs sent at least one query to the subject. A lost
// subject may have answered none.
func (s SubjectComparison) any() bool {
	return s.Compared+s.Old.Timeouts+s.New.Timeouts > 0 || s.Old.Lost != "" || s.New.Lost != ""
}

func comparedRun(r *Result) ComparedRun {
	return ComparedRun{Version: r.Version, Started: r.Started, CaseSet: r.CaseSet, Set: r.Set, Cases: len(r.Cases)}
}

// transformsOf returns the transforms of the result's cases, sorted; "" means
// unchanged cases.
func transformsOf(r *Result) []string {
	var ids []string
	for i := range r.Cases {
		if id := r.Cases[i].Transform; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	if slices.Equal(ids, []string{""}) {
		return nil
	}
	return ids
}

func describeTransforms(ids []string) string {
	if len(ids) == 0 {
		return "cases that are not transformed"
	}
	return "cases transformed by " + strings.Join(ids, ", ")
}

func subjectName(s SubjectResult) string { return s.Name }
func caseID(c CaseResult) string         { return c.ID }

// notIn returns the names of those elements of a that b does not have.
func notIn[E any](a, b []E, name func(E) string) (names []string) {
	has := map[string]bool{}
	for _, e := range b {
		has[name(e)] = true
	}
	for _, e := range a {
		if !has[name(e)] {
			names = append(names, name(e))
		}
	}
	return names
}

// A comparer holds the cases of the old result by ID.
type comparer struct {
	// sameSet is set if both results ran on the same cases; then even cases
	// without a hash are the same.
	sameSet bool
	cases   map[string]*CaseResult
}

// check returns an error if the result has two cases or two subjects of the same
// name, or a case that cannot be compared.
func (c *comparer) check(which string, r *Result) error {
	subjects, cases := map[string]bool{}, map[string]bool{}
	for i := range r.Subjects {
		name := r.Subjects[i].Name
		if subjects[name] {
			return fmt.Errorf("the %s result has two parsers named %q", which, name)
		}
		subjects[name] = true
	}
	for i := range r.Cases {
		id := r.Cases[i].ID
		if cases[id] {
			return fmt.Errorf("the %s result has the case %s twice", which, id)
		}
		if r.Cases[i].Hash == "" && !c.sameSet {
			return fmt.Errorf("the %s result does not tell which cases were edited: it has no hash of case %s; run it again with this version of repcheck", which, id)
		}
		cases[id] = true
	}
	return nil
}

// same reports whether the case has the same content in both results.
func (c *comparer) same(old, new *CaseResult) bool {
	return old.Hash == new.Hash || c.sameSet && (old.Hash == "" || new.Hash == "")
}

// outcome returns the checks of a subject in a case, nil if the case did not run.
func (c *CaseResult) outcome(subject string) []Check {
	i := slices.IndexFunc(c.Outcomes, func(o Outcome) bool { return o.Subject == subject })
	if i < 0 {
		return nil
	}
	return c.Outcomes[i].Checks
}

func (c *comparer) compareSubject(old, new *SubjectResult, result *Result) SubjectComparison {
	s := SubjectComparison{
		Name: new.Name, Old: SubjectRun{Version: old.Version, Lost: old.Lost}, New: SubjectRun{Version: new.Version, Lost: new.Lost},
	}
	for i := range result.Cases {
		now := &result.Cases[i]
		after := now.outcome(new.Name)
		was := c.cases[now.ID]
		if was == nil || !c.same(was, now) {
			s.newFailures(now, after)
			continue
		}
		before := was.outcome(old.Name)
		if len(before) != len(after) {
			s.Unasked += max(len(before), len(after))
			continue
		}
		if now.Robots == "" && was.Robots != "" {
			withFile := *now
			withFile.Robots = was.Robots
			now = &withFile
		}
		for k := range after {
			s.compare(now, &before[k], &after[k])
		}
	}
	return s
}

// newFailures lists the failures in a case that the old result does not have.
func (s *SubjectComparison) newFailures(c *CaseResult, checks []Check) {
	for k := range checks {
		if check := &checks[k]; !s.New.setAside(check) && check.Status >= Known {
			s.NewFailures = append(s.NewFailures, Change{Case: c, New: check})
		}
	}
}

// compare compares the answers to one expectation.
func (s *SubjectComparison) compare(c *CaseResult, old, new *Check) {
	if aside := s.Old.setAside(old); s.New.setAside(new) || aside {
		return
	}
	s.Compared++
	change := Change{Case: c, Old: old, New: new}
	switch {
	case old.Status < Known && new.Status >= Known:
		s.Broke = append(s.Broke, change)
	case old.Status >= Known && (new.Status == Pass || new.Status == Classified):
		s.Fixed = append(s.Fixed, change)
	case old.Got.Verdict != new.Got.Verdict:
		s.Changed = append(s.Changed, change)
	}
}

// setAside reports whether the check is excluded from comparison, and counts it
// if so.
func (r *SubjectRun) setAside(c *Check) bool {
	switch {
	case c.Status == Fail && c.Got.Verdict == spec.Timeout:
		r.Timeouts++
	case c.Status == Broken && r.Lost != "":
		r.Unanswered++
	default:
		return false
	}
	return true
}
