package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/subjects"
	"github.com/repcheck/repcheck/impl/subjects/adapters"
	"github.com/repcheck/repcheck/spec"
)

// offer returns a completion with these values; the shell selects the matching
// ones.
func offer(values func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFlag makes the shell complete the values of a flag of the command.
func completeFlag(cmd *cobra.Command, flag string, values func() []string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, offer(values)); err != nil {
		panic(err) // there is no such flag, or it has values already
	}
}

// offerIDs returns a function that returns IDs of the specification, none if it is
// broken.
func (e *env) offerIDs(of func(*spec.Data) []string) func() []string {
	return func() []string {
		data, err := e.data()
		if err != nil {
			return nil
		}
		return of(data)
	}
}

// A selection holds patterns of cases.
type selection struct{ run, skip []string }

// addSelection adds the flags that select cases; verb says what the command does
// with them.
func (e *env) addSelection(cmd *cobra.Command, s *selection, verb string) {
	cmd.Flags().StringArrayVar(&s.run, "run", nil, verb+" only the cases that match this `pattern` (repeatable)")
	cmd.Flags().StringArrayVar(&s.skip, "skip", nil, "leave out the cases that match this `pattern` (repeatable)")
	completeFlag(cmd, "run", e.offerIDs(caseIDs))
	completeFlag(cmd, "skip", e.offerIDs(caseIDs))
}

// cases returns the selected cases.
func (s *selection) cases(data *spec.Data) ([]spec.Case, error) {
	return spec.Select(data.Cases, spec.NewSelection(s.run), spec.NewSelection(s.skip))
}

func caseIDs(data *spec.Data) (ids []string) {
	for _, c := range data.Cases {
		ids = append(ids, c.ID)
	}
	return ids
}

// adapterNames returns the names of the adapters that can be installed.
func adapterNames() (names []string) {
	for _, a := range adapters.All() {
		if a.LeftOut == "" {
			names = append(names, a.Name)
		}
	}
	return names
}

// parserNames returns all names that --impl accepts.
func parserNames() []string { return slices.Concat(subjects.Names(), adapterNames()) }

// completeImpl makes the shell complete --impl, whose value is a list.
func completeImpl(cmd *cobra.Command) {
	if err := cmd.RegisterFlagCompletionFunc("impl", func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		at := strings.LastIndex(typed, ",") + 1
		values := append(parserNames(), "none")
		for _, name := range parserNames() {
			values = append(values, "!"+name)
		}
		values = append(values, interpretedNames(typed[at:])...)
		for i := range values {
			values[i] = typed[:at] + values[i]
		}
		return values, cobra.ShellCompDirectiveNoFileComp
	}); err != nil {
		panic(err) // there is no such flag, or it has values already
	}
}

// offerSubjects completes the name of an in-process parser.
func offerSubjects(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	return append(subjects.Names(), interpretedNames(typed)...), cobra.ShellCompDirectiveNoFileComp
}

// interpretedNames returns the names of the reference under an interpretation that
// complete typed: the named ones, or after a "+" the choices that typed does not have
// yet.
func interpretedNames(typed string) (names []string) {
	if at := strings.LastIndex(typed, "+"); at >= 0 {
		r, err := impl.ParseInterpreted(typed[:at])
		if !impl.IsInterpreted(typed) || err != nil {
			return nil
		}
		for _, c := range r.In.Changes() {
			if name := typed[:at+1] + c.String(); !strings.Contains(typed[:at+1], "+"+c.Point.String()+"=") {
				names = append(names, name)
			}
		}
		return names
	}
	for _, name := range reference.Names() {
		names = append(names, impl.ReferenceName+"@"+name)
	}
	return names
}

// near suggests the candidate that was probably meant by name. Adapters are also
// found without their language: protego is python-protego.
func near(name string, candidates []string) string {
	found := spec.Nearest(name, candidates)
	if found == "" {
		short := make([]string, len(candidates))
		for i, c := range candidates {
			_, short[i], _ = strings.Cut(c, "-")
		}
		if i := slices.Index(short, spec.Nearest(name, short)); i >= 0 && short[i] != "" {
			found = candidates[i]
		}
	}
	if found == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", found)
}

// unknownParser returns the error for a name that is unknown to --impl.
func unknownParser(name string) error {
	return fmt.Errorf("--impl: no parser is named %q%s: choose one of %s, or one that repcheck adapters lists; add your own with --adapter",
		name, near(name, parserNames()), strings.Join(subjects.Names(), ", "))
}

// flagError adds a suggestion to the error of a flag.
func flagError(cmd *cobra.Command, err error) error {
	hint := ""
	var (
		refused *choiceError
		unknown *pflag.NotExistError
		invalid *pflag.InvalidValueError
	)
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &unknown):
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if found := spec.Nearest(unknown.GetSpecifiedName(), names); found != "" {
			hint = fmt.Sprintf(" (did you mean --%s?)", found)
		}
	case errors.As(err, &invalid) && invalid.GetFlag().Value.Type() == "duration":
		if _, err := time.ParseDuration(invalid.GetValue() + "s"); err == nil {
			return fmt.Errorf("--%s %q has no unit (did you mean %ss?): see %s --help", invalid.GetFlag().Name, invalid.GetValue(), invalid.GetValue(), cmd.CommandPath())
		}
	}
	return fmt.Errorf("%w%s: see %s --help", err, hint, cmd.CommandPath())
}
