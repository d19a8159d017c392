package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

type explainFlags struct {
	subjectFlags
	outputFlags
}

func newExplain(e *env) *cobra.Command {
	f := &explainFlags{}
	cmd := &cobra.Command{
		Use:   "explain id",
		Short: "Explain a case, a requirement or an interpretation point",
		Long: `Explain shows a case with its file, the expected verdicts, the reasons for them,
and the answer of every parser; a requirement with its cases; or a point (also as
AMB-nn of the ambiguity register) with its choices, the choice of each
interpretation, and the choice of every parser.`,
		Example: `  repcheck explain precedence/longer-allow-wins
  repcheck explain RFC9309-2.2.2-4
  repcheck explain AMB-52
  repcheck explain tie --impl none --adapter 'python3 my_adapter.py' --format markdown`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: offer(e.offerIDs(explainedIDs)),
		RunE:              func(cmd *cobra.Command, args []string) error { return e.explain(cmd.Context(), f, args[0]) },
	}
	f.subjectFlags.add(cmd)
	f.addFormat(cmd, "", documentFormats...)
	return cmd
}

func (e *env) explain(ctx context.Context, f *explainFlags, id string) error {
	data, err := e.data()
	if err != nil {
		return err
	}
	x := &explainer{env: e, ctx: ctx, data: data, interpretation: f.interpretation}
	explained := &reports.Explanation{}
	write := func() error {
		return e.writeReport(&f.outputFlags, report{result: explained, document: func() doc.Document { return reports.Explain(explained) }})
	}
	if q := data.Requirement(id); q != nil {
		explained.Requirement = x.requirement(q)
		return write()
	}
	points := x.points(id)
	if data.Case(id) == nil && len(points) == 0 {
		return fmt.Errorf("nothing is called %q%s: repcheck list shows cases, --what requirements and --what points the rest", id, spec.DidYouMean(id, explainedIDs(data)))
	}
	subjects, closeAll, err := e.open(ctx, &f.subjectFlags)
	if err != nil {
		return err
	}
	defer closeAll()
	x.subjects = subjects
	if c := data.Case(id); c != nil {
		explained.Case, err = x.aCase(c)
	} else {
		explained.Points, err = x.explainPoints(points)
	}
	if err != nil {
		return err
	}
	if err := write(); err != nil {
		return err
	}
	return lostSubjects(subjects)
}

// An explainer builds explanations.
type explainer struct {
	env            *env
	ctx            context.Context
	data           *spec.Data
	subjects       []impl.Subject
	interpretation string
}

func (x *explainer) points(id string) []*spec.Point {
	var points []*spec.Point
	for i := range x.data.Points {
		p := &x.data.Points[i]
		if p.ID == id || slices.Contains(p.Ambiguities, id) {
			points = append(points, p)
		}
	}
	return points
}

// explainedIDs returns the IDs that explain knows.
func explainedIDs(data *spec.Data) []string {
	ids := caseIDs(data)
	for _, q := range data.Requirements {
		ids = append(ids, q.ID)
	}
	for _, p := range data.Points {
		ids = append(append(ids, p.ID), p.Ambiguities...)
	}
	return ids
}

// aCase explains a case: for each expectation the expected verdict, the reason,
// and the answer of every parser.
func (x *explainer) aCase(c *spec.Case) (*reports.CaseExplanation, error) {
	explained := &reports.CaseExplanation{
		Case: c, Source: c.Pos, Text: spec.EncodeOctets(c.Robots),
	}
	for _, id := range c.Requirements {
		if q := x.data.Requirement(id); q != nil {
			explained.Requirements = append(explained.Requirements, reports.NewRequirementExplanation(q))
		}
	}
	probes := make([]spec.Probe, len(c.Expect))
	for i, e := range c.Expect {
		probes[i] = e.Probe
	}
	answers, err := askAll(x.ctx, x.subjects, c.Robots, probes)
	if err != nil {
		return nil, err
	}
	for i := range c.Expect {
		e := &c.Expect[i]
		one := explanation{robots: c.Robots, probe: e.Probe}
		trace := one.trace(x.interpretation)
		expectation := reports.ExpectationExplanation{
			Agent: spec.EncodeInline(e.Agent), URL: spec.EncodeInline(e.URL),
			Expected: expected(e), Reference: verdictOf(trace), Line: decidingLine(trace), Why: trace.Why(),
		}
		for k, s := range x.subjects {
			expectation.Answers = append(expectation.Answers, reports.SubjectAnswer{SubjectInfo: s.Info(), Answer: answers[k][i]})
		}
		explained.Expect = append(explained.Expect, expectation)
	}
	return explained, nil
}

