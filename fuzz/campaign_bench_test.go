package fuzz

import (
	"testing"
	"time"

	"github.com/repcheck/repcheck/impl"
)

// BenchmarkCampaign is a campaign over the Go parsers, each input an operation.
func BenchmarkCampaign(b *testing.B) {
	subjects, err := impl.Open(nil, "rfc9309", 5*time.Second)
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
	b.ReportMetric(float64(result.Answered)/result.Elapsed.Seconds(), "answers/s")
	b.ReportMetric(100*result.Tally.Explained(), "%explained")
}
