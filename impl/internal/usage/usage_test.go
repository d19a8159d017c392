package usage_test

import (
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/repcheck/repcheck/impl/internal/usage"
)

func TestPatience(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_000_000, 0)
	const limit = 4 * time.Second
	for _, tt := range []struct {
		name   string
		waited time.Duration // by the process since the silence began
		silent time.Duration
		want   time.Duration
	}{
		{"nothing yet", 0, 0, limit},
		{"halfway", 0, 2 * time.Second, 2 * time.Second},
		{"the limit", 0, limit, 0},
		{"halfway, though it waited", time.Second, 2 * time.Second, 2 * time.Second},
		{"it waited for half of the time", 2 * time.Second, limit, 2 * time.Second},
		{"it waited and then had its time", 2 * time.Second, 6 * time.Second, 0},
		{"many threads waited at once", time.Hour, limit, 7 * limit},
		{"the machine is hopeless", time.Hour, 8 * limit, 0},
	} {
		before := 7 * time.Minute
		now := before
		p := usage.Patience{Limit: limit, Waited: func(bool) time.Duration { return now }}
		p.Restart(start)
		now += tt.waited
		if got := p.Left(start.Add(tt.silent)); got != tt.want {
			t.Errorf("%s: %v left, want %v", tt.name, got, tt.want)
		}
	}
	unknown := usage.Patience{Limit: limit}
	unknown.Restart(start)
	if got := unknown.Left(start.Add(limit)); got != 0 {
		t.Errorf("where the waiting time is not known, %v are left, want 0", got)
	}
}

// TestWaited keeps more threads busy than there are processors.
func TestWaited(t *testing.T) {
	if !usage.Known() {
		t.Skip("this system does not tell how long processes wait")
	}
	var stop atomic.Bool
	defer stop.Store(true)
	old := runtime.GOMAXPROCS(4 * runtime.NumCPU())
	defer runtime.GOMAXPROCS(old)
	for range 4 * runtime.NumCPU() {
		go func() {
			for !stop.Load() {
				runtime.Gosched()
			}
		}()
	}
	before := usage.SelfWaited()
	for usage.SelfWaited()-before < 10*time.Millisecond { // ends, or the test binary's own limit ends it
		runtime.Gosched()
	}
	tree := usage.Tree(os.Getpid())
	if m, w := usage.Memory(tree), usage.Waited(tree); m < 1<<20 || w < 10*time.Millisecond {
		t.Errorf("this process holds %d bytes and has waited %v, want a megabyte and 10 ms", m, w)
	}
}