// expected describes an expectation.
func expected(e *spec.Expectation) string {
	var words []string
	if e.Verdict != "" {
		words = append(words, "must "+string(e.Verdict))
	}
	for _, name := range spec.Interpretations {
		if v, ok := e.Under[name]; ok {
			words = append(words, fmt.Sprintf("%s under %s", v, name))
		}
	}
	for _, choice := range slices.Sorted(maps.Keys(e.Choices)) {
		words = append(words, fmt.Sprintf("%s is %s", e.Choices[choice], choice))
	}
	return strings.Join(words, ", ")
}

// requirement explains a requirement with the cases that test it.
func (x *explainer) requirement(q *spec.Requirement) *reports.RequirementExplanation {
	explained := reports.NewRequirementExplanation(q)
	explained.Cases = x.casesOf(func(c *spec.Case) bool { return slices.Contains(c.Requirements, q.ID) })
	return &explained
}

func (x *explainer) casesOf(of func(*spec.Case) bool) (lines []reports.CaseLine) {
	for i := range x.data.Cases {
		if c := &x.data.Cases[i]; of(c) {
			lines = append(lines, reports.CaseLine{ID: c.ID, Rationale: c.Rationale})
		}
	}
	return lines
}

// explainPoints explains points: their choices, the choice of each interpretation
// with the reason, and the choice of every subject.
func (x *explainer) explainPoints(points []*spec.Point) ([]reports.PointExplanation, error) {
	profiles := &conformance.Profiles{}
	if slices.ContainsFunc(points, func(p *spec.Point) bool { return p.Outside == "" }) {
		var err error
		if profiles, err = x.env.profiles(x.ctx, x.data, x.subjects, conformance.ProfileOptions{}); err != nil {
			return nil, err
		}
	}
	var all []reports.PointExplanation
	for _, p := range points {
		explained := reports.PointExplanation{
			Point: p, Source: p.Pos, Cases: x.casesOf(func(c *spec.Case) bool { return c.Point == p.ID }),
		}
		for _, name := range spec.Interpretations {
			explained.Interpretations = append(explained.Interpretations, reports.InterpretedChoice{Interpretation: name, Chosen: p.Interpretations[name]})
		}
		at := slices.IndexFunc(profiles.Points, func(known conformance.ProfiledPoint) bool { return known.ID == p.ID })
		for i := range profiles.Subjects {
			if s := &profiles.Subjects[i]; at >= 0 {
				choice, fit := taken(&s.Points[at])
				explained.Subjects = append(explained.Subjects, reports.SubjectChoice{Subject: s.Name, Choice: choice, Fit: fit})
			}
		}
		all = append(all, explained)
	}
	return all, nil
}

// taken returns the choice of a subject at a point, and how many answers fit it.
// If no single choice gives all answers, fit includes an answer that contradicts
// it.
func taken(p *conformance.PointProfile) (choice, fit string) {
	if len(p.Choices) == 0 {
		return p.String(), ""
	}
	fit = fmt.Sprintf("%d of %d answers", p.Agree, p.Total)
	if p.Status == conformance.Inconsistent && len(p.Against) > 0 {
		against := p.Against[0]
		fit = fmt.Sprintf("%d of %d answers, but %s on %s %s as %s", p.Agree, p.Total, against.Got, against.Case,
			against.Probe, strings.Join(against.Fits, " or "))
	}
	return p.String(), fit
}
