package cli

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// subjectFlags choose whom a command asks.
type subjectFlags struct {
	impls                         []string
	adapters                      []string
	commands                      []string
	allowExit, disallowExit       int
	allowPattern, disallowPattern string
	interpretation                string
	timeout                       time.Duration
}

func (f *subjectFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.impls, "impl", nil, "ask only these in-process `parsers` ("+strings.Join(impl.Names(), ", ")+"; none for none)")
	cmd.Flags().StringArrayVar(&f.adapters, "adapter", nil, "ask this `command` too, which speaks the adapter protocol (repeatable)")
	cmd.Flags().StringArrayVar(&f.commands, "command", nil, "ask this `command` too, run once for each question, with {robots}, {agent} and {url} filled in (repeatable)")
	cmd.Flags().IntVar(&f.allowExit, "allow-exit", 0, "exit code with which a --command allows")
	cmd.Flags().IntVar(&f.disallowExit, "disallow-exit", 1, "exit code with which a --command disallows")
	cmd.Flags().StringVar(&f.allowPattern, "allow-pattern", "", "`pattern` (RE2) in the output of a --command that allows, instead of exit codes")
	cmd.Flags().StringVar(&f.disallowPattern, "disallow-pattern", "", "`pattern` (RE2) in the output of a --command that disallows, instead of exit codes")
	cmd.Flags().StringVar(&f.interpretation, "interpretation", spec.Interpretations[0], "interpretation to judge by and to ask the reference under: "+strings.Join(spec.Interpretations, ", "))
	cmd.Flags().DurationVar(&f.timeout, "timeout", 5*time.Second, "how long a parser may take for one answer")
}

// open starts the subjects. The returned function closes them.
func (f *subjectFlags) open(ctx context.Context) ([]impl.Subject, func(), error) {
	if err := oneOf("interpretation", f.interpretation, spec.Interpretations...); err != nil {
		return nil, nil, err
	}
	if f.timeout <= 0 {
		return nil, nil, fmt.Errorf("--timeout %s leaves no time: give one like 5s", f.timeout)
	}
	var subjects []impl.Subject
	closeAll := func() {
		for _, s := range subjects {
			s.Close()
		}
	}
	if !slices.Equal(f.impls, []string{"none"}) {
		opened, err := impl.Open(f.impls, f.interpretation, f.timeout)
		if err != nil {
			return nil, nil, fmt.Errorf("--impl: %w", err)
		}
		subjects = opened
	}
	for _, command := range f.adapters {
		s, err := impl.Process(ctx, command, f.timeout)
		if err != nil {
			closeAll()
			return nil, nil, &exitError{code: exitLost, err: fmt.Errorf("--adapter: %w", err)}
		}
		subjects = append(subjects, s)
	}
	commands, err := f.openCommands()
	subjects = append(subjects, commands...)
	if err != nil {
		closeAll()
		return nil, nil, err
	}
	if len(subjects) == 0 {
		return nil, nil, fmt.Errorf("nobody to ask: --impl none needs an --adapter or a --command")
	}
	if err := distinct(subjects); err != nil {
		closeAll()
		return nil, nil, err
	}
	return subjects, closeAll, nil
}

// openCommands makes subjects of the bare commands.
func (f *subjectFlags) openCommands() ([]impl.Subject, error) {
	o := impl.CommandOptions{Timeout: f.timeout, AllowExit: f.allowExit, DisallowExit: f.disallowExit}
	for _, p := range []struct {
		flag, text string
		into       **regexp.Regexp
	}{
		{"allow-pattern", f.allowPattern, &o.AllowPattern},
		{"disallow-pattern", f.disallowPattern, &o.DisallowPattern},
	} {
		if p.text == "" {
			continue
		}
		re, err := regexp.Compile(p.text)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", p.flag, err)
		}
		*p.into = re
	}
	if f.allowExit == f.disallowExit {
		return nil, fmt.Errorf("--allow-exit and --disallow-exit are both %d: they must differ", f.allowExit)
	}
	var subjects []impl.Subject
	for _, template := range f.commands {
		s, err := impl.Command(template, o)
		if err != nil {
			return subjects, &exitError{code: exitLost, err: fmt.Errorf("--command: %w", err)}
		}
		subjects = append(subjects, s)
	}
	return subjects, nil
}

// distinct refuses two subjects of one name: results and baselines tell them
// apart by nothing else.
func distinct(subjects []impl.Subject) error {
	seen := map[string]bool{}
	for _, s := range subjects {
		name := s.Info().Name
		if seen[name] {
			return fmt.Errorf("two parsers are named %q: let the adapter greet with another name, or leave one out with --impl", name)
		}
		seen[name] = true
	}
	return nil
}
