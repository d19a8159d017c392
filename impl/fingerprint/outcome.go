package fingerprint

import "github.com/repcheck/repcheck/spec"

// An Outcome is a verdict in one byte, which makes comparing millions of them
// fast.
type Outcome byte

// The outcomes. Silent is a verdict that cannot be predicted: a crash, a timeout,
// or a query that the subject does not support.
const (
	Silent Outcome = iota
	Allows
	Disallows
	Rejects
)

// OutcomeOf returns the outcome of a verdict.
func OutcomeOf(v spec.Verdict) Outcome {
	switch v {
	case spec.Allow:
		return Allows
	case spec.Disallow:
		return Disallows
	case spec.Reject:
		return Rejects
	}
	return Silent
}

// Verdict returns the verdict of an outcome, "" for Silent.
func (o Outcome) Verdict() spec.Verdict {
	return [...]spec.Verdict{Silent: "", Allows: spec.Allow, Disallows: spec.Disallow, Rejects: spec.Reject}[o]
}

// Agreement counts the answers that are as predicted.
func Agreement(predicted, answers []Outcome) int {
	n := 0
	for i, p := range predicted {
		if answers[i] == p && p != Silent {
			n++
		}
	}
	return n
}
