package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

func newExplain(e *env) *cobra.Command {
	f := &subjectFlags{}
	cmd := &cobra.Command{
		Use:   "explain id",
		Short: "Explain a case, a requirement or an open point",
		Long: `Explain shows a case with its file, what is expected and why, and what every
parser answers; a requirement with its cases; a point (or AMB-nn of the ambiguity
register) with its choices, what each interpretation chooses, and which choice
every parser takes.`,
		Example: `  repcheck explain precedence/longer-allow-wins
  repcheck explain RFC9309-2.2.2-4
  repcheck explain AMB-52`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return e.explain(cmd.Context(), f, args[0]) },
	}
	f.add(cmd)
	return cmd
}

func (e *env) explain(ctx context.Context, f *subjectFlags, id string) error {
	color, err := e.colors(e.stdout)
	if err != nil {
		return err
	}
	data, err := e.data()
	if err != nil {
		return err
	}
	subjects, closeAll, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer closeAll()
	e.tellSkipped(f.skipped)
	x := &explainer{env: e, ctx: ctx, data: data, subjects: subjects, interpretation: f.interpretation, style: style(color)}
	return e.write("", func(w io.Writer) error {
		switch {
		case data.Case(id) != nil:
			return x.aCase(w, data.Case(id))
		case data.Requirement(id) != nil:
			return x.requirement(w, data.Requirement(id))
		}
		points := x.points(id)
		if len(points) == 0 {
			return fmt.Errorf("nothing is called %q%s: repcheck list shows cases, --what requirements and --what points the rest", id, x.near(id))
		}
		for _, p := range points {
			if err := x.point(w, p); err != nil {
				return err
			}
		}
		return nil
	})
}

