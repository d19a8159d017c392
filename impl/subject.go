// Package impl queries robots.txt parsers. A parser of any sort is a [Subject];
// there are five ways to make one:
//
//   - [Func]: a Go function that answers one query;
//   - [InProcess]: a Go parser that reads a file once for many queries;
//   - [Process]: a program in any language that speaks the adapter protocol;
//   - [Command]: a command line that is run once for each query;
//   - [Reference]: the reference implementation; [Interpreted] has changed choices.
package impl

import (
	"context"

	"github.com/repcheck/repcheck/impl/process"
	"github.com/repcheck/repcheck/spec"
)

// A Subject is a parser under test.
//
// Even if the parser panics, hangs, dies or prints garbage, Ask returns, and its
// answers say what happened.
type Subject interface {
	// Info identifies the parser. It does not change while the subject lives.
	Info() spec.SubjectInfo

	// Kind returns where the parser runs.
	Kind() Kind

	// Ask sends every probe to the parser with the given file and returns one
	// answer for each, in order. It keeps neither slice and is safe for
	// concurrent use. If ctx ends early, the probes not yet answered get Timeout.
	Ask(ctx context.Context, robots []byte, probes []spec.Probe) []spec.Answer

	// Parallel is how many concurrent calls of Ask keep the subject busy.
	Parallel() int

	// Stats returns the counts so far.
	Stats() Stats

	// Err returns why the subject can answer no more queries, or nil while it
	// can.
	Err() error

	// Close releases what the subject holds. Ask must not be called after it.
	Close() error
}

// A Kind is the place where a parser runs.
type Kind int

const (
	// InThisProcess: a call that hangs cannot be ended.
	InThisProcess Kind = iota
	// InOwnProcess: one process answers many queries; see [Restarter].
	InOwnProcess
	// InManyProcesses: each query is the only one of its process.
	InManyProcesses
)

// Stats are counts and times of a subject since its start.
type Stats = process.Stats

// A Restarter is a subject of the kind InOwnProcess of which a second instance
// can be started, in a process that has seen no query. The subject that Fresh
// returns must be closed.
type Restarter interface {
	Fresh(ctx context.Context) (Subject, error)
}
