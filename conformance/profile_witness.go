package conformance

import (
	"slices"

	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/impl/reference"
)

// witnesses are the questions that tell the choices of a point apart, for
// every point, around a subject's own interpretation.
type witnesses struct {
	*questions
	answers []fingerprint.Outcome
	in      reference.Interpretation
	points  []pointWitnesses
	// witness counts, for each question, the points it is a witness of: the
	// fewer, the less there is beside the point that it could speak of.
	witness []int
	// laid says, for each question, at the door of which point its answer was
	// laid: -1 if it is as predicted.
	laid []int
}

const nobody = -1

// pointWitnesses are the witnesses of one point.
type pointWitnesses struct {
	point reference.Point
	// predicted are the answers under each choice.
	predicted [][]fingerprint.Outcome
	// asked are the witnesses that got an answer which some choice gives,
	// silent counts the others.
	asked  []int
	silent int
}

func newWitnesses(q *questions, answers []fingerprint.Outcome, in reference.Interpretation) *witnesses {
	w := &witnesses{questions: q, answers: answers, in: in, witness: make([]int, len(answers))}
	for _, point := range reference.Points() {
		of := pointWitnesses{point: point}
		for c := range point.Choices() {
			of.predicted = append(of.predicted, q.Flipped(in, point, reference.Choice(c)))
		}
		for i := range of.predicted[0] {
			switch {
			case !of.tells(i):
				continue
			case slices.ContainsFunc(of.predicted, func(v []fingerprint.Outcome) bool { return v[i] == answers[i] }):
				of.asked = append(of.asked, i)
			default:
				of.silent++
			}
			w.witness[i]++
		}
		w.points = append(w.points, of)
	}
	w.lay()
	return w
}

// tells reports whether the choices answer the question differently.
func (of *pointWitnesses) tells(i int) bool {
	for _, v := range of.predicted[1:] {
		if v[i] != of.predicted[0][i] {
			return true
		}
	}
	return false
}

// fit counts the answers to those questions that the choice gives.
func (of *pointWitnesses) fit(choice int, asked []int, answers []fingerprint.Outcome) int {
	n := 0
	for _, i := range asked {
		if of.predicted[choice][i] == answers[i] {
			n++
		}
	}
	return n
}

// share is how many of the answers that tell the two choices apart the first
// one gives, from 0 to 1.
func (of *pointWitnesses) share(choice, own int, answers []fingerprint.Outcome) float64 {
	fit, all := 0, 0
	for _, i := range of.asked {
		if of.predicted[choice][i] == of.predicted[own][i] {
			continue
		}
		all++
		if of.predicted[choice][i] == answers[i] {
			fit++
		}
	}
	return float64(fit) / float64(max(all, 1))
}

const (
	// leastShare is the least share of a choice that a subject takes now and
	// then. What gives fewer than one in ten of the answers that it tells
	// apart was never taken: the few are defects that look like it.
	leastShare = 0.1

	// ownShare is the least share that counts for a choice at the point that a
	// case classifies. A subject of two minds at another point shows each of
	// them in about half of its answers there; a defect shows in a few.
	ownShare = 1.0 / 3
)

// lay lays every answer that is not as predicted at the door of one point:
// where a choice that gives it gives the largest share of the other answers.
// What a case is about counts for it.
func (w *witnesses) lay() {
	w.laid = make([]int, len(w.answers))
	largest := make([]float64, len(w.answers))
	for i := range w.laid {
		w.laid[i] = nobody
	}
	predicted := w.Answers(w.in)
	for n := range w.points {
		of := &w.points[n]
		for c := range of.predicted {
			share := of.share(c, int(w.in[of.point]), w.answers)
			for _, i := range of.asked {
				if predicted[i] == w.answers[i] || of.predicted[c][i] != w.answers[i] {
					continue
				}
				its := share
				if w.all[i].of.Point == of.point.String() {
					its = max(its, ownShare)
				}
				if its >= leastShare && its > largest[i] {
					w.laid[i], largest[i] = n, its
				}
			}
		}
	}
}
