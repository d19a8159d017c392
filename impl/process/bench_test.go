package process

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/repcheck/repcheck/spec"
)

// pythonAdapter returns the command of the Python adapter, or skips. In CI,
// REPCHECK_REQUIRE_ADAPTERS=1 makes its absence a failure.
func pythonAdapter(t testing.TB) Options {
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("REPCHECK_REQUIRE_ADAPTERS") == "1" {
			t.Fatalf("python3 is required: %v", err)
		}
		t.Skipf("no python3, the Python adapter is not tested: %v", err)
	}
	return Options{Command: []string{python, "adapter.py"}, Dir: filepath.Join("..", "subjects", "adapters", "python-urllib")}
}

// BenchmarkPipe measures queries per second through the protocol, one URL per
// request: in lock-step (one Ask at a time) and pipelined (Parallel at a time),
// with a subject that costs nothing and with a real one.
func BenchmarkPipe(b *testing.B) {
	robots := []byte("User-agent: *\nDisallow: /no\nAllow: /n\nDisallow: /tmp\n")
	for _, adapter := range []struct {
		name string
		opts func(testing.TB) Options
	}{
		{"go", func(t testing.TB) Options { return self(t, "serve", 0) }},
		{"python", pythonAdapter},
	} {
		for _, mode := range []string{"lockstep", "pipelined", "pipelined-newfile", "batch100"} {
			b.Run(adapter.name+"/"+mode, func(b *testing.B) {
				c, err := Start(b.Context(), adapter.opts(b))
				if err != nil {
					b.Fatal(err)
				}
				defer c.Close()
				workers, urls := 1, 1
				if mode != "lockstep" {
					workers = c.Parallel()
				}
				if mode == "batch100" {
					workers, urls = 4, 100
				}
				var next atomic.Int64
				var wg sync.WaitGroup
				b.ReportAllocs()
				b.ResetTimer()
				for range workers {
					wg.Go(func() {
						for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
							probes := make([]spec.Probe, urls)
							for i := range probes {
								probes[i] = spec.Probe{Agent: "FooBot", URL: fmt.Sprintf("http://x.test/nothing/%d-%d", n, i)}
							}
							file := robots
							if mode == "pipelined-newfile" {
								file = fmt.Appendf(nil, "%s# %d\n", robots, n)
							}
							if a := c.Ask(context.Background(), file, probes); a[0].Verdict != spec.Disallow {
								b.Error(a)
							}
						}
					})
				}
				wg.Wait()
				b.StopTimer()
				b.ReportMetric(float64(b.N*urls)/b.Elapsed().Seconds(), "queries/s")
			})
		}
	}
}