type explainer struct {
	env            *env
	ctx            context.Context
	data           *spec.Data
	subjects       []impl.Subject
	interpretation string
	// profiles are made when a point is explained first.
	profiles *conformance.Profiles
	style
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

func (x *explainer) near(id string) string {
	var names []string
	for _, c := range x.data.Cases {
		names = append(names, c.ID)
	}
	for _, q := range x.data.Requirements {
		names = append(names, q.ID)
	}
	for _, p := range x.data.Points {
		names = append(append(names, p.ID), p.Ambiguities...)
	}
	if near := spec.Nearest(id, names); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// aCase shows a case: the file, and for each expectation what is wanted, why,
// and who says what.
func (x *explainer) aCase(w io.Writer, c *spec.Case) error {
	kind := string(c.Level)
	if c.Classifies() {
		kind = "classifies the point " + c.Point
	}
	fmt.Fprintf(w, "%s (section %s, %s)\n%s\n", x.bold(c.ID), c.Section, kind, c.Rationale)
	for _, id := range c.Requirements {
		if q := x.data.Requirement(id); q != nil {
			fmt.Fprintf(w, "  %s, %s: %s\n", q.ID, q.Level, q.Text)
		}
	}
	fmt.Fprintf(w, "%s\n\n", x.dim(c.Pos))
	probes := make([]spec.Probe, len(c.Expect))
	for i, e := range c.Expect {
		probes[i] = e.Probe
	}
	answers := make([][]spec.Answer, len(x.subjects))
	for i, s := range x.subjects {
		answers[i] = s.Ask(x.ctx, c.Robots, probes)
	}
	for i := range c.Expect {
		e := &c.Expect[i]
		one := explanation{robots: c.Robots, probe: e.Probe, style: x.style}
		trace := one.trace(x.interpretation)
		if i == 0 {
			one.file(w, trace)
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s\n", x.bold(spec.EncodeInline(e.Agent)+" asks for "+spec.EncodeInline(e.URL)), x.wanted(e))
		fmt.Fprintf(w, "  the reference: %s, as %s\n", verdictOf(trace), trace.Why())
		var table []answered
		for k, s := range x.subjects {
			table = append(table, answered{s.Info(), answers[k][i]})
		}
		one.answers(w, table)
		fmt.Fprintln(w)
	}
	return nil
}

// wanted says what an expectation asks for.
func (x *explainer) wanted(e *spec.Expectation) string {
	var words []string
	if e.Verdict != "" {
		words = append(words, "must "+string(e.Verdict))
	}
	for _, name := range spec.Interpretations {
		if v, ok := e.Under[name]; ok {
			words = append(words, fmt.Sprintf("%s under %s", v, name))
		}
	}
	for _, choice := range sortedKeys(e.Choices) {
		words = append(words, fmt.Sprintf("%s is %s", e.Choices[choice], choice))
	}
	return strings.Join(words, ", ")
}

func sortedKeys(m map[string]spec.Verdict) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// requirement shows a requirement and the cases that test it.
func (x *explainer) requirement(w io.Writer, q *spec.Requirement) error {
	fmt.Fprintf(w, "%s (%s section %s, %s, %s)\n%s\n", x.bold(q.ID), q.Document, q.Section, q.Level, q.Layer, q.Text)
	for _, note := range q.Notes {
		fmt.Fprintf(w, "  note: %s\n", note)
	}
	if q.Untested != "" {
		fmt.Fprintf(w, "  no case tests it (%s)\n", q.Untested)
	}
	fmt.Fprintf(w, "%s\n\n", x.dim(q.Pos))
	for i := range x.data.Cases {
		c := &x.data.Cases[i]
		if slices.Contains(c.Requirements, q.ID) {
			fmt.Fprintf(w, "  %-44s %s\n", c.ID, c.Rationale)
		}
	}
	return nil
}

// point shows a point: its choices, who chooses what and why, and which choice
// every subject takes.
func (x *explainer) point(w io.Writer, p *spec.Point) error {
	fmt.Fprintf(w, "%s (stage %s%s)\n%s\n\n%s\n\n", x.bold(p.ID), p.Stage, ambiguities(p), p.Question, wrap(p.Text, 96))
	for _, c := range p.Choices {
		fmt.Fprintf(w, "  %-22s %s\n", c.ID, c.Means)
	}
	fmt.Fprintln(w)
	for _, name := range spec.Interpretations {
		chosen := p.Interpretations[name]
		fmt.Fprintf(w, "  %-14s %-22s %s\n", name, chosen.Choice, x.dim(chosen.Because))
	}
	fmt.Fprintln(w)
	if err := x.taken(w, p); err != nil {
		return err
	}
	for _, link := range p.Links {
		fmt.Fprintf(w, "  %s\n", link)
	}
	fmt.Fprintf(w, "%s\n", x.dim(p.Pos))
	return nil
}

func ambiguities(p *spec.Point) string {
	if len(p.Ambiguities) == 0 {
		return ""
	}
	return ", " + strings.Join(p.Ambiguities, ", ")
}

// taken shows which choice each subject takes, and the cases that ask for it.
func (x *explainer) taken(w io.Writer, p *spec.Point) error {
	if x.profiles == nil {
		all, err := x.env.profiles(x.ctx, x.data, x.subjects)
		if err != nil {
			return err
		}
		x.profiles = all
	}
	at := slices.IndexFunc(x.profiles.Points, func(known conformance.ProfiledPoint) bool { return known.ID == p.ID })
	if at < 0 {
		fmt.Fprintf(w, "Nobody's choice can be told: %s\n\n", p.Outside)
		return nil
	}
	for i := range x.profiles.Subjects {
		s := &x.profiles.Subjects[i]
		fmt.Fprintf(w, "  %-14s %s\n", s.Name, x.choice(&s.Points[at]))
	}
	fmt.Fprintln(w)
	for _, c := range x.data.Cases {
		if c.Point == p.ID {
			fmt.Fprintf(w, "  %-44s %s\n", c.ID, x.dim(c.Rationale))
		}
	}
	fmt.Fprintln(w)
	return nil
}

// choice says what a subject does at a point and how many answers say so; where
// no one choice gives them all, with an answer that speaks against it.
func (x *explainer) choice(p *conformance.PointProfile) string {
	if len(p.Choices) == 0 {
		return x.dim(p.String())
	}
	fit := fmt.Sprintf("(%d of %d answers)", p.Agree, p.Total)
	if p.Status == conformance.Inconsistent && len(p.Against) > 0 {
		against := p.Against[0]
		fit = fmt.Sprintf("(%d of %d answers, but %s on %s %s as %s)", p.Agree, p.Total, against.Got, against.Case,
			against.Probe, strings.Join(against.Fits, " or "))
	}
	return fmt.Sprintf("%-22s %s", p, x.dim(fit))
}

// wrap breaks text into lines of at most so many columns.
func wrap(text string, columns int) string {
	var b strings.Builder
	at := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case at+1+len(word) > columns:
			b.WriteByte('\n')
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += len(word)
	}
	return b.String()
}
