// Package cli is the command line of repcheck: one file for each command,
// including its help. It is the only package that reads flags, prints, and
// defines exit codes.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/process"
	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/file"
)

// Exit codes.
const (
	exitOK       = 0
	exitFailed   = 1 // an unexpected failure, or a baseline that is wrong
	exitUsage    = 2 // flags, files or data that cannot be used
	exitLost     = 3 // a subject could not be started, or was lost
	exitDisagree = 4 // a disagreement or a slow parser, if a flag makes it a failure
	// exitInterrupted is the code that a shell reports for a program ended by
	// SIGINT.
	exitInterrupted = 130
)

// An exitError ends a command with a code. Its message, if any, is printed.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// lostError returns an error that names the lost subjects with the reasons; nil
// if none was lost.
func lostError[S any](subjects []S, of func(*S) (name, why string)) error {
	var all []string
	for i := range subjects {
		if name, why := of(&subjects[i]); why != "" {
			all = append(all, name+": "+why)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return &exitError{code: exitLost, err: fmt.Errorf("a parser was lost: %s", strings.Join(all, "; "))}
}

// lostSubjects is lostError for open subjects.
func lostSubjects(subjects []impl.Subject) error {
	return lostError(subjects, func(s *impl.Subject) (name, why string) {
		if err := (*s).Err(); err != nil {
			return (*s).Info().Name, err.Error()
		}
		return "", ""
	})
}

// An env holds everything outside the process that a command uses.
type env struct {
	stdin          io.Reader
	stdout, stderr *textWriter
	// specDir is the folder of the specification, "" for the embedded one.
	specDir string
	color   string
	// progress selects when progress is shown: auto (on a terminal), always or
	// never.
	progress string
}

// TakeStdout returns the standard output and redirects os.Stdout to the null
// device, because parsers under test run in this process and one of them prints.
func TakeStdout() *os.File {
	out := os.Stdout
	if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		os.Stdout = null
	}
	return out
}

// EndOrphans kills processes that parsers have left behind (on Linux). Call it only at
// the end of the program, after Main, because it also kills all other children of the
// program, and misses those that are started meanwhile.
func EndOrphans() { process.EndOrphans() }

// Main runs the command line and returns the exit code. Without a command it runs
// the suite.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := untilSignal()
	defer stop()
	e := newEnv(ctx, stdin, stdout, stderr)
	defer e.stdout.flush()
	defer e.stderr.flush()
	root := newRoot(e)
	if len(args) == 0 || strings.HasPrefix(args[0], "-") && !isHelp(args[0]) {
		args = append([]string{"run"}, args...)
	}
	root.SetArgs(args)
	exit := ending(root.ExecuteContext(ctx), ctx.Err() != nil)
	if exit == nil {
		return exitOK
	}
	if msg := exit.Error(); msg != "" {
		fmt.Fprintf(e.stderr, "repcheck: %s\n", msg)
	}
	return exit.code
}

// sameSignal is how long signals count as the first one: timeout(1) sends two.
const sameSignal = time.Second

// untilSignal returns a context that ends at the first signal, so that the command ends
// in order. A later signal ends the program and, on Linux, the processes that it has
// started.
func untilSignal() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup(1)
		signal.Notify(signals, syscall.SIGHUP) // the terminal closes
	}
	var ended atomic.Bool
	go func() {
		var first time.Time
		for range signals {
			switch {
			case first.IsZero():
				first = time.Now()
				cancel()
			case time.Since(first) > sameSignal && !ended.Load():
				file.Hold()
				EndOrphans()
				os.Exit(exitInterrupted)
			}
		}
	}()
	return ctx, func() {
		if ctx.Err() != nil {
			ended.Store(true) // and keep the handler, or another signal would kill the program before it exits
			return
		}
		signal.Stop(signals)
		close(signals)
		cancel()
	}
}

