package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/process"
	"github.com/repcheck/repcheck/impl/subjects"
	"github.com/repcheck/repcheck/spec"
)

// subjectFlags select the parsers that a command runs.
type subjectFlags struct {
	impls                         []string
	all                           bool
	adapters                      []string
	commands                      []string
	allowExit, disallowExit       int
	allowPattern, disallowPattern string
	interpretation                string
	timeout, startTimeout         time.Duration
	memory                        int64 // MiB
	env                           []string

	// skipped is filled by open: the reasons why adapters selected by --all are
	// skipped.
	skipped []string
}

func (f *subjectFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.impls, "impl", nil, "run only these `parsers`: "+strings.Join(subjects.Names(), ", ")+", those that repcheck adapters lists, the reference under another interpretation, such as reference@rfc9309+tie=disallow, or none; !name leaves one out")
	completeImpl(cmd)
	cmd.Flags().BoolVar(&f.all, "all", false, "also run the installed parsers of other languages (repcheck adapters lists them)")
	cmd.Flags().StringArrayVar(&f.adapters, "adapter", nil, "also run this `command`, which speaks the adapter protocol (repeatable)")
	cmd.Flags().StringArrayVar(&f.commands, "command", nil, "also run this `command`, once for each query, with {robots}, {agent} and {url} filled in (repeatable)")
	cmd.Flags().IntVar(&f.allowExit, "allow-exit", 0, "exit code with which a --command allows")
	cmd.Flags().IntVar(&f.disallowExit, "disallow-exit", 1, "exit code with which a --command disallows")
	cmd.Flags().StringVar(&f.allowPattern, "allow-pattern", "", "`pattern` (RE2) in the output of a --command that allows, instead of exit codes")
	cmd.Flags().StringVar(&f.disallowPattern, "disallow-pattern", "", "`pattern` (RE2) in the output of a --command that disallows, instead of exit codes")
	f.interpretation = spec.Interpretations[0]
	addChoice(cmd, &f.interpretation, "interpretation", "interpretation for judging and for the reference:", spec.Interpretations...)
	cmd.Flags().DurationVar(&f.timeout, "timeout", 4*time.Second, "how long a parser may take for one answer; time spent waiting for a processor does not count (Linux)")
	addStartTimeout(cmd, &f.startTimeout)
	cmd.Flags().Int64Var(&f.memory, "memory", 2048, "how many `MiB` of memory the process of an adapter or a command may hold (Linux)")
	addEnv(cmd, &f.env)
}

func addStartTimeout(cmd *cobra.Command, into *time.Duration) {
	cmd.Flags().DurationVar(into, "start-timeout", 30*time.Second, "how long an adapter may take to start")
}

func checkStartTimeout(limit time.Duration) error {
	if limit <= 0 {
		return fmt.Errorf("--start-timeout %s leaves no time: give one like 30s", limit)
	}
	return nil
}

// addEnv adds the flag that passes on environment variables.
func addEnv(cmd *cobra.Command, into *[]string) {
	cmd.Flags().StringArrayVar(into, "env", nil, "pass on this environment `variable`: NAME, NAME=value, or NAME* for a prefix (repeatable); without it a parser gets PATH, HOME and the like, and no secrets")
}

func checkEnv(env []string) error {
	for _, e := range env {
		if err := process.CheckVariable(e); err != nil {
			return fmt.Errorf("--env: %w", err)
		}
	}
	return nil
}

// checkLimits returns an error for values with which no subject can start.
func (f *subjectFlags) checkLimits() error {
	switch {
	case f.timeout <= 0:
		return fmt.Errorf("--timeout %s leaves no time: give one like 5s", f.timeout)
	case f.memory <= 0:
		return fmt.Errorf("--memory %d leaves none: give a number of MiB", f.memory)
	}
	return errors.Join(checkStartTimeout(f.startTimeout), checkEnv(f.env))
}

// limits returns the limits for the process of an adapter or a command.
func (f *subjectFlags) limits() impl.ProcessOptions {
	return impl.ProcessOptions{Timeout: f.timeout, StartTimeout: f.startTimeout, MaxMemory: f.memory << 20, Env: f.env}
}

