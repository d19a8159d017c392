package conformance

import (
	"cmp"
	"slices"

	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// Missed is an answer that is not as predicted.
type Missed struct {
	SampleQuestion
	Got       spec.Verdict `json:"got"`
	Predicted spec.Verdict `json:"predicted"`
	at        fingerprint.Place
}

// A Gap is a group of answers that are not predicted and what they have in
// common: they would be, each by itself, with another choice at one point. The
// subject is between the two choices there, or is like neither.
type Gap struct {
	// Point and Choice are empty for the answers that no choice at one point
	// sets right.
	Point  string `json:"point,omitempty"`
	Choice string `json:"choice,omitempty"`
	// Answers counts them, and Witnesses are the first few, about one file each.
	Answers   int      `json:"answers"`
	Witnesses []Missed `json:"witnesses"`
}

// gapWitnesses bounds the witnesses of a gap, and longestGap the length in
// octets of a file for which other choices are tried; all others belong to the
// gap without a point.
const (
	gapWitnesses = 3
	longestGap   = 64 << 10
)

// miss counts by kind what is predicted and keeps what is not.
func (s *halves) miss(f *Fingerprint, in reference.Interpretation, held [][]spec.Verdict) {
	f.Kinds = make([]Predicted, len(s.kinds))
	predicted := s.held.Answers(in)
	type missed struct {
		Missed
		octets int
	}
	var all []missed
	n := 0
	for i, of := range held {
		kind := &f.Kinds[slices.IndexFunc(s.kinds, func(k SampleKind) bool { return k.Kind == s.held.sample[i].Kind })]
		for k, got := range of {
			want := predicted[n]
			n++
			switch fingerprint.OutcomeOf(got) {
			case fingerprint.Silent:
				continue
			case want:
				kind.Predicted++
			default:
				at := fingerprint.Place{File: i, Probe: k}
				q := s.held.question(at)
				all = append(all, missed{Missed{SampleQuestion: q, Got: got, Predicted: want.Verdict(), at: at}, len(s.held.files[i].Robots)})
			}
			kind.Answered++
		}
	}
	slices.SortStableFunc(all, func(a, b missed) int { return cmp.Compare(a.octets, b.octets) })
	for _, m := range all {
		f.Missed = append(f.Missed, m.Missed)
	}
}

// gaps puts what in misses into groups: again and again those answers that one
// other choice sets right, of all choices the one that sets most right but for
// what it would spoil about the same files.
func (s *halves) gaps(in reference.Interpretation, missed []Missed, held []fingerprint.Outcome) []Gap {
	var files []int
	for _, m := range missed {
		// What is missed about one file stands next to each other.
		if n := len(files); len(s.held.files[m.at.File].Robots) <= longestGap && (n == 0 || files[n-1] != m.at.File) {
			files = append(files, m.at.File)
		}
	}
	// setRight are, for each other choice, the places in missed, and spoilt how
	// many answers about those files it would no longer predict.
	var flips []Gap
	var setRight [][]int
	var spoilt []int
	now := s.held.Answers(in)
	for _, p := range reference.Points() {
		for c, choice := range p.Choices() {
			if in[p] == reference.Choice(c) || len(files) == 0 {
				continue
			}
			other := in
			other[p] = reference.Choice(c)
			answers := s.held.About(other, files)
			var of []int
			for i, m := range missed {
				if answers[s.held.At(m.at)] == fingerprint.OutcomeOf(m.Got) {
					of = append(of, i)
				}
			}
			if len(of) == 0 {
				continue
			}
			spoils := 0
			for i, answer := range held {
				if answer == now[i] && answer != fingerprint.Silent && answers[i] != fingerprint.Silent && answers[i] != answer {
					spoils++
				}
			}
			flips = append(flips, Gap{Point: p.String(), Choice: choice})
			setRight, spoilt = append(setRight, of), append(spoilt, spoils)
		}
	}
	taken := make([]bool, len(missed))
	free := func(of []int) []int {
		return slices.DeleteFunc(of, func(i int) bool { return taken[i] })
	}
	var all []Gap
	for {
		best := -1
		for i := range setRight {
			setRight[i] = free(setRight[i])
			if len(setRight[i]) > 0 && (best < 0 || len(setRight[i])-spoilt[i] > len(setRight[best])-spoilt[best]) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		all = append(all, flips[best].of(missed, setRight[best], taken))
	}
	slices.SortStableFunc(all, func(a, b Gap) int { return cmp.Compare(b.Answers, a.Answers) })
	rest := make([]int, len(missed))
	for i := range rest {
		rest[i] = i
	}
	if rest = free(rest); len(rest) > 0 {
		all = append(all, Gap{}.of(missed, rest, taken))
	}
	return all
}

// of returns the gap with the answers at those places, which are taken now.
func (g Gap) of(missed []Missed, places []int, taken []bool) Gap {
	g.Answers = len(places)
	file := -1
	for _, i := range places {
		taken[i] = true
		if len(g.Witnesses) < gapWitnesses && missed[i].at.File != file {
			file = missed[i].at.File
			g.Witnesses = append(g.Witnesses, missed[i])
		}
	}
	return g
}
