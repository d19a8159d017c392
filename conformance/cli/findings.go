package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/impl/subjects"
	"github.com/repcheck/repcheck/impl/subjects/adapters"
	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

func newFindings(e *env) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "findings",
		Short: "List, show, promote or prune what fuzzing found",
		Long: `Findings are recorded by fuzzing, one file each: a way in which parsers disagree
with the reference, a crash or a timeout, with the smallest witness seen.
Unexplained findings come first in every list.

To merge folders of findings, copy their files into one folder: the same finding
has the same name everywhere. If a finding is in several folders, the last copy is
kept, and its counts are not added up.`,
	}
	cmd.PersistentFlags().StringVar(&dir, "dir", defaultDir, "`folder` of the findings")
	cmd.AddCommand(newFindingsList(e, &dir), newFindingsShow(e, &dir), newFindingsPromote(e, &dir), newFindingsPrune(e, &dir))
	return cmd
}

func newFindingsList(e *env, dir *string) *cobra.Command {
	f := &listFindingsFlags{outputFlags: outputFlags{width: campaignWidth}}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the findings, the unexplained first",
		Long: `List lists findings, one per line, the unexplained first. Without flags that select
findings, the text has the first few of each kind about parsers that share code.`,
		Example: `  repcheck findings list
  repcheck findings list --kind unexplained
  repcheck findings list --parser temoto --point tie`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return e.listFindings(*dir, f) },
	}
	f.addFormat(cmd, "", "text", "json")
	addChoice(cmd, &f.kind, "kind", "list only findings of this `kind`:", kindNames()...)
	cmd.Flags().StringVar(&f.parser, "parser", "", "list only findings that the parser with this `name` shows")
	cmd.Flags().StringVar(&f.point, "point", "", "list only findings explained by a choice of this `point`")
	return cmd
}

// listFindingsFlags select the findings of a list; empty ones select all.
type listFindingsFlags struct {
	outputFlags
	kind, parser, point string
}

func (f *listFindingsFlags) selects(of fuzz.Finding) bool {
	return (f.kind == "" || string(of.Kind) == f.kind) && (f.parser == "" || of.Hits[f.parser] > 0) &&
		(f.point == "" || slices.ContainsFunc(of.Cause, func(c fuzz.Change) bool { return c.Point.String() == f.point }))
}

func kindNames() (names []string) {
	for _, k := range fuzz.Kinds {
		names = append(names, string(k))
	}
	return names
}

func newFindingsShow(e *env, dir *string) *cobra.Command {
	// The command that repeats the query must be on one line, for any width of
	// the terminal.
	f := outputFlags{width: -1}
	cmd := &cobra.Command{
		Use:     "show id",
		Short:   "Show a finding: witness, answers, explanation, and the command to repeat it",
		Example: "  repcheck findings show 3f2a",
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return e.showFinding(&f, *dir, args[0]) },
	}
	f.addFormat(cmd, "", documentFormats...)
	return cmd
}

func openFindings(dir string) (*fuzz.Store, error) {
	if !fileExists(dir) {
		return nil, fmt.Errorf("there are no findings in %s: make some with repcheck fuzz --time 60s --dir %s, or name their folder with --dir", dir, dir)
	}
	return fuzz.OpenStore(dir)
}

func (e *env) listFindings(dir string, f *listFindingsFlags) error {
	store, err := openFindings(dir)
	if err != nil {
		return err
	}
	findings, listErr := store.List()
	findings = slices.DeleteFunc(findings, func(of fuzz.Finding) bool { return !f.selects(of) })
	err = e.writeReport(&f.outputFlags, report{result: findings, document: func() doc.Document { return reports.FindingsList(findings, f.kind+f.parser+f.point == "") }})
	return cmp.Or(err, listErr)
}

func (e *env) showFinding(to *outputFlags, dir, id string) error {
	data, err := e.data()
	if err != nil {
		return err
	}
	store, err := openFindings(dir)
	if err != nil {
		return err
	}
	f, err := store.Get(id)
	if err != nil {
		return err
	}
	return e.writeReport(to, report{result: f, document: func() doc.Document {
		report := findingReport(&f, data)
		report = append(report, doc.Heading{Level: 2, Text: doc.T("Repeat the query:")}, doc.Code{Text: reports.FindingCommand(named(dir), &f), Shell: true})
		for _, name := range ownParsers(&f) {
			report = append(report, doc.P("%s does not come with repcheck, and the finding does not say how it was started: leave it out of --impl, and add --adapter or --command with its command.", name))
		}
		return report
	}})
}

