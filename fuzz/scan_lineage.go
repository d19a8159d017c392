package fuzz

import "github.com/repcheck/repcheck/spec"

// A ScanLineage compares one lineage with the others. Each lineage has one vote,
// regardless of how many subjects it has.
//
// A lineage has a vote on a query if all of its subjects that answered give the
// same verdict. A query counts if at least three lineages vote and more than half
// of them agree.
type ScanLineage struct {
	// Name is that of the lineage, or of the subject if it is independent.
	Name     string   `json:"name"`
	Subjects []string `json:"subjects"`
	// Queries are those that count and on which it voted; Against is on how many
	// of them it voted against the majority, Alone on how many no other lineage
	// did.
	Queries int64 `json:"queries"`
	Against int64 `json:"against"`
	Alone   int64 `json:"alone"`
	// Files are those with a query that is counted in Queries, of which
	// FilesAgainst have one that is counted in Against.
	Files        int64 `json:"files"`
	FilesAgainst int64 `json:"files_against"`
	// Split counts the queries on which its own subjects disagree.
	Split int64 `json:"split,omitempty"`
}

// newScanLineages returns a lineage for each code base among the subjects, in
// their order, and for each subject the index of its lineage.
func newScanLineages(subjects []ScanSubject) (all []ScanLineage, of []int) {
	at := map[string]int{}
	for i := range subjects {
		s := &subjects[i]
		name := lineageOf(s.SubjectInfo)
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

// divided is the vote of a lineage whose subjects disagree.
const divided spec.Verdict = "divided"

// votes returns the vote of each lineage on one query. The verdicts are in the order
// of the subjects, "" for one that gave no answer.
func (s *scan) votes(verdicts []spec.Verdict) []spec.Verdict {
	votes := make([]spec.Verdict, len(s.kinds[0].Lineages))
	for i, v := range verdicts {
		switch k := s.lineageOf[i]; {
		case v == "" || votes[k] == v:
		case votes[k] == "":
			votes[k] = v
		default:
			votes[k] = divided
		}
	}
	return votes
}

// disagreeing reports whether two lineages vote differently.
func disagreeing(votes []spec.Verdict) bool {
	var first spec.Verdict
	for _, v := range votes {
		switch {
		case v == "" || v == divided:
		case first == "":
			first = v
		case v != first:
			return true
		}
	}
	return false
}

// A lineageFile is what the votes on one file's queries say of a lineage.
type lineageFile struct{ votes, against bool }

// countVotes counts the votes of the lineages on one query.
func (q *ScanQueries) countVotes(votes []spec.Verdict, files []lineageFile) {
	voters, count := 0, map[spec.Verdict]int{}
	majority := spec.Verdict("")
	for k, v := range votes {
		switch v {
		case "":
		case divided:
			q.Lineages[k].Split++
		default:
			voters++
			if count[v]++; count[v] > count[majority] {
				majority = v
			}
		}
	}
	agree := count[majority]
	if voters < 3 || 2*agree <= voters {
		return
	}
	for k, v := range votes {
		if v == "" || v == divided {
			continue
		}
		l := &q.Lineages[k]
		l.Queries++
		files[k].votes = true
		if v != majority {
			l.Against++
			files[k].against = true
			if voters-agree == 1 {
				l.Alone++
			}
		}
	}
}

// AgainstRate returns the share of the queries on which the lineage voted against
// the majority, between 0 and 1.
func (l ScanLineage) AgainstRate() float64 { return share(l.Against, l.Queries) }