// open is subjectFlags.open for a command whose report does not show which parsers
// are skipped.
func (e *env) open(ctx context.Context, f *subjectFlags) ([]impl.Subject, func(), error) {
	opened, closeAll, err := f.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, why := range f.skipped {
		fmt.Fprintf(e.stderr, "skipped %s\n", why)
	}
	return opened, closeAll, nil
}

// open starts the subjects. The returned function closes them.
func (f *subjectFlags) open(ctx context.Context) ([]impl.Subject, func(), error) {
	if err := f.checkLimits(); err != nil {
		return nil, nil, err
	}
	inProcess, shipped, err := f.chosen()
	if err != nil {
		return nil, nil, err
	}
	starts, err := f.shippedStarts(ctx, shipped)
	if err != nil {
		return nil, nil, err
	}
	for _, command := range f.adapters {
		starts = append(starts, start{"--adapter", spec.SubjectInfo{Name: nameOf(command), Package: command},
			func() (impl.Subject, error) { return impl.Process(ctx, command, f.limits()) }})
	}
	commands, err := f.commandStarts()
	if err != nil {
		return nil, nil, err
	}
	starts = append(starts, commands...)
	var opened []impl.Subject
	if len(inProcess) > 0 {
		if opened, err = subjects.Open(inProcess, f.interpretation, f.timeout); err != nil {
			return nil, nil, fmt.Errorf("--impl: %w", err)
		}
	}
	started, failed := startAll(starts)
	if len(failed) > 0 && len(failed) == len(opened)+len(started) {
		return nil, nil, &exitError{code: exitLost, err: errors.Join(failed...)}
	}
	opened = append(opened, started...)
	closeAll := func() { impl.Each(len(opened), len(opened), func(i int) { opened[i].Close() }) }
	if len(opened) == 0 {
		return nil, nil, fmt.Errorf("no parser is selected: --impl none needs --all, an --adapter or a --command")
	}
	if err := distinct(opened); err != nil {
		closeAll()
		return nil, nil, err
	}
	return opened, closeAll, nil
}

// A start is a subject that is about to be started.
type start struct {
	flag string // that selects it
	info spec.SubjectInfo
	run  func() (impl.Subject, error)
}

// startAll starts the subjects, several at a time, because starting is mostly
// waiting for interpreters to load. A subject that cannot be started is replaced
// by one that reports the error; failed holds these errors.
func startAll(starts []start) (subjects []impl.Subject, failed []error) {
	subjects = make([]impl.Subject, len(starts))
	errs := make([]error, len(starts))
	impl.Each(len(starts), 2*runtime.GOMAXPROCS(0), func(i int) {
		s := &starts[i]
		if subjects[i], errs[i] = s.run(); errs[i] != nil {
			subjects[i] = impl.NotStarted(s.info, errs[i])
			errs[i] = fmt.Errorf("%s: %w", s.flag, errs[i])
		}
	})
	return subjects, slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

// nameOf derives a name from a command, for a subject without its own name.
func nameOf(command string) string {
	name := strings.Map(func(r rune) rune {
		if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._", r)) {
			return unicode.ToLower(r)
		}
		return '-'
	}, command)
	name = strings.TrimLeft(name, ".-_")
	return cmp.Or(name[:min(len(name), 100)], "adapter")
}

// commandStarts returns the starts of the subjects for --command.
func (f *subjectFlags) commandStarts() ([]start, error) {
	o := impl.CommandOptions{ProcessOptions: f.limits(), AllowExit: f.allowExit, DisallowExit: f.disallowExit}
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
	var starts []start
	for _, template := range f.commands {
		s, err := impl.Command(template, o)
		if err != nil && !errors.Is(err, impl.ErrNoProgram) {
			return nil, fmt.Errorf("--command: %w", err)
		}
		starts = append(starts, start{"--command", spec.SubjectInfo{Name: nameOf(template), Package: template},
			func() (impl.Subject, error) { return s, err }})
	}
	return starts, nil
}

// distinct returns an error if two subjects have the same name, because results
// and baselines distinguish subjects only by name.
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
