package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/impl/process"
	"github.com/repcheck/repcheck/impl/subjects/adapters"
)

func newCheck(e *env) *cobra.Command {
	var command string
	var extra []string
	var startTimeout time.Duration
	cmd := &cobra.Command{
		Use:   "check [name]",
		Short: "Diagnose problems in an adapter",
		Long: `Check looks for the mistakes that adapters make, each in a fresh process: the
hello, a missing flush, ids, several URLs, unknown fields, NUL bytes, input that is
not UTF-8, a file of 1 MiB, 10,000 requests in a row, logs on stdout, the end of
stdin, SIGTERM. For each problem it shows what the adapter does, what to change, and
how to write that in the adapter's language. It does not judge the parser; run does.

An adapter that does not answer in time gets a second chance in a fresh process,
with time limits ten times as long, so a busy machine does not make it fail. Its
first start may take a third of --start-timeout, the second three times
--start-timeout.

Name the adapter with --adapter and its command, or by the name of an adapter that
repcheck ships.`,
		Example: `  repcheck check --adapter 'python3 my_adapter.py'
  repcheck check python-protego`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: offer(adapterNames),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(checkStartTimeout(startTimeout), checkEnv(extra)); err != nil {
				return err
			}
			if len(args) > 0 {
				e.warnAdapters()
			}
			options, err := checkOptions(command, args, extra)
			if err != nil {
				return err
			}
			options.StartTimeout = startTimeout
			return e.check(cmd, options)
		},
	}
	cmd.Flags().StringVar(&command, "adapter", "", "the `command` to check, split into words as a shell would")
	addStartTimeout(cmd, &startTimeout)
	addEnv(cmd, &extra)
	return cmd
}

func checkOptions(command string, args, extra []string) (process.Options, error) {
	switch {
	case (command == "") == (len(args) == 0):
		return process.Options{}, fmt.Errorf("check needs one adapter: --adapter 'command', or the name of an adapter that repcheck ships")
	case command != "":
		words, err := process.SplitCommand(command)
		return process.Options{Command: words, Env: extra}, err
	}
	chosen, err := wanted(args)
	if err != nil {
		return process.Options{}, err
	}
	home, err := adapters.FindHome()
	if err != nil {
		return process.Options{}, err
	}
	if s := home.State(chosen[0]); s.Readiness != adapters.Ready {
		return process.Options{}, fmt.Errorf("%s: %s", chosen[0].Name, describe(s))
	}
	return home.Options(chosen[0], extra...), nil
}

func (e *env) check(cmd *cobra.Command, options process.Options) error {
	color := e.colors(e.stdout)
	paint := func(code, text string) string {
		if !color {
			return text
		}
		return "\x1b[" + code + "m" + text + "\x1b[0m"
	}
	failed := 0
	process.Examine(cmd.Context(), options, func(c process.Checkup) {
		switch {
		case c.Skipped != "":
			fmt.Fprintf(e.stdout, "%s %-14s %s\n", paint("2", "-"), c.Name, "skipped: "+c.Skipped)
		case c.Problem == "":
			fmt.Fprintf(e.stdout, "%s %-14s %s\n", paint("32", "✓"), c.Name, c.About)
		default:
			failed++
			fmt.Fprintf(e.stdout, "%s %-14s %s\n", paint("31", "✗"), c.Name, strings.ReplaceAll(c.Problem, "\n", "\n    "))
			if c.Hint != "" {
				fmt.Fprintf(e.stdout, "  %-14s %s\n", "", paint("1", c.Hint))
			}
		}
	})
	if cmd.Context().Err() != nil {
		return &exitError{code: exitFailed, err: fmt.Errorf("interrupted")}
	}
	switch failed {
	case 0:
	case 1:
		return &exitError{code: exitFailed, err: errors.New("1 check failed; fix it and run again")}
	default:
		return &exitError{code: exitFailed, err: fmt.Errorf("%d checks failed; fix the first one and run again", failed)}
	}
	_, err := fmt.Fprintf(e.stdout, "ok: the adapter is sound\n")
	return err
}
