package fuzz

import (
	"context"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// A ScanChoice is how often a choice of the reference shows on real files.
type ScanChoice struct {
	Point  string `json:"point"`
	Choice string `json:"choice"`
	// Files counts the files, out of ScanQueries.ChoiceFiles, that the reference
	// with this one choice refuses or for which it answers at least one query
	// differently than under RFC 9309.
	Files int64 `json:"files"`
}

// maxChoiceWork bounds the files in which choices are looked for, in bytes times
// queries, where reading counts as ten queries. A file at the bound takes one to
// three seconds, and of 80,000 real files some 0.5 % exceed it.
const maxChoiceWork = 2 << 20

// choiceWork returns the cost of looking for choices, in the unit of
// maxChoiceWork.
func choiceWork(robots []byte, probes []spec.Probe) int { return len(robots) * (10 + len(probes)) }

// newScanChoices returns all choices, in the order of reference.AllDeviations.
func newScanChoices() []ScanChoice {
	var all []ScanChoice
	for _, c := range reference.AllDeviations() {
		all = append(all, ScanChoice{Point: c.Point.String(), Choice: c.ID()})
	}
	return all
}

// choicesShown reports, for each of reference.AllDeviations, whether the choice
// shows in the queries; nil if the file exceeds the bound or ctx ended.
func choicesShown(ctx context.Context, robots []byte, probes []spec.Probe) []bool {
	if choiceWork(robots, probes) > maxChoiceWork {
		return nil
	}
	shows, shown := reading.Shows(robots, probes), make([]bool, len(reference.AllDeviations()))
	for i, c := range reference.AllDeviations() {
		if ctx.Err() != nil {
			return nil
		}
		shown[i] = shows(c)
	}
	return shown
}

// addChoices counts the choices that show in one file.
func (q *ScanQueries) addChoices(shown []bool) {
	if shown == nil {
		return
	}
	q.ChoiceFiles++
	for i, shows := range shown {
		if shows {
			q.Choices[i].Files++
		}
	}
}
