package fuzz

import "github.com/repcheck/repcheck/spec"

// A ScanLineage is how one lineage compares with the others, each lineage being
// one voice however many subjects it has.
//
// A lineage has a vote on a query if all of its subjects that answered say the
// same. A query counts where at least three lineages vote and more than half of
// them agree.
type ScanLineage struct {
	// Name is the lineage's, or the subject's if it is independent.
	Name     string   `json:"name"`
	Subjects []string `json:"subjects"`
	// Queries are those that count and on which it voted: Against is on how many
	// of them it voted against the majority, Alone on how many nobody else did.
	Queries int64 `json:"queries"`
	Against int64 `json:"against"`
	Alone   int64 `json:"alone"`
	// Split counts the queries on which its own subjects part.
	Split int64 `json:"split,omitempty"`
}

// newScanLineages returns a lineage for each code base among the subjects, in
// their order, and for each subject the place of its lineage.
func newScanLineages(subjects []ScanSubject) (all []ScanLineage, of []int) {
	at := map[string]int{}
	for i := range subjects {
		s := &subjects[i]
		name := s.Lineage
		if name == "" {
			name = s.Name
		}
		k, ok := at[name]
		if !ok {
			k = len(all)
			at[name] = k
			all = append(all, ScanLineage{Name: name})
		}
		all[k].Subjects = append(all[k].Subjects, s.Name)
		of = append(of, k)
	}
	return all, of
}

// vote counts what the lineages say of the queries of one file.
func (t *scanTally) vote(n int, replies []reply) {
	lineages := t.result.Lineages
	votes := make([]spec.Verdict, len(lineages))
	const parted spec.Verdict = "parted"
	for q := range n {
		clear(votes)
		for i := range replies {
			if replies[i].answers == nil || !isAnswer(replies[i].answers[q].Verdict) {
				continue
			}
			switch v, k := replies[i].answers[q].Verdict, t.lineageOf[i]; votes[k] {
			case notAsked:
				votes[k] = v
			case v, parted:
			default:
				votes[k] = parted
				lineages[k].Split++
			}
		}
		count := map[spec.Verdict]int{}
		voters := 0
		for _, v := range votes {
			if v != notAsked && v != parted {
				count[v]++
				voters++
			}
		}
		if voters < 3 {
			continue
		}
		for majority, agree := range count {
			if 2*agree <= voters {
				continue
			}
			for k, v := range votes {
				if v == notAsked || v == parted {
					continue
				}
				lineages[k].Queries++
				if v != majority {
					lineages[k].Against++
					if voters-agree == 1 {
						lineages[k].Alone++
					}
				}
			}
		}
	}
}

// AgainstRate is the share of the queries on which the lineage voted against
// the majority, between 0 and 1.
func (l ScanLineage) AgainstRate() float64 { return share(l.Against, l.Queries) }
