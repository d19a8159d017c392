package fuzz

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/repcheck/repcheck/impl/subjects"
	"github.com/repcheck/repcheck/spec"
)

// BenchmarkCampaign is a campaign over the Go parsers; an operation is an input,
// put to all of them, explained and kept. The fingerprints are not timed.
func BenchmarkCampaign(b *testing.B) {
	subjects, err := subjects.Open(nil, "rfc9309", 5*time.Second)
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		for _, s := range subjects {
			s.Close()
		}
	}()
	store, err := OpenStore(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	result, err := Campaign(b.Context(), subjects, store, CampaignOptions{Count: uint64(b.N)})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(result.Elapsed.Nanoseconds())/float64(b.N), "ns/op")
	b.ReportMetric(result.Rate(), "answers/s")
	b.ReportMetric(100*result.Tally.Explained(), "%explained")
}

// BenchmarkReduceGrowth reduces files of growing size of which all but one line
// can go: the time for an octet must not grow.
func BenchmarkReduceGrowth(b *testing.B) {
	for _, lines := range []int{500, 1000, 2000, 4000} {
		robots := []byte("User-agent: *\nDisallow: /needle\n")
		for i := range lines {
			robots = fmt.Appendf(robots, "Disallow: /hay/%d\n", i)
		}
		w := Witness{Robots: robots, Probe: spec.Probe{Agent: "FooBot", URL: "http://foo.test/needle"}}
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			b.SetBytes(int64(len(robots)))
			for b.Loop() {
				reduce(b.Context(), w, ReduceOptions{}, func(w Witness) bool { return bytes.Contains(w.Robots, []byte("/needle")) })
			}
		})
	}
}
