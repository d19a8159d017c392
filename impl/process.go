package impl

import (
	"context"

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

// ProcessOptions define how to run a program. The zero value selects the
// defaults; [Process] and [Command] set the field Command themselves.
type ProcessOptions = process.Options

// Process starts the command, which must speak the adapter protocol, and
// returns it as a subject. The command is split into words as a shell would;
// no shell runs. The error is one sentence that names the command and the fix.
func Process(ctx context.Context, command string, o ProcessOptions) (Subject, error) {
	words, err := process.SplitCommand(command)
	if err != nil {
		return nil, err
	}
	o.Command = words
	return StartProcess(ctx, o)
}

// StartProcess is like [Process], for a command that is already split: o.Command.
func StartProcess(ctx context.Context, o ProcessOptions) (Subject, error) {
	client, err := process.Start(ctx, o)
	if err != nil {
		return nil, err
	}
	return processSubject{client}, nil
}
