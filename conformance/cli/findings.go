package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/impl/subjects"
	"github.com/repcheck/repcheck/impl/subjects/adapters"
	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/spec"
)

func newFindings(e *env) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "findings",
		Short: "List, show, promote or prune what fuzzing found",
		Long: `Findings are what fuzzing recorded, one file each: a way in which parsers depart
from the reference, a crash, a hang, with the smallest witness seen. Those that
nothing explains come first in every list.

The files of several folders become one collection by copying them into one:
the same finding has the same name everywhere. Where both have it, fuzzing with
one and then the other as --dir adds up the counts.`,
	}
	cmd.PersistentFlags().StringVar(&dir, "dir", defaultDir, "`folder` of the findings")
	cmd.AddCommand(newFindingsList(e, &dir), newFindingsShow(e, &dir), newFindingsPromote(e, &dir), newFindingsPrune(e, &dir))
	return cmd
}

func newFindingsList(e *env, dir *string) *cobra.Command {
	var format, kind string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the findings, the unexplained first",
		Example: `  repcheck findings list
  repcheck findings list --kind unexplained`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return e.listFindings(*dir, format, kind) },
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	cmd.Flags().StringVar(&kind, "kind", "", "only those of this `kind`: "+strings.Join(kindNames(), ", "))
	return cmd
}

func kindNames() (names []string) {
	for _, k := range fuzz.Kinds {
		names = append(names, string(k))
	}
	return names
}

func newFindingsShow(e *env, dir *string) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "show id",
		Short:   "Show a finding: witness, answers, explanation, and how to ask again",
		Example: "  repcheck findings show 3f2a",
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return e.showFinding(*dir, format, args[0]) },
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

func openFindings(dir string) (*fuzz.Store, error) {
	if !fileExists(dir) {
		return nil, fmt.Errorf("there are no findings in %s: make some with repcheck fuzz --time 60s --dir %s, or name their folder with --dir", dir, dir)
	}
	return fuzz.OpenStore(dir)
}

func (e *env) listFindings(dir, format, kind string) error {
	if err := oneOf("format", format, "text", "json"); err != nil {
		return err
	}
	if kind != "" {
		if err := oneOf("kind", kind, kindNames()...); err != nil {
			return err
		}
	}
	color, err := e.colors(e.stdout)
	if err != nil {
		return err
	}
	store, err := openFindings(dir)
	if err != nil {
		return err
	}
	findings, listErr := store.List()
	findings = slices.DeleteFunc(findings, func(f fuzz.Finding) bool { return kind != "" && string(f.Kind) != kind })
	err = e.writeAs(format, "", func(w io.Writer) error {
		if format == "json" {
			return reports.WriteJSON(w, findings)
		}
		return reports.FindingsList(w, findings, reports.TextOptions{Color: color})
	})
	if err != nil {
		return err
	}
	return listErr
}

func (e *env) showFinding(dir, format, id string) error {
	if err := oneOf("format", format, "text", "json"); err != nil {
		return err
	}
	color, err := e.colors(e.stdout)
	if err != nil {
		return err
	}
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
	return e.writeAs(format, "", func(w io.Writer) error {
		if format == "json" {
			return reports.WriteJSON(w, f)
		}
		x := explanation{robots: f.Witness.Robots, probe: f.Witness.Probe, style: style(color)}
		x.finding(w, &f, data)
		if err := x.write(w, spec.Interpretations[0]); err != nil {
			return err
		}
		fmt.Fprintf(w, "\nAsk again: %s\n", x.bold(reports.FindingCommand(named(dir), &f)))
		for _, name := range ownParsers(&f) {
			fmt.Fprintf(w, "%s does not come with repcheck, and the finding does not say how it was started: leave it out of --impl, and add --adapter or --command with its command.\n", name)
		}
		return nil
	})
}

// ownParsers are the subjects of a finding that repcheck can open neither by name
// nor by flags that the finding recorded.
func ownParsers(f *fuzz.Finding) []string {
	return slices.DeleteFunc(f.Showing(), func(name string) bool {
		return slices.Contains(subjects.Names(), name) || adapters.Find(name) != nil ||
			slices.ContainsFunc(f.Answers, func(a fuzz.SubjectAnswer) bool { return a.Subject == name && len(a.Flags) > 0 })
	})
}

// finding shows what is known of one: who says what, and why.
func (x *explanation) finding(w io.Writer, f *fuzz.Finding, data *spec.Data) {
	fmt.Fprintf(w, "%s  %s\n", x.bold(f.ID()), x.bold(f.Title()))
	fmt.Fprintf(w, "%s; %d answers, first %s, last %s\n", f.Kind, f.Count(), f.First.Format("2006-01-02 15:04"), f.Last.Format("2006-01-02 15:04"))
	for _, flip := range f.Cause {
		x.flip(w, flip, data)
	}
	fmt.Fprintln(w)
	fmt.Fprintf(w, "%s asks for %s\n\n", spec.EncodeInline(f.Witness.Agent), spec.EncodeInline(f.Witness.URL))
	var answers []reports.SubjectAnswer
	for _, a := range f.Answers {
		answers = append(answers, reports.SubjectAnswer{SubjectInfo: spec.SubjectInfo{Name: a.Subject, Version: a.Version}, Answer: a.Answer})
	}
	x.answers(w, answers)
	fmt.Fprintln(w)
	fmt.Fprintf(w, "Votes by code base: %s\n\n", votesLine(f))
	for _, name := range slices.Sorted(maps.Keys(f.Causes)) {
		causes := f.Causes[name]
		if len(causes) == 0 {
			fmt.Fprintf(w, "  %s: no set of up to %d choices that was tried explains it\n", name, fuzz.MaxFlips)
		}
		for _, c := range causes {
			if len(c) > fuzz.MaxFlips {
				fmt.Fprintf(w, "  %s answers as the reference with %d choices at once, all of its fingerprint: %s\n", name, len(c), c)
				continue
			}
			fmt.Fprintf(w, "  %s answers as the reference with %s\n", name, c)
		}
	}
	if len(f.Hits) > 0 {
		fmt.Fprintf(w, "  seen from %s\n", hitsLine(f))
	}
	fmt.Fprintln(w)
}

// votesLine counts the independent code bases behind each verdict.
func votesLine(f *fuzz.Finding) string {
	var parts []string
	for _, class := range f.Signature().Classes {
		parts = append(parts, fmt.Sprintf("%s %d", class.Verdict, class.Voices))
	}
	return strings.Join(parts, ", ")
}

// flip says what a choice means, and of which requirements the point is.
func (x *explanation) flip(w io.Writer, flip fuzz.Change, data *spec.Data) {
	p := data.Point(flip.Point.String())
	if p == nil {
		return
	}
	fmt.Fprintf(w, "  %s: %s\n", flip.Point, p.Question)
	for _, c := range p.Choices {
		if c.ID == flip.ID() {
			fmt.Fprintf(w, "    %s: %s\n", c.ID, c.Means)
		}
	}
	fmt.Fprintf(w, "    %s\n", x.dim("RFC 9309 is read as "+p.Interpretations[spec.Interpretations[0]].Choice+"; "+
		strings.Join(p.Requirements, ", ")+" (repcheck explain "+p.ID+")"))
}

// hitsLine counts by subject, the most first.
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
