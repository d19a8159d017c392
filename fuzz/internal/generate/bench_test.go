package generate

import "testing"

// BenchmarkGenerate makes usual inputs: inputs/s is what a campaign can count
// on before it asks anybody.
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
