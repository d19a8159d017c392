package generate

import "testing"

// BenchmarkGenerate generates usual inputs: inputs/s is the upper limit for a
// campaign, before any subject is queried.
func BenchmarkGenerate(b *testing.B) {
	g := New(1)
	octets := 0
	b.ReportAllocs()
	n := uint64(0)
	for b.Loop() {
		octets += len(g.Input(n).Robots)
		n++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "inputs/s")
	b.ReportMetric(float64(octets)/float64(b.N), "octets/input")
}
