package impl

import (
	"context"
	"time"

	"github.com/repcheck/repcheck/impl/process"
)

// A processSubject is a parser in a process of its own.
type processSubject struct{ *process.Client }

func (processSubject) Kind() Kind { return InOwnProcess }

// Fresh makes processSubject a [Restarter].
func (s processSubject) Fresh(ctx context.Context) (Subject, error) {
	client, err := s.Client.Fresh(ctx)
	if err != nil {
		return nil, err
	}
	return processSubject{client}, nil
}

// ProcessOptions bound what a parser in a process of its own may take. The zero
// value takes the defaults of process.Options.
type ProcessOptions struct {
	// Timeout is how long the process may be silent while it owes an answer,
	// StartTimeout how long it may take to start.
	Timeout, StartTimeout time.Duration
	// Memory is how many bytes it may hold; see process.Options.MaxMemory.
	Memory int64
	// Env adds to its environment; see process.Environment.
	Env []string
}

// Process returns the options for package process, without a command.
func (o *ProcessOptions) Process() process.Options {
	return process.Options{Timeout: o.Timeout, StartTimeout: o.StartTimeout, MaxMemory: o.Memory, Env: process.Environment(o.Env...)}
}

// Process starts the command, which must speak the adapter protocol, and
// returns it as a subject. The command is split into words as a shell would;
// no shell runs. The error is one sentence that names the command and the fix.
func Process(ctx context.Context, command string, o ProcessOptions) (Subject, error) {
	words, err := process.SplitCommand(command)
	if err != nil {
		return nil, err
	}
	options := o.Process()
	options.Command = words
	return StartProcess(ctx, options)
}

// StartProcess is [Process] for a command that is split already, and for the
// options that only package process has.
func StartProcess(ctx context.Context, options process.Options) (Subject, error) {
	client, err := process.Start(ctx, options)
	if err != nil {
		return nil, err
	}
	return processSubject{client}, nil
}
