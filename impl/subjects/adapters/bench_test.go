package adapters

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/repcheck/repcheck/impl/process"
	"github.com/repcheck/repcheck/spec"
)

// BenchmarkAdapters measures queries per second through the pipe, for a few hundred
// different small files with ten URLs per request. It also reports the time in the
// library, as measured by the adapter.
func BenchmarkAdapters(b *testing.B) {
	home, err := FindHome()
	if err != nil {
		b.Fatal(err)
	}
	var files [][]byte
	for _, q := range questions(400) {
		if len(q.robots) < 2000 {
			files = append(files, q.robots)
		}
	}
	probes := make([]spec.Probe, 10)
	for i := range probes {
		probes[i] = spec.Probe{Agent: "FooBot", URL: "http://foo.test/a/b/" + string(rune('a'+i)) + ".html?q=1"}
	}
	for _, a := range all(b) {
		if a.LeftOut != "" {
			continue
		}
		b.Run(a.Name, func(b *testing.B) {
			if s := home.State(a); s.Readiness != Ready {
				b.Skipf("%s, %s: %s", s.Readiness, s.Why, s.Fix)
			}
			client, err := process.Start(b.Context(), home.Options(a))
			if err != nil {
				b.Fatal(err)
			}
			defer client.Close()
			var next atomic.Int64
			var wg sync.WaitGroup
			b.ResetTimer()
			for range client.Parallel() {
				wg.Go(func() {
					for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
						client.Ask(context.Background(), files[int(n)%len(files)], probes)
					}
				})
			}
			wg.Wait()
			b.StopTimer()
			queries := float64(b.N * len(probes))
			b.ReportMetric(queries/b.Elapsed().Seconds(), "queries/s")
			if library := client.Stats().Library; library > 0 {
				b.ReportMetric(queries/library.Seconds(), "library/s")
			}
		})
	}
}
