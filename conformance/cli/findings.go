package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/spec"
)

func newFindings(e *env) *cobra.Command {
	var dir, format string
	cmd := &cobra.Command{
		Use:   "findings",
		Short: "List or show recorded disagreements",
		Long: `Findings are what fuzzing recorded: one file for each way in which the parsers
part, with the smallest witness seen.`,
	}
	cmd.PersistentFlags().StringVar(&dir, "dir", defaultDir, "`folder` of the findings")
	cmd.PersistentFlags().StringVar(&format, "format", "text", "text or json")
	list := &cobra.Command{
		Use:   "list",
		Short: "List the findings, the unexplained first",
		Example: `  go test -fuzz=FuzzDifferential -fuzztime=60s -fuzzminimizetime=0 ./fuzz
  repcheck findings list`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return e.listFindings(dir, format) },
	}
	show := &cobra.Command{
		Use:   "show id",
		Short: "Show a finding: witness, answers, explanation",
		Args:  cobra.ExactArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return e.showFinding(dir, format, args[0]) },
	}
	cmd.AddCommand(list, show)
	return cmd
}

func openFindings(dir, format string) (*fuzz.Store, error) {
	if err := oneOf("format", format, "text", "json"); err != nil {
		return nil, err
	}
	if !fileExists(dir) {
		return nil, fmt.Errorf("there are no findings in %s: make some with go test -fuzz=FuzzDifferential -fuzztime=60s -fuzzminimizetime=0 ./fuzz, or name their folder with --dir", dir)
	}
	return fuzz.OpenStore(dir)
}

func (e *env) listFindings(dir, format string) error {
	store, err := openFindings(dir, format)
	if err != nil {
		return err
	}
	findings, listErr := store.List()
	err = e.write("", func(w io.Writer) error {
		if format == "json" {
			return writeJSON(w, findings)
		}
		for _, f := range findings {
			fmt.Fprintf(w, "%s  %s\n", f.ID(), f.Title())
		}
		fmt.Fprintf(w, "%d findings; repcheck findings show ID shows one\n", len(findings))
		return nil
	})
	if err != nil {
		return err
	}
	return listErr
}

func (e *env) showFinding(dir, format, id string) error {
	color, err := e.colors(e.stdout)
	if err != nil {
		return err
	}
	store, err := openFindings(dir, format)
	if err != nil {
		return err
	}
	f, err := store.Get(id)
	if err != nil {
		return err
	}
	return e.write("", func(w io.Writer) error {
		if format == "json" {
			return writeJSON(w, f)
		}
		x := explanation{robots: f.Witness.Robots, probe: f.Witness.Probe, style: style(color)}
		fmt.Fprintf(w, "%s\n%s\nseen about %d times, first %s, last %s\n\n", x.bold(f.ID()), f.Signature(), f.Count(),
			f.First.Format("2006-01-02 15:04"), f.Last.Format("2006-01-02 15:04"))
		fmt.Fprintf(w, "%s asks for %s\n\n", spec.EncodeInline(f.Witness.Agent), spec.EncodeInline(f.Witness.URL))
		var answers []answered
		for _, a := range f.Answers {
			answers = append(answers, answered{spec.SubjectInfo{Name: a.Subject, Version: a.Version}, a.Answer})
		}
		x.answers(w, answers)
		fmt.Fprintln(w)
		for _, name := range slices.Sorted(maps.Keys(f.Causes)) {
			causes := f.Causes[name]
			if causes == nil {
				fmt.Fprintf(w, "  %s: no one or two choices of the reference explain it\n", name)
			}
			for _, c := range causes {
				fmt.Fprintf(w, "  %s answers as the reference with %s\n", name, c)
			}
		}
		fmt.Fprintln(w)
		return x.write(w, spec.Interpretations[0])
	})
}

func writeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
