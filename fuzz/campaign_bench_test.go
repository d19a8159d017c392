package fuzz

import (
	"testing"
	"time"

	"github.com/repcheck/repcheck/impl/subjects"
)

// BenchmarkCampaign runs a campaign with the Go parsers; an operation is one
// input, sent to all of them, explained and recorded. The fingerprints are not
// timed.
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
