package fuzz

import (
	"cmp"
	"context"
	"slices"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// A Differ puts the same questions to several subjects and tells their answers
// apart. It is safe for concurrent use and does not close the subjects.
type Differ struct {
	subjects []impl.Subject
	infos    []spec.SubjectInfo
	sorted   []int // indices by name
}

// NewDiffer returns the differ of the subjects, whose names must be unique.
func NewDiffer(subjects []impl.Subject) *Differ {
	d := &Differ{subjects: subjects}
	for _, s := range subjects {
		d.infos = append(d.infos, s.Info())
	}
	d.sorted = sortedByName(d.infos)
	return d
}

func sortedByName(infos []spec.SubjectInfo) []int {
	sorted := make([]int, len(infos))
	for i := range sorted {
		sorted[i] = i
	}
	slices.SortFunc(sorted, func(a, b int) int { return cmp.Compare(infos[a].Name, infos[b].Name) })
	return sorted
}

// Subjects says who is asked, in the order of every list of answers.
func (d *Differ) Subjects() []spec.SubjectInfo { return d.infos }

// Ask puts every probe to every subject, one subject after the other. The
// answers to probe i are at index i, in the order of the subjects. When ctx
// ends early the result is nil: a subject that was interrupted did not run out
// of time by itself.
//
// A subject that can answer no more (see impl.Subject.Err) is Unsupported, since
// its silence says nothing of the question.
func (d *Differ) Ask(ctx context.Context, robots []byte, probes []spec.Probe) [][]spec.Answer {
	all := make([]spec.Answer, len(probes)*len(d.subjects))
	answers := make([][]spec.Answer, len(probes))
	for i := range answers {
		answers[i] = all[i*len(d.subjects) : (i+1)*len(d.subjects)]
	}
	for s, subject := range d.subjects {
		if err := subject.Err(); err != nil {
			for i := range probes {
				answers[i][s] = lost(err)
			}
			continue
		}
		got := subject.Ask(ctx, robots, probes)
		err := subject.Err()
		for i, a := range got {
			if err != nil && a.Verdict == spec.Timeout && a.Detail == err.Error() {
				a = lost(err)
			}
			answers[i][s] = a
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return answers
}

func lost(err error) spec.Answer {
	return spec.Answer{Verdict: spec.Unsupported, Detail: err.Error()}
}

// Signature returns the signature of the answers to one probe.
func (d *Differ) Signature(answers []spec.Answer) Signature {
	return signatureOf(d.infos, d.sorted, answers)
}

// SignatureOf asks one question and returns its signature with the answers;
// the answers are nil if ctx ended first.
func (d *Differ) SignatureOf(ctx context.Context, w Witness) (Signature, []spec.Answer) {
	answers := d.Ask(ctx, w.Robots, []spec.Probe{w.Probe})
	if answers == nil {
		return Signature{}, nil
	}
	return d.Signature(answers[0]), answers[0]
}
