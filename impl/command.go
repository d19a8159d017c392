package impl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/repcheck/repcheck/impl/process"
	"github.com/repcheck/repcheck/spec"
)

// CommandOptions say how to read the verdict of a bare command. The zero value
// is the convention of older tools: exit code 0 allows, 1 disallows.
type CommandOptions struct {
	// Timeout is how long one run may take. Default 5 s.
	Timeout time.Duration
	// AllowExit and DisallowExit are the exit codes of the verdicts. They count
	// only where no pattern is given.
	AllowExit, DisallowExit int
	// AllowPattern and DisallowPattern, if set, are looked for in the standard
	// output instead; exactly one of them has to match. One alone decides by
	// whether it matches.
	AllowPattern, DisallowPattern *regexp.Regexp
}

// commandOutput is how much of a command's output is kept, in octets.
const commandOutput = 64 << 10

// Command makes a Subject of a program that answers one question and ends.
//
// template is its command line, split into words as a shell would; no shell
// runs. In each word {robots} stands for the path of a file with the
// robots.txt, {agent} for the product token and {url} for the URL. A program
// that ends in any other way than the options say has crashed.
func Command(template string, opts CommandOptions) (Subject, error) {
	words, err := process.SplitCommand(template)
	if err != nil {
		return nil, err
	}
	for _, hole := range []string{"{robots}", "{agent}", "{url}"} {
		if !strings.Contains(template, hole) {
			return nil, fmt.Errorf("the command %q has no place for %s: write it where the program takes it", template, hole)
		}
	}
	if words[0], err = exec.LookPath(words[0]); err != nil {
		return nil, fmt.Errorf("the command cannot be run: %w", err)
	}
	if opts.Timeout <= 0 {
		opts.Timeout = defaultTimeout
	}
	if opts.AllowExit == 0 && opts.DisallowExit == 0 {
		opts.DisallowExit = 1
	}
	dir, err := os.MkdirTemp("", "repcheck-")
	if err != nil {
		return nil, fmt.Errorf("no place for robots.txt files: %w", err)
	}
	name := strings.TrimSuffix(filepath.Base(words[0]), filepath.Ext(words[0]))
	return &command{
		info:  spec.SubjectInfo{Name: "command-" + strings.ToLower(name), Package: template},
		words: words, opts: opts, dir: dir,
	}, nil
}

type command struct {
	info  spec.SubjectInfo
	words []string
	opts  CommandOptions
	dir   string
	files atomic.Int64
}

func (c *command) Info() spec.SubjectInfo { return c.info }
func (c *command) Parallel() int          { return runtime.GOMAXPROCS(0) }
func (c *command) Err() error             { return nil }
func (c *command) Close() error           { return os.RemoveAll(c.dir) }

func (c *command) Ask(ctx context.Context, robots []byte, probes []spec.Probe) []spec.Answer {
	answers := make([]spec.Answer, len(probes))
	path := filepath.Join(c.dir, fmt.Sprintf("robots-%d.txt", c.files.Add(1)))
	err := os.WriteFile(path, robots, 0o600)
	defer os.Remove(path)
	for i, p := range probes {
		switch {
		case err != nil:
			answers[i] = spec.Answer{Verdict: spec.ProtocolError, Detail: "the robots.txt file cannot be written: " + err.Error()}
		case strings.ContainsRune(p.Agent+p.URL, 0):
			answers[i] = spec.Answer{Verdict: spec.Unsupported, Detail: "no argument of a command can hold a NUL octet"}
		default:
			answers[i] = c.one(ctx, path, p)
		}
	}
	return answers
}

// one runs the command for one probe.
func (c *command) one(ctx context.Context, path string, p spec.Probe) spec.Answer {
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	fill := strings.NewReplacer("{robots}", path, "{agent}", p.Agent, "{url}", p.URL)
	args := make([]string, len(c.words)-1)
	for i, word := range c.words[1:] {
		args[i] = fill.Replace(word)
	}
	cmd := exec.CommandContext(ctx, c.words[0], args...)
	cmd.WaitDelay = time.Second // a grandchild may hold the pipes open
	stdout, stderr := &head{limit: commandOutput}, &head{limit: 1 << 10}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return spec.Answer{Verdict: spec.Timeout, Detail: fmt.Sprintf("no end after %s", c.opts.Timeout)}
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return spec.Answer{Verdict: spec.Crash, Detail: err.Error()}
	}
	return c.verdict(cmd.ProcessState.ExitCode(), stdout.Bytes(), func(what string) spec.Answer {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			what += "\n" + text
		}
		return spec.Answer{Verdict: spec.Crash, Detail: what}
	})
}

// verdict reads the verdict; crash makes one of what went wrong.
func (c *command) verdict(exit int, out []byte, crash func(string) spec.Answer) spec.Answer {
	allow, disallow := c.opts.AllowPattern, c.opts.DisallowPattern
	if allow == nil && disallow == nil {
		switch exit {
		case c.opts.AllowExit:
			return spec.Bool(true)
		case c.opts.DisallowExit:
			return spec.Bool(false)
		}
		return crash(fmt.Sprintf("the command ended with code %d, where %d allows and %d disallows", exit, c.opts.AllowExit, c.opts.DisallowExit))
	}
	allowed := allow != nil && allow.Match(out)
	disallowed := disallow != nil && disallow.Match(out)
	switch {
	case disallow == nil:
		return spec.Bool(allowed)
	case allow == nil:
		return spec.Bool(!disallowed)
	case allowed == disallowed:
		return crash("the output matches the patterns for allow and disallow both, or neither")
	}
	return spec.Bool(allowed)
}

// A head keeps the beginning of what is written to it.
type head struct {
	bytes.Buffer
	limit int
}

func (h *head) Write(octets []byte) (int, error) {
	keep := min(len(octets), h.limit-h.Len())
	h.Buffer.Write(slices.Clip(octets[:keep]))
	return len(octets), nil
}
