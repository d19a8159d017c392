package process

import (
	"fmt"
	"strings"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// A fault makes a run of the adapter unusable: the adapter is killed and started
// again.
type fault struct {
	// verdict is for a request that provokes the fault again when sent alone:
	// Crash, Timeout or ProtocolError.
	verdict spec.Verdict
	// text says what the adapter did and how to fix it; it is written to follow
	// "the adapter".
	text string
	// id is the request that a faulty answer names, 0 if none. It is the first
	// one to be sent again.
	id int64
	// died is set if stdout ended, so that the process may be exiting by itself
	// and waiting a moment for its exit status is worthwhile.
	died bool
	// stray is set for a second answer to a request, as no request in flight
	// caused it.
	stray bool
}

func ended() fault { return fault{verdict: spec.Crash, died: true} }

// hang returns the fault of an adapter that gave no answer within limit, which is
// longer than timeout if the request was sent a second time.
func hang(timeout, limit time.Duration, answeredBefore bool) fault {
	text := fmt.Sprintf("gave no answer for %v", timeout)
	if limit > timeout {
		text += fmt.Sprintf(", nor for %v when the query was sent again, alone", limit)
	}
	if !answeredBefore {
		text += " — if it does print one, flush stdout after it"
	}
	return fault{verdict: spec.Timeout, text: text}
}

func broken(id int64, err error) fault {
	return fault{verdict: spec.ProtocolError, text: err.Error(), id: id}
}

// complete adds what is known once the process has ended: how it ended, if it did
// by itself, and the tail of its stderr.
func (f fault) complete(state, stderr string) fault {
	if f.died {
		switch {
		case state == "":
			f.text = "closed its stdout and kept running — answer until stdin ends, then exit"
		case strings.HasPrefix(state, overMemory):
			f.text = state + " — raise --memory if the library needs that much"
		default:
			f.text = fmt.Sprintf("ended (%s) though stdin was open — catch the library's exceptions and answer with error", state)
		}
	}
	f.text += stderrNote(stderr)
	return f
}

func (f fault) String() string { return "the adapter " + f.text }

// stderrNote returns the text that shows stderr, "" if stderr is empty.
func stderrNote(tail string) string {
	if tail = strings.TrimSpace(strings.ToValidUTF8(tail, "\uFFFD")); tail == "" {
		return ""
	}
	return "; its stderr ends:\n" + tail
}

// lengthError says that a line is longer than allowed.
func lengthError(start []byte, most int) error {
	return fmt.Errorf("printed a line longer than %d octets: %s… — one short answer a line, logs to stderr",
		most, excerpt(start[:min(len(start), 100)]))
}

// lengthOfOutput says that a program printed more than allowed.
func lengthOfOutput(most int) error {
	return fmt.Errorf("printed more than %d bytes", most)
}
