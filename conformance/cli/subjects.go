package cli

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// subjectFlags choose whom a command asks.
type subjectFlags struct {
	impls                         []string
	all                           bool
	adapters                      []string
	commands                      []string
	allowExit, disallowExit       int
	allowPattern, disallowPattern string
	interpretation                string
	timeout                       time.Duration
	memory                        int64 // MiB

	// skipped is filled by open: why adapters are not asked that --all means.
	skipped []string
}

func (f *subjectFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.impls, "impl", nil, "ask only these `parsers`: "+strings.Join(impl.Names(), ", ")+", those that repcheck adapters lists, or none")
	cmd.Flags().BoolVar(&f.all, "all", false, "ask the installed parsers of other languages too (repcheck adapters lists them)")
	cmd.Flags().StringArrayVar(&f.adapters, "adapter", nil, "ask this `command` too, which speaks the adapter protocol (repeatable)")
	cmd.Flags().StringArrayVar(&f.commands, "command", nil, "ask this `command` too, run once for each question, with {robots}, {agent} and {url} filled in (repeatable)")
	cmd.Flags().IntVar(&f.allowExit, "allow-exit", 0, "exit code with which a --command allows")
	cmd.Flags().IntVar(&f.disallowExit, "disallow-exit", 1, "exit code with which a --command disallows")
	cmd.Flags().StringVar(&f.allowPattern, "allow-pattern", "", "`pattern` (RE2) in the output of a --command that allows, instead of exit codes")
	cmd.Flags().StringVar(&f.disallowPattern, "disallow-pattern", "", "`pattern` (RE2) in the output of a --command that disallows, instead of exit codes")
	cmd.Flags().StringVar(&f.interpretation, "interpretation", spec.Interpretations[0], "interpretation to judge by and to ask the reference under: "+strings.Join(spec.Interpretations, ", "))
	cmd.Flags().DurationVar(&f.timeout, "timeout", 4*time.Second, "how long a parser may take for one answer")
	cmd.Flags().Int64Var(&f.memory, "memory", 2048, "how many `MiB` of memory the process of an adapter may hold (Linux)")
}

// open starts the subjects. The returned function closes them.
func (f *subjectFlags) open(ctx context.Context) ([]impl.Subject, func(), error) {
	if err := oneOf("interpretation", f.interpretation, spec.Interpretations...); err != nil {
		return nil, nil, err
	}
	if f.timeout <= 0 {
		return nil, nil, fmt.Errorf("--timeout %s leaves no time: give one like 5s", f.timeout)
	}
	if f.memory <= 0 {
		return nil, nil, fmt.Errorf("--memory %d leaves none: give a number of MiB", f.memory)
	}
	var subjects []impl.Subject
	closeAll := func() {
		for _, s := range subjects {
			s.Close()
		}
	}
	inProcess, shipped, err := f.chosen()
	if err != nil {
		return nil, nil, err
	}
	if f.impls == nil || len(inProcess) > 0 {
		if subjects, err = impl.Open(inProcess, f.interpretation, f.timeout); err != nil {
			return nil, nil, fmt.Errorf("--impl: %w", err)
		}
	}
	ours, err := f.openShipped(ctx, shipped)
	subjects = append(subjects, ours...)
	if err != nil {
		closeAll()
		return nil, nil, err
	}
	for _, command := range f.adapters {
		s, err := impl.Process(ctx, command, f.limits())
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
		return nil, nil, fmt.Errorf("nobody to ask: --impl none needs --all, an --adapter or a --command")
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
