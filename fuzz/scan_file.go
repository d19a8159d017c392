package fuzz

import (
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// A ScanFile is one file of a scan with the queries on which subjects disagree.
type ScanFile struct {
	// Name, Hash and Octets are those of ScanExample.
	Name, Hash    string
	Octets        int
	Disagreements []ScanDisagreement
}

// A ScanDisagreement is a query to which two subjects gave different answers.
type ScanDisagreement struct {
	Kind QueryKind
	spec.Probe
	// Verdicts are in the order of the subjects; "" if one could not be queried.
	Verdicts []spec.Verdict
	// Causes holds, for each verdict that the reference does not give under RFC
	// 9309, the choices each of which makes it do so. It is empty for a verdict
	// that no single choice gives, and for a large file.
	Causes map[spec.Verdict][]Change
}

// fileOf returns the ScanFile of a file.
func fileOf(j scanJob, batches []scanBatch) *ScanFile {
	f := &ScanFile{Name: j.file.Name, Hash: j.file.Hash(), Octets: len(j.file.Robots)}
	r := reading.New(j.file.Robots)
	for k := range batches {
		b := &batches[k]
		explains := choiceWork(j.file.Robots, b.probes) <= maxChoiceWork
		for i, p := range b.probes {
			d := ScanDisagreement{Kind: b.kind, Probe: p, Verdicts: make([]spec.Verdict, len(b.answers)), Causes: map[spec.Verdict][]Change{}}
			answers := map[spec.Verdict]bool{}
			for s := range b.answers {
				d.Verdicts[s] = b.answers[s][i].Verdict
				if d.Verdicts[s].Answered() {
					answers[d.Verdicts[s]] = true
				}
			}
			if len(answers) < 2 {
				continue
			}
			for verdict := range answers {
				if !explains || verdict == r.Verdict(reference.RFC9309(), p) {
					continue
				}
				for _, c := range candidates() {
					if r.Gives(verdict, p, c) {
						d.Causes[verdict] = append(d.Causes[verdict], c)
					}
				}
			}
			f.Disagreements = append(f.Disagreements, d)
		}
	}
	return f
}
