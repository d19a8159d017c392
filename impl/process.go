package impl

import (
	"context"
	"time"

	"github.com/repcheck/repcheck/impl/process"
)

// A processSubject is a parser in a process of its own.
type processSubject struct{ *process.Client }

func (s processSubject) LibraryTime() time.Duration { return s.Stats().Library }

// Process starts the command, which must speak the adapter protocol, and
// returns it as a subject. The command is split into words as a shell would;
// no shell runs. timeout is how long the process may be silent while it owes
// an answer. The error is one sentence that names the command and the mend.
func Process(ctx context.Context, command string, timeout time.Duration) (Subject, error) {
	words, err := process.SplitCommand(command)
	if err != nil {
		return nil, err
	}
	client, err := process.Start(ctx, process.Options{Command: words, Timeout: timeout})
	if err != nil {
		return nil, err
	}
	return processSubject{client}, nil
}
