package conformance

import (
	"cmp"
	"slices"

	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// judge judges every point, and returns the answers laid at no door.
func (w *witnesses) judge() (points []PointProfile, unexplained []Witness) {
	for n := range w.points {
		points = append(points, w.point(n))
	}
	for i, predicted := range w.Answers(w.in) {
		if w.laid[i] == nobody && w.answers[i] != predicted && w.answers[i] != fingerprint.Silent {
			unexplained = append(unexplained, w.one(i, nil))
		}
	}
	return points, unexplained
}

// point says what the subject does at the point at that place.
func (w *witnesses) point(n int) PointProfile {
	of := &w.points[n]
	p := PointProfile{Point: of.point.String(), Silent: of.silent}
	var asked, against []int
	for _, i := range of.asked {
		if of.predicted[w.in[of.point]][i] == w.answers[i] || w.laid[i] == n {
			asked = append(asked, i)
		}
	}
	if p.Total = len(asked); p.Total == 0 {
		w.untold(of, &p)
		return p
	}
	fits := make([]int, len(of.predicted))
	for c := range fits {
		fits[c] = of.fit(c, asked, w.answers)
		p.Agree = max(p.Agree, fits[c])
	}
	var best []int
	for c, id := range of.point.Choices() {
		if fits[c] == p.Agree {
			best = append(best, c)
			p.Choices = append(p.Choices, id)
		}
	}
	switch {
	case p.Agree < p.Total:
		p.Status = Inconsistent
	case len(best) == 1:
		p.Status = Clear
	default:
		p.Status = Undistinguished
	}
	w.plainest(of.point, asked)
	for _, i := range asked {
		if slices.ContainsFunc(best, func(c int) bool { return of.predicted[c][i] != w.answers[i] }) {
			against = append(against, i)
		}
	}
	for _, i := range against {
		p.Against = append(p.Against, w.one(i, of))
	}
	p.Decisive = w.decisive(of, best, asked)
	return p
}

// plainest sorts witnesses by how plainly they speak of the point: cases that
// classify it first, then those that are witnesses of the fewest others.
func (w *witnesses) plainest(point reference.Point, of []int) {
	rank := func(i int) int {
		if w.all[i].of.Point == point.String() {
			return 0
		}
		return w.witness[i]
	}
	slices.SortStableFunc(of, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
}

// decisive returns the plainest witnesses that rule every other choice out.
func (w *witnesses) decisive(of *pointWitnesses, best, asked []int) []Witness {
	var chosen []int
	for c := range of.predicted {
		rules := func(i int) bool {
			return of.predicted[c][i] != w.answers[i] && of.predicted[best[0]][i] == w.answers[i]
		}
		if slices.Contains(best, c) || slices.ContainsFunc(chosen, rules) {
			continue
		}
		if at := slices.IndexFunc(asked, rules); at >= 0 {
			chosen = append(chosen, asked[at])
		}
	}
	var all []Witness
	for _, i := range chosen {
		all = append(all, w.one(i, of))
	}
	return all
}

// untold says why nothing was told of a point: nobody answered; or something
// else hides it, that is, it has witnesses under rfc9309; or no case is about
// it.
func (w *witnesses) untold(of *pointWitnesses, p *PointProfile) {
	cases := w.witnessesOfRFC9309(of.point)
	switch {
	case of.silent > 0:
		p.Status = Unanswered
	case cases == nil:
		p.Status, p.Choices = Undistinguished, of.point.Choices()
	default:
		p.Status, p.MaskedBy = Masked, w.maskedBy(of.point, cases)
	}
}

// witnessesOfRFC9309 returns the cases that bear witness to the point around
// rfc9309.
func (w *witnesses) witnessesOfRFC9309(point reference.Point) []int {
	var cases []int
	for _, c := range w.Witnesses(point) {
		for i := w.first[c]; i < w.first[c+1]; i++ {
			if w.tells(reference.RFC9309, point, i) {
				cases = append(cases, c)
				break
			}
		}
	}
	return cases
}

// maskedBy finds the point whose choice hides another from all of the cases.
func (w *witnesses) maskedBy(point reference.Point, cases []int) string {
	for _, p := range fingerprint.Deviations(w.in) {
		alone := reference.RFC9309
		alone[p] = w.in[p]
		if !w.witnessed(alone, point, cases) {
			return p.String()
		}
	}
	for _, p := range fingerprint.Deviations(w.in) {
		without := w.in
		without[p] = reference.RFC9309[p]
		if w.witnessed(without, point, cases) {
			return p.String()
		}
	}
	return ""
}

// tells reports whether the choices of the point answer the question
// differently around an interpretation.
func (w *witnesses) tells(in reference.Interpretation, point reference.Point, i int) bool {
	for c := range point.Choices() {
		if w.Flipped(in, point, reference.Choice(c))[i] != w.Flipped(in, point, in[point])[i] {
			return true
		}
	}
	return false
}

// witnessed reports whether any of the cases bears witness to the point around
// an interpretation.
func (w *witnesses) witnessed(in reference.Interpretation, point reference.Point, cases []int) bool {
	var first []fingerprint.Outcome
	for c := range point.Choices() {
		in[point] = reference.Choice(c)
		predicted := w.About(in, cases)
		if first == nil {
			first = predicted
		} else if !slices.Equal(first, predicted) {
			return true
		}
	}
	return false
}

// one returns the question with its answer and, if of is not nil, the choices
// that give it.
func (w *witnesses) one(i int, of *pointWitnesses) Witness {
	q := &w.all[i]
	out := Witness{Case: q.of.ID, Probe: spec.ProbeID(q.probe()), Got: w.answers[i].Verdict()}
	if of != nil {
		for c, id := range of.point.Choices() {
			if of.predicted[c][i] == w.answers[i] {
				out.Fits = append(out.Fits, id)
			}
		}
	}
	return out
}