func newEnv(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) *env {
	e := &env{stdin: interruptible(ctx, stdin), stdout: &textWriter{raw: stdout}, stderr: &textWriter{raw: stderr}, color: "auto", progress: "auto"}
	for _, w := range []*textWriter{e.stdout, e.stderr} {
		w.color = func() bool { return e.colors(w) }
	}
	return e
}

// ending turns the error of a command into exit code and message; nil is success.
// An interrupted command always exits as interrupted, because its result is not
// complete, but keeps its own message.
func ending(err error, interrupted bool) *exitError {
	var exit *exitError
	switch {
	case err == nil && !interrupted:
		return nil
	case err == nil || interrupted && errors.Is(err, context.Canceled):
		return &exitError{code: exitInterrupted, err: errors.New("interrupted: what was printed may be incomplete")}
	case !errors.As(err, &exit):
		exit = &exitError{code: exitUsage, err: err}
	}
	if !interrupted {
		return exit
	}
	switch msg := exit.Error(); {
	case msg == "":
		err = errors.New("interrupted: what was printed may be incomplete")
	case !strings.HasPrefix(msg, "interrupted"):
		err = fmt.Errorf("interrupted: %w", err)
	}
	return &exitError{code: exitInterrupted, err: err}
}

// interruptible returns a reader of in that fails when ctx ends, even in the
// middle of a read.
func interruptible(ctx context.Context, in io.Reader) io.Reader {
	return &interruptibleReader{start: sync.OnceValue(func() *io.PipeReader {
		r, w := io.Pipe()
		context.AfterFunc(ctx, func() { w.CloseWithError(context.Cause(ctx)) })
		go func() {
			_, err := io.Copy(w, in)
			w.CloseWithError(err)
		}()
		return r
	})}
}

type interruptibleReader struct{ start func() *io.PipeReader }

func (r *interruptibleReader) Read(p []byte) (int, error) { return r.start().Read(p) }

func isHelp(arg string) bool { return arg == "-h" || arg == "--help" || arg == "--version" }

func newRoot(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:   "repcheck",
		Short: "Show what a robots.txt parser really does",
		Long: `repcheck tests robots.txt parsers against the Robots Exclusion Protocol (RFC 9309
and related documents) and compares them with each other.

Without a command it runs the suite on every built-in parser.

Exit codes: 0 fine; 1 an unexpected failure or a wrong baseline; 2 flags, files
or data that cannot be used; 3 a parser could not be started or was lost; 4 a
disagreement or a slow parser, if a flag makes it a failure; 130 interrupted by
SIGINT or SIGTERM, regardless of the results until then.`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(e.stdin)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().StringVar(&e.specDir, "spec", "", "read requirements, points and cases from this `folder` instead of the embedded ones")
	root.PersistentFlags().AddFlag(addChoice(root, &e.color, "color", "colours:", "auto", "always", "never"))
	root.PersistentFlags().AddFlag(addChoice(root, &e.progress, "progress", "show progress on standard error: auto (on a terminal), always or never", "auto", "always", "never"))
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) {
		if cmd.Flags().Lookup("impl") != nil {
			e.warnAdapters()
		}
	}
	root.AddCommand(newRun(e), newList(e), newExplain(e), newQuery(e), newScan(e), newFuzz(e), newComplexity(e), newFindings(e), newCorpus(e), newProfile(e),
		newReport(e), newCompare(e), newExport(e), newLint(e), newCoverage(e), newAdapter(e), newAdapters(e), newCheck(e), newAccess(e), newCrawl(), newVersion(e))
	return root
}

// data returns the specification that the command uses.
func (e *env) data() (*spec.Data, error) {
	if e.specDir == "" {
		return spec.Default(), nil
	}
	if info, err := os.Stat(e.specDir); err != nil {
		return nil, fmt.Errorf("cannot read the specification: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is a file: --spec takes the folder that holds cases/", e.specDir)
	}
	data, err := spec.Load(os.DirFS(e.specDir), strings.TrimSuffix(e.specDir, "/"))
	if err != nil {
		return nil, fmt.Errorf("the specification is broken:\n%w", err)
	}
	return data, nil
}
