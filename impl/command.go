package impl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/repcheck/repcheck/impl/internal/usage"
	"github.com/repcheck/repcheck/impl/process"
	"github.com/repcheck/repcheck/spec"
)

// CommandOptions define how the verdict of a bare command is read. The zero value
// is the convention of older tools: exit code 0 allows, 1 disallows.
type CommandOptions struct {
	ProcessOptions
	// AllowExit and DisallowExit are the exit codes of the verdicts. They are
	// used only if no pattern is given.
	AllowExit, DisallowExit int
	// AllowPattern and DisallowPattern, if set, are matched against the standard
	// output instead; exactly one of them has to match. If only one is set,
	// whether it matches decides the verdict.
	AllowPattern, DisallowPattern *regexp.Regexp
}

// ErrNoProgram is wrapped by the error of [Command] if the program does not
// exist. Any other error is about the template.
var ErrNoProgram = errors.New("the command cannot be run")

// Command returns a Subject for a program that answers one query and exits.
//
// template is its command line, split into words as a shell would; no shell runs.
// In each word {robots} is replaced by the path of a file with the robots.txt,
// {agent} by the product token and {url} by the URL. A program that ends in any
// way that the options do not list has crashed. One that does not end in time is
// run a second time, alone and with twice the time.
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
		return nil, fmt.Errorf("%w: %w", ErrNoProgram, err)
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
	alone sync.RWMutex // held for writing by a run that must be alone

	mu     sync.Mutex // guards the fields below
	credit usage.Credit
	barren int // queries before the first answer; -1 after it
}

func (c *command) Info() spec.SubjectInfo { return c.info }
func (c *command) Kind() Kind             { return InManyProcesses }
func (c *command) Stats() Stats           { return Stats{} }
func (c *command) Parallel() int          { return runtime.GOMAXPROCS(0) }
func (c *command) Close() error           { return os.RemoveAll(c.dir) }

func (c *command) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.credit.Over():
		return errors.New("it ran out of time too often and answered too little in between")
	case c.barren >= mostBarren:
		return fmt.Errorf("it answered none of the first %d queries", mostBarren)
	}
	return nil
}

func (c *command) Ask(ctx context.Context, robots []byte, probes []spec.Probe) []spec.Answer {
	answers := make([]spec.Answer, len(probes))
	path := filepath.Join(c.dir, fmt.Sprintf("robots-%d.txt", c.files.Add(1)))
	err := os.WriteFile(path, robots, 0o600)
	defer os.Remove(path)
	late := 0
	for i, p := range probes {
		lost := c.Err()
		switch {
		case lost != nil:
			answers[i] = spec.Answer{Verdict: spec.ProtocolError, Detail: lost.Error()}
		case late == mostLate:
			answers[i] = spec.Answer{Verdict: spec.Timeout, Detail: fmt.Sprintf("was not sent, after %d other queries about this file that ended in timeout", late)}
		case err != nil:
			answers[i] = spec.Answer{Verdict: spec.ProtocolError, Detail: "the robots.txt file cannot be written: " + err.Error()}
		case strings.ContainsRune(p.Agent+p.URL, 0):
			answers[i] = spec.Answer{Verdict: spec.Unsupported, Detail: "no argument of a command can hold a NUL octet"}
		default:
			answers[i] = c.one(ctx, path, p)
			if ctx.Err() != nil {
				continue // it was interrupted, which is not a fault of the program
			}
			c.count(answers[i].Verdict)
			if answers[i].Verdict == spec.Timeout {
				late++
			}
		}
	}
	return answers
}

const (
	// mostLate is how many queries about one file may time out.
	mostLate = 3
	// lateCost is the cost of a query that timed out twice.
	lateCost = 4
	// mostBarren is how many queries may go unanswered at first.
	mostBarren = 100
)

// count earns or spends credit. A crash of a command that has answered before costs
// nothing: the next query starts another process anyway.
func (c *command) count(v spec.Verdict) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.barren >= 0 {
		c.barren++
	}
	switch v {
	case spec.Timeout:
		c.credit.Spend(lateCost)
	case spec.Allow, spec.Disallow:
		c.credit.Earn(1)
		c.barren = -1
	}
}

// one runs the command for one probe.
func (c *command) one(ctx context.Context, path string, p spec.Probe) spec.Answer {
	fill := strings.NewReplacer("{robots}", path, "{agent}", p.Agent, "{url}", p.URL)
	o := c.opts.ProcessOptions
	o.Command = []string{c.words[0]}
	for _, word := range c.words[1:] {
		o.Command = append(o.Command, fill.Replace(word))
	}
	c.alone.RLock()
	end, err := process.Run(ctx, o)
	c.alone.RUnlock()
	slow := err == nil && end.Late
	if slow {
		c.alone.Lock()
		o.Timeout *= process.SecondLook
		end, err = process.Run(ctx, o)
		c.alone.Unlock()
	}
	switch {
	case ctx.Err() != nil:
		return spec.Answer{Verdict: spec.Timeout, Detail: interrupted}
	case err != nil:
		return spec.Answer{Verdict: spec.Crash, Detail: err.Error()}
	case end.Late:
		return spec.Answer{Verdict: spec.Timeout, Detail: fmt.Sprintf("the command did not end within %v, nor when it ran again, alone, for twice as long", c.opts.Timeout)}
	}
	crash := func(what string) spec.Answer {
		what = "the command " + what
		if text := strings.TrimSpace(end.Stderr); text != "" {
			what += "; its stderr ends:\n" + text
		}
		return spec.Answer{Verdict: spec.Crash, Detail: what}
	}
	switch {
	case end.Excess != "":
		return crash(end.Excess)
	case end.Exit < 0:
		return crash("ended (" + end.State + ")")
	}
	answer := c.verdict(end.Exit, end.Stdout, crash)
	answer.Slow = slow
	return answer
}

// verdict reads the verdict from the exit code or the output; crash makes a Crash
// answer from a description of the failure.
func (c *command) verdict(exit int, out []byte, crash func(string) spec.Answer) spec.Answer {
	allow, disallow := c.opts.AllowPattern, c.opts.DisallowPattern
	if allow == nil && disallow == nil {
		switch exit {
		case c.opts.AllowExit:
			return spec.Allowed(true)
		case c.opts.DisallowExit:
			return spec.Allowed(false)
		}
		return crash(fmt.Sprintf("ended with code %d, where %d allows and %d disallows", exit, c.opts.AllowExit, c.opts.DisallowExit))
	}
	allowed := allow != nil && allow.Match(out)
	disallowed := disallow != nil && disallow.Match(out)
	switch {
	case disallow == nil:
		return spec.Allowed(allowed)
	case allow == nil:
		return spec.Allowed(!disallowed)
	case allowed == disallowed:
		return crash("printed output that matches the patterns for both allow and disallow, or neither")
	}
	return spec.Allowed(allowed)
}
