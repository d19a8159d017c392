package mutant

// A fault is what is wrong with a model.
type fault struct {
	id, breaks, means string
	change            func(m *model)
	witness           Witness
}

// faults are all faults, in the order in which a parser comes to them.
var faults = [][]fault{octetFaults, recordFaults, groupFaults, agentFaults, pathFaults, escapeFaults, patternFaults, decisionFaults}

func (f fault) mutant() Mutant {
	m := newModel()
	f.change(m)
	return Mutant{ID: f.id, Breaks: f.breaks, Means: f.means, Witness: f.witness, Parse: m.parse}
}
