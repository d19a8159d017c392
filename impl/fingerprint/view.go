package fingerprint

import (
	"slices"

	"github.com/repcheck/repcheck/impl/reference"
)

// A View compares the answers of one subject with the predictions of an
// interpretation.
type View struct {
	*Sample
	In reference.Interpretation
	// Answers and Predicted are indexed by query.
	Answers, Predicted []Outcome
	// Missed are the queries whose answers differ from the predictions, except
	// Silent ones.
	Missed []int
	// Wrong are the files with such an answer, Right the others.
	Wrong, Right []int
}

// View returns the view of the answers to all queries.
func (s *Sample) View(in reference.Interpretation, answers []Outcome) *View {
	v := s.view(in, answers, s.Predict(in), s.all)
	slices.Sort(v.Missed)
	return v
}

// view returns the view of the answers about some files.
func (s *Sample) view(in reference.Interpretation, answers, predicted []Outcome, files []int) *View {
	v := &View{Sample: s, In: in, Answers: answers, Predicted: predicted}
	for _, f := range files {
		missed := len(v.Missed)
		for i := s.first[f]; i < s.first[f+1]; i++ {
			if answers[i] != predicted[i] && answers[i] != Silent {
				v.Missed = append(v.Missed, i)
			}
		}
		if len(v.Missed) > missed {
			v.Wrong = append(v.Wrong, f)
		} else {
			v.Right = append(v.Right, f)
		}
	}
	return v
}

// Evidence is what a subject's answers show about a change of an interpretation:
// For are the queries whose answers are predicted only with the change, Against
// those whose answers are predicted only without it.
type Evidence struct{ For, Against []int }

// Net is how many more answers are predicted with the change.
func (e *Evidence) Net() int { return len(e.For) - len(e.Against) }

// Change returns the evidence about a change in the answers about files.
func (v *View) Change(c reference.Change, files []int) (e Evidence) {
	v.compare(v.PredictAbout(c.Of(v.In), files), files, &e)
	return e
}

// compare adds the evidence of the answers about files for another prediction.
func (v *View) compare(then []Outcome, files []int, e *Evidence) {
	for _, f := range files {
		for i := v.first[f]; i < v.first[f+1]; i++ {
			switch answer := v.Answers[i]; {
			case v.Predicted[i] == then[i] || answer == Silent:
			case then[i] == answer:
				e.For = append(e.For, i)
			case v.Predicted[i] == answer:
				e.Against = append(e.Against, i)
			}
		}
	}
}
