package process

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// TestMemory queries an adapter that starts a process which takes one and a half
// times the memory allowed: both processes are killed, that query is marked, and
// the next one is answered.
func TestMemory(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("memory is watched on Linux only")
	}
	opts := self(t, "swallow memory", 4)
	opts.MaxMemory, opts.Timeout = 100<<20, 20*time.Second
	c, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	probes := questions(2)
	want := want(probes, spec.Answer{Verdict: spec.Crash, Detail: "MiB where the limit is 100 MiB — raise --memory"})
	match(t, want, c.Ask(t.Context(), nil, probes))
	if faults := strings.Join(c.Stats().Faults, "\n"); !strings.Contains(faults, overMemory) {
		t.Errorf("faults are %q, want one about memory", faults)
	}
}
