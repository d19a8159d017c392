package fuzz

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

// TestLineages counts votes of two ports of one parser and three others.
func TestLineages(t *testing.T) {
	t.Parallel()
	subject := func(name, lineage string) ScanSubject {
		return ScanSubject{SubjectInfo: spec.SubjectInfo{Name: name, Lineage: lineage}}
	}
	s := &scan{}
	of := &ScanQueries{}
	s.kinds = []scanKind{{ScanQueries: of}}
	of.Lineages, s.lineageOf = newScanLineages([]ScanSubject{
		subject("port1", "google"), subject("own1", ""), subject("port2", "google"), subject("own2", "own2"), subject("own3", ""),
	})
	// A column is a query, a row a subject: + allow, - disallow, x crash.
	rows := []string{
		"+++-+x++", // port1
		"+++++++-", // own1
		"+-+-+x++", // port2
		"++-++++-", // own2
		"++--++x+", // own3
	}
	for q := range rows[0] {
		var verdicts []spec.Verdict
		for _, row := range rows {
			verdicts = append(verdicts, map[byte]spec.Verdict{'+': spec.Allow, '-': spec.Disallow}[row[q]])
		}
		of.countVotes(s.votes(verdicts), make([]lineageFile, 4))
	}
	want := []ScanLineage{
		// Query 2: the ports differ, and the others agree. 3: google and own1 are
		// two of four, which is no majority. 4: google and own3 against own1 and
		// own2. 8: two against two.
		{Name: "google", Subjects: []string{"port1", "port2"}, Queries: 3, Split: 1},
		{Name: "own1", Subjects: []string{"own1"}, Queries: 5},
		{Name: "own2", Subjects: []string{"own2"}, Queries: 5},
		{Name: "own3", Subjects: []string{"own3"}, Queries: 4},
	}
	if diff := cmp.Diff(want, of.Lineages); diff != "" {
		t.Error(diff)
	}
	files := make([]lineageFile, 4)
	of.countVotes(s.votes([]spec.Verdict{spec.Allow, spec.Disallow, spec.Allow, spec.Allow, spec.Allow}), files)
	if diff := cmp.Diff([]lineageFile{{true, false}, {true, true}, {true, false}, {true, false}}, files, cmp.AllowUnexported(lineageFile{})); diff != "" {
		t.Error(diff)
	}
	if l := of.Lineages[1]; l.Against != 1 || l.Alone != 1 || l.Queries != 6 {
		t.Errorf("own1 is alone against three: %+v", l)
	}
	if l := of.Lineages[0]; l.Against != 0 || l.Queries != 4 {
		t.Errorf("google is with the majority: %+v", l)
	}
}
