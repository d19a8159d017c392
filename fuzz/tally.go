package fuzz

// A Tally counts the results of queries. Tallies are summed with Add.
type Tally struct {
	Inputs, Queries, Answers int
	// Disagreements are the queries on which lineages disagree with each other.
	Disagreements int
	// Deviations are the answers, allow or disallow, that the reference does not
	// give under RFC 9309; each is in one of the next four.
	Deviations int
	// Confirmed have a cause that experiments confirmed, Proposed one that no
	// experiment has tested. For Refuted, experiments contradicted every cause
	// that was found. Unexplained have none; Unseen is how many of these were too
	// many to be minimized.
	Confirmed, Proposed, Refuted, Unexplained, Unseen int
	Crashes, Timeouts, Refusals                       int
	// Unsteady counts the answers that depend on earlier queries: the same query
	// alone, after a crash or timeout in a fresh process, got another answer.
	Unsteady int
	// Known counts the answers that show an existing finding.
	Known int
	// New are the IDs of findings that no process had recorded before.
	New []string
}

// Add adds another tally.
func (t *Tally) Add(o Tally) {
	t.Inputs += o.Inputs
	t.Queries += o.Queries
	t.Answers += o.Answers
	t.Disagreements += o.Disagreements
	t.Deviations += o.Deviations
	t.Confirmed += o.Confirmed
	t.Proposed += o.Proposed
	t.Refuted += o.Refuted
	t.Unexplained += o.Unexplained
	t.Unseen += o.Unseen
	t.Crashes += o.Crashes
	t.Timeouts += o.Timeouts
	t.Refusals += o.Refusals
	t.Unsteady += o.Unsteady
	t.Known += o.Known
	t.New = append(t.New, o.New...)
}

// Explained returns the share of the deviations that choices explain, from 0 to
// 1; 1 if there are none.
func (t *Tally) Explained() float64 {
	if t.Deviations == 0 {
		return 1
	}
	return float64(t.Confirmed+t.Proposed) / float64(t.Deviations)
}