// ownParsers returns the subjects of a finding that repcheck can open neither by
// name nor by recorded flags.
func ownParsers(f *fuzz.Finding) []string {
	return slices.DeleteFunc(f.Showing(), func(name string) bool {
		_, ok, _ := subjects.Canonical(name)
		return ok || adapters.Find(name) != nil ||
			slices.ContainsFunc(f.Answers, func(a fuzz.SubjectAnswer) bool { return a.Subject == name && len(a.Flags) > 0 })
	})
}

// findingReport shows a finding in full: the answer of every parser, and the
// reason for it.
func findingReport(f *fuzz.Finding, data *spec.Data) doc.Document {
	x := explanation{robots: f.Witness.Robots, probe: f.Witness.Probe}
	report := doc.Document{
		doc.Heading{Level: 1, Text: doc.T("%s  %s", f.ID(), f.Title())},
		doc.P("%s; %d answers, first %s, last %s", f.Kind, f.Count(), f.First.Format("2006-01-02 15:04"), f.Last.Format("2006-01-02 15:04")),
	}
	var choices []doc.Item
	for _, change := range f.Cause {
		choices = append(choices, choiceItems(change, data)...)
	}
	var answers []reports.SubjectAnswer
	for _, a := range f.Answers {
		answers = append(answers, reports.SubjectAnswer{SubjectInfo: spec.SubjectInfo{Name: a.Subject, Version: a.Version}, Answer: a.Answer})
	}
	report = append(report, doc.List{Items: choices}, doc.Heading{Level: 2, Text: x.query()})
	report = append(append(report, reports.Answers(answers)...), doc.P("Votes by code base: %s", votesLine(f)))
	var causes []doc.Item
	add := func(format string, args ...any) { causes = append(causes, doc.Item{Text: doc.T(format, args...)}) }
	for _, name := range slices.Sorted(maps.Keys(f.Causes)) {
		if len(f.Causes[name]) == 0 {
			add("%s: no set of up to %d choices that was tried explains it", name, fuzz.MaxDeviations)
		}
		for _, c := range f.Causes[name] {
			if len(c) > fuzz.MaxDeviations {
				add("%s answers as the reference with %d choices at once, all of its fingerprint: %s", name, len(c), c)
				continue
			}
			add("%s answers as the reference with %s", name, c)
		}
	}
	if len(f.Hits) > 0 {
		add("seen from %s", hitsLine(f))
	}
	report = append(report, doc.List{Items: causes})
	report = append(report, reports.Experiments(f)...)
	return append(report, x.report(spec.Interpretations[0])...)
}

// votesLine counts the lineages that gave each verdict.
func votesLine(f *fuzz.Finding) string {
	var parts []string
	for _, vote := range f.Votes() {
		parts = append(parts, fmt.Sprintf("%s %d", vote.Verdict, vote.Lineages))
	}
	return strings.Join(parts, ", ")
}

// choiceItems describes a changed choice, and the requirements of its point.
func choiceItems(change fuzz.Change, data *spec.Data) []doc.Item {
	p := data.Point(change.Point.String())
	if p == nil {
		return nil
	}
	var body doc.Document
	for _, c := range p.Choices {
		if c.ID == change.ID() {
			body = append(body, doc.P("%s: %s", c.ID, c.Means))
		}
	}
	body = append(body, doc.Para{Text: doc.In(doc.Faint, "RFC 9309 is read as %s; %s (repcheck explain %s)",
		p.Interpretations[spec.Interpretations[0]].Choice, strings.Join(p.Requirements, ", "), p.ID)})
	return []doc.Item{{Text: doc.T("%s: %s", change.Point, p.Question), Body: body}}
}

// hitsLine lists the hits by subject, the largest number first.
func hitsLine(f *fuzz.Finding) string {
	names := slices.SortedFunc(maps.Keys(f.Hits), func(a, b string) int {
		if f.Hits[a] != f.Hits[b] {
			return f.Hits[b] - f.Hits[a]
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, name := range names {
		part := fmt.Sprintf("%s (%d", name, f.Hits[name])
		if n := f.Beyond[name]; n > 0 {
			part += fmt.Sprintf(", %d beyond its fingerprint", n)
		}
		parts = append(parts, part+")")
	}
	return strings.Join(parts, ", ")
}
