package mutant

import (
	"github.com/repcheck/repcheck/impl/reference/plain"
	"github.com/repcheck/repcheck/spec"
)

// The types that a fault works on.
type (
	model   = plain.Model
	kind    = plain.Kind
	record  = plain.Record
	group   = plain.Group
	rule    = plain.Rule
	pattern = plain.Pattern
)

// A fault is a mistake in a model: change replaces one of its steps.
type fault struct {
	id, breaks, means string
	change            func(m *model)
	witness           Witness
}

// faults are all faults, in the order of the steps of a parser.
var faults = [][]fault{octetFaults, recordFaults, groupFaults, agentFaults, pathFaults, escapeFaults, patternFaults, decisionFaults}

func (f fault) mutant() Mutant {
	m := plain.New()
	f.change(m)
	return Mutant{ID: f.id, Breaks: f.breaks, Means: f.means, Witness: f.witness, Parse: answers(m)}
}

// answers returns a model in the form of Mutant.Parse.
func answers(m *model) func(robots []byte) (func(agent, url string) spec.Answer, error) {
	return func(robots []byte) (func(agent, url string) spec.Answer, error) {
		allowed, err := m.Parse(robots)
		if err != nil {
			return nil, err
		}
		return func(agent, url string) spec.Answer { return spec.Allowed(allowed(agent, url)) }, nil
	}
}
