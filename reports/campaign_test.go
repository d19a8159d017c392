package reports

import (
	"strings"
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

// TestFindingsList: a brief list has a few findings of each kind about each lineage, and
// says how many more there are.
func TestFindingsList(t *testing.T) {
	t.Parallel()
	var findings []fuzz.Finding
	for range mostOfLineage + 3 {
		findings = append(findings, found(fuzz.CrashFound, "temoto", "", ""), found(fuzz.SlowFound, "temoto", "", ""))
	}
	findings = append(findings, found(fuzz.CrashFound, "slyrz", "", ""))
	for brief, want := range map[bool]int{false: len(findings), true: 2*mostOfLineage + 1} {
		d := FindingsList(findings, brief)
		if rows := len(d[0].(doc.Table).Rows); rows != want {
			t.Errorf("brief %t: %d rows, want %d", brief, rows, want)
		}
		var text strings.Builder
		if err := d.Markdown(&text); err != nil {
			t.Fatal(err)
		}
		if says := strings.Contains(text.String(), "and 6 more:"); says != brief || !strings.Contains(text.String(), "17 findings;") {
			t.Errorf("brief %t:\n%s", brief, text.String())
		}
	}
}
