package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/repcheck/repcheck/impl/subjects"
	"github.com/repcheck/repcheck/impl/subjects/adapters"
	"github.com/repcheck/repcheck/spec"
)

// complete registers shell completions for the flags and arguments of every
// command: parsers, formats, cases, requirements and points.
func complete(cmd *cobra.Command, e *env) {
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		var values func() []string
		switch name := flag.Name; {
		case name == "impl":
			values = func() []string {
				names := parserNames()
				values := append(slices.Clone(names), "none")
				for _, name := range names {
					values = append(values, "!"+name)
				}
				return values
			}
		case flag.Value.Type() == "stringArray" && (name == "run" || name == "skip"):
			values = e.offerIDs(caseIDs)
		default:
			c, ok := flag.Value.(*choice)
			if !ok {
				return
			}
			values = func() []string { return c.allowed }
		}
		// It fails for a flag that already has values, such as a flag of a
		// parent.
		_ = cmd.RegisterFlagCompletionFunc(flag.Name, offer(values))
	})
	switch cmd.CommandPath() {
	case "repcheck explain":
		cmd.ValidArgsFunction = offer(e.offerIDs(explainedIDs))
	case "repcheck adapter":
		cmd.ValidArgsFunction = offer(subjects.Names)
	case "repcheck check", "repcheck adapters install":
		cmd.ValidArgsFunction = offer(adapterNames)
	}
	for _, sub := range cmd.Commands() {
		complete(sub, e)
	}
}

// offer returns a completion with these values; the shell selects the matching
// ones.
func offer(values func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveNoFileComp
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
