// Package impl holds everything that can be asked about a robots.txt file: the
// reference, Go parsers in this process, and parsers in processes of their own
// that speak the adapter protocol.
package impl

import (
	"context"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// A Subject is a parser under examination.
//
// Whatever the parser does (panic, hang, die, print garbage), Ask returns, and
// says so in the answers.
type Subject interface {
	// Info says who answers. It does not change while the subject lives.
	Info() spec.SubjectInfo

	// Ask puts every probe to the parser with the given file and returns one
	// answer for each, in order. It keeps neither slice and is safe for
	// concurrent use. When ctx ends early, the probes not yet answered get
	// Timeout.
	Ask(ctx context.Context, robots []byte, probes []spec.Probe) []spec.Answer

	// Parallel is how many concurrent calls of Ask keep the subject busy.
	Parallel() int

	// Err tells why the subject can answer no more; nil while it can.
	Err() error

	// Close releases what the subject holds. Ask must not be called after it.
	Close() error
}

// A LibraryTimer is a subject that knows how long its library itself took for
// all answers so far, without what carries questions and answers.
type LibraryTimer interface{ LibraryTime() time.Duration }

// A Restarter is a subject that can be had once more in a process that has seen
// nothing yet. What it returns must be closed.
type Restarter interface {
	Fresh(ctx context.Context) (Subject, error)
}

// A Faulty is a subject that may break the adapter protocol. Faults describes
// how it did.
type Faulty interface{ Faults() []string }
