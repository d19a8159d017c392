package process

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/repcheck/repcheck/impl/internal/usage"
)

// An Ending describes how a program ended that ran by itself.
type Ending struct {
	// Stdout is the beginning of its standard output, Stderr the tail of its
	// standard error.
	Stdout []byte
	Stderr string
	// Exit is its exit code; negative if it did not exit by itself.
	Exit int
	// State says how it ended: "exit status 3", "signal: killed".
	State string
	// Late is set if it was killed because it exceeded Options.Timeout.
	Late bool
	// Excess, if not empty, says why it was killed: for its memory, or because it
	// printed more than Options.MaxLine bytes.
	Excess string
}

// keptOutput is how much of a program's output is kept, in bytes.
const keptOutput = 64 << 10

// Run runs opts.Command to its end, in a process group of its own, with no input,
// within opts.Timeout, opts.MaxMemory and opts.MaxLine, which bounds its whole
// output. The processes that it started are killed with it. An error means that
// it could not be started or that ctx ended.
func Run(ctx context.Context, opts Options) (Ending, error) {
	opts = opts.withDefaults()
	p, err := startProcess(&opts)
	if err != nil {
		return Ending{}, err
	}
	_ = p.CloseWrite()
	stop := killLate(ctx, p, opts.Timeout)
	var e Ending
	if e.Stdout, err = readMost(p, opts.MaxLine); err != nil {
		e.Excess = err.Error()
		p.Kill()
	}
	reap(p, usage.MostPatience*opts.Timeout)
	e.Late = !stop()
	select {
	case <-p.Done():
	default:
		return Ending{}, errors.New("the system cannot end the program")
	}
	if ctx.Err() != nil {
		return Ending{}, ctx.Err()
	}
	if p.over != "" {
		e.Excess = p.over
	}
	e.Stderr, e.State, e.Exit = strings.ToValidUTF8(p.Stderr(), "\uFFFD"), p.State(), p.cmd.ProcessState.ExitCode()
	return e, nil
}

// readMost reads r to its end and returns the beginning. More than most bytes are
// an error.
func readMost(r io.Reader, most int) ([]byte, error) {
	var kept []byte
	buffer := make([]byte, pipeBuffer)
	for all := 0; ; {
		n, err := r.Read(buffer)
		kept = append(kept, buffer[:min(n, keptOutput-len(kept))]...)
		if all += n; all > most {
			return kept, lengthOfOutput(most)
		}
		if err != nil {
			return kept, nil
		}
	}
}
