package reports

import (
	"testing"
	"time"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

func TestCampaign(t *testing.T) {
	t.Parallel()
	parser := func(name string, tally fuzz.Tally) fuzz.CampaignSubject {
		return fuzz.CampaignSubject{SubjectInfo: spec.SubjectInfo{Name: name}, Inputs: uint64(tally.Inputs), Tally: tally}
	}
	calm := parser("temoto", fuzz.Tally{Inputs: 300, Answers: 7000, Deviations: 900, Confirmed: 890, Proposed: 10})
	ill := parser("python-urllib", fuzz.Tally{Inputs: 120, Answers: 1000, Deviations: 9, Unexplained: 9, Unseen: 2, Crashes: 4})
	ill.Lost = "the process ended 3 times in a row: exit status 1\x1b[0m"
	r := &fuzz.CampaignResult{CampaignProgress: fuzz.CampaignProgress{
		Elapsed: 12 * time.Second, Answered: 8000, Next: 300, Left: time.Minute, Clusters: map[fuzz.Kind]int{fuzz.UnexplainedAnswer: 2, fuzz.Disagreement: 9},
		Tally:    fuzz.Tally{Inputs: 300, Answers: 8000, Deviations: 909, Confirmed: 890, Proposed: 10, Unexplained: 9, Unseen: 2, Unsteady: 3, New: []string{"a", "b"}},
		Subjects: []fuzz.CampaignSubject{calm, ill},
	}}
	goldenDocument(t, "campaign", true, func(Options) doc.Document { return Campaign(r, foundEvery(), "it's here") })
	goldenDocument(t, "campaign-progress", false, func(Options) doc.Document { return CampaignProgress(&r.CampaignProgress) })
}
