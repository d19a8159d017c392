package impl

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/repcheck/repcheck/spec"
)

// This measures the overhead of the guard: the parser does nothing.
func BenchmarkInProcessAsk(b *testing.B) {
	parse := func([]byte) (match, error) { return yes, nil }
	robots := []byte(strings.Repeat("User-agent: *\nDisallow: /private/\n", 30))
	for _, n := range []int{1, 10, 100} {
		ps := make([]spec.Probe, n)
		b.Run(fmt.Sprintf("probes=%d", n), func(b *testing.B) {
			s := start(b, parse, InProcessOptions{})
			b.ReportAllocs()
			for b.Loop() {
				s.Ask(context.Background(), robots, ps)
			}
		})
		b.Run(fmt.Sprintf("probes=%d/parallel", n), func(b *testing.B) {
			s := start(b, parse, InProcessOptions{})
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					s.Ask(context.Background(), robots, ps)
				}
			})
		})
	}
}
