package fuzz

import (
	"context"

	"github.com/repcheck/repcheck/spec"
)

// A ScanChoice is how often a choice of the reference shows on real files.
type ScanChoice struct {
	Point  string `json:"point"`
	Choice string `json:"choice"`
	// Files is on how many of ScanResult.ChoiceFiles the reference, with this
	// one choice flipped, refuses the file or answers at least one question
	// otherwise than under RFC 9309.
	Files int64 `json:"files"`
}

// Flip is the choice.
func (c ScanChoice) Flip() Flip { return Flip{Point: c.Point, Choice: c.Choice} }

// maxChoiceWork bounds the files in which choices are looked for, by octets
// times questions, where reading counts as ten questions. A file at the bound
// takes a second or three, and of 80,000 real files some 0.5 % lie above it.
const maxChoiceWork = 2 << 20

// choiceWork is what looking for choices costs, in the unit of maxChoiceWork.
func choiceWork(robots []byte, probes []spec.Probe) int { return len(robots) * (10 + len(probes)) }

// newScanChoices returns all choices, in the order of allChoices.
func newScanChoices() []ScanChoice {
	var all []ScanChoice
	for _, c := range allChoices() {
		f := c.flip()
		all = append(all, ScanChoice{Point: f.Point, Choice: f.Choice})
	}
	return all
}

// choicesShown tells, for each of allChoices, whether the choice shows in the
// questions; nil if the file is beyond the bound or ctx ended.
func choicesShown(ctx context.Context, robots []byte, probes []spec.Probe) []bool {
	if choiceWork(robots, probes) > maxChoiceWork {
		return nil
	}
	shown := make([]bool, len(allChoices()))
	eachShown(robots, probes, allChoices(), func(i int, shows bool) bool {
		shown[i] = shows
		return ctx.Err() == nil
	})
	if ctx.Err() != nil {
		return nil
	}
	return shown
}

// addChoices counts the choices that show in one file.
func (t *scanTally) addChoices(shown []bool) {
	if shown == nil {
		return
	}
	t.result.ChoiceFiles++
	for i, s := range shown {
		if s {
			t.result.Choices[i].Files++
		}
	}
}
