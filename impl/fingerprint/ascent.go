package fingerprint

import (
	"cmp"
	"context"
	"slices"

	"github.com/repcheck/repcheck/impl/reference"
)

// An ascent looks for the interpretation under which the reference answers most
// like one subject.
//
// One deviation hides another: who cannot stack user-agent lines fails the
// witnesses of a dozen other points. So points are not judged around rfc9309
// but around what has been found of the subject so far, again and again until
// nothing changes.
type ascent struct {
	*predictions
	ctx     context.Context
	answers []Outcome
}

// passes bounds the ascent from one start. Two are nearly always enough: the
// first finds the choices, the second what the first ones had hidden.
const passes = 3

// starts are the interpretations from which the ascent begins: some choices
// help only together (rules and URLs are escaped alike), and no path of single
// flips that each gain something leads from one such set to the other. The
// draft of 2019 is not here, as it is RFC 9309 but for three choices.
var starts = []reference.Interpretation{reference.RFC9309, reference.Google, reference.Koster1996, reference.Standard1994}

// run ascends from every start, the nearest first, and takes the best end: that
// with the most answers predicted and, of those, the fewest deviations from
// rfc9309.
func (s *ascent) run() reference.Interpretation {
	from := slices.Clone(starts)
	slices.SortStableFunc(from, func(a, b reference.Interpretation) int {
		return cmp.Compare(s.predicted(b), s.predicted(a))
	})
	best := from[0]
	most, fewest := -1, 0
	for _, in := range from {
		in = s.simplify(s.ascend(in, nowhere))
		n, d := s.predicted(in), len(Deviations(in))
		if n > most || n == most && d < fewest {
			best, most, fewest = in, n, d
		}
		if len(s.split(best).wrong) == 0 {
			return s.fromLongFiles(best)
		}
	}
	return s.fromLongFiles(s.leap(best))
}

// leaps bounds how often the ascent leaps from one end.
const leaps = 4

// leap leaves the end of an ascent by flips that set many answers right though
// they spoil more, as a choice does that only helps beside another: each is
// held while the ascent goes on from there. It is repeated if that ends higher.
func (s *ascent) leap(best reference.Interpretation) reference.Interpretation {
	again := true
	for n := 0; again && n < 2*leaps; n++ {
		again = false
		most := s.predicted(best)
		for _, f := range s.promising(best) {
			to := s.ascend(f.of(best), f.point)
			if s.predicted(to) <= most {
				continue
			}
			to = s.simplify(s.ascend(to, nowhere))
			if n := s.predicted(to); n > most {
				best, most, again = to, n, true
				break
			}
		}
	}
	return best
}

// promising returns the flips, no two at one point, that set most answers right.
func (s *ascent) promising(in reference.Interpretation) []flip {
	from := s.split(in)
	var flips []flip
	for _, p := range reference.Points() {
		if s.ctx.Err() != nil {
			return nil
		}
		best := flip{}
		for c := range p.Choices() {
			f := flip{point: p, choice: reference.Choice(c)}
			if in[p] == f.choice {
				continue
			}
			then := s.About(f.of(in), from.wrong)
			for _, file := range from.wrong {
				mended, _ := s.compare(from.predicted, then, file)
				f.gain += mended
			}
			if f.gain > best.gain {
				best = f
			}
		}
		if best.gain > 0 {
			flips = append(flips, best)
		}
	}
	slices.SortStableFunc(flips, func(a, b flip) int { return cmp.Compare(b.gain, a.gain) })
	return flips[:min(len(flips), leaps)]
}

// predicted counts the answers about short files that in predicts.
func (s *ascent) predicted(in reference.Interpretation) int {
	return Agreement(s.of(in, short), s.answers)
}

// A flip is a choice at a point, with how many more answers it predicts.
type flip struct {
	point  reference.Point
	choice reference.Choice
	gain   int
}

func (f *flip) of(in reference.Interpretation) reference.Interpretation {
	in[f.point] = f.choice
	return in
}

// nowhere is no point.
const nowhere = reference.Point(255)

// ascend flips choices, but for those at the point that is held, for as long as
// that predicts more answers: in each pass, first those that gain most by
// themselves, each if it still gains anything when its turn comes.
func (s *ascent) ascend(in reference.Interpretation, held reference.Point) reference.Interpretation {
	for range passes {
		from := s.split(in)
		var flips []flip
		for _, p := range reference.Points() {
			for c := range p.Choices() {
				f := flip{point: p, choice: reference.Choice(c)}
				if p == held {
					continue
				}
				if gain, ok := s.gain(from, f.of(in), 1); ok {
					f.gain = gain
					flips = append(flips, f)
				}
			}
		}
		if len(flips) == 0 {
			break
		}
		slices.SortStableFunc(flips, func(a, b flip) int { return cmp.Compare(b.gain, a.gain) })
		for _, f := range flips {
			if _, ok := s.gain(from, f.of(in), 1); ok {
				in = f.of(in)
				from = s.split(in)
			}
		}
	}
	return in
}

// simplify takes back every deviation from rfc9309 that predicts nothing.
func (s *ascent) simplify(in reference.Interpretation) reference.Interpretation {
	for _, p := range Deviations(in) {
		plain := in
		plain[p] = reference.RFC9309[p]
		if _, ok := s.gain(s.split(in), plain, 0); ok {
			in = plain
		}
	}
	return in
}

// A division is what an interpretation predicts about short files, and the
// files with an answer that is otherwise and without.
type division struct {
	predicted    []Outcome
	wrong, right []int
}

func (s *ascent) split(in reference.Interpretation) *division {
	d := &division{predicted: s.of(in, short)}
	for _, c := range s.upTo[short] {
		if mended, lost := s.compare(d.predicted, s.answers, c); mended+lost > 0 {
			d.wrong = append(d.wrong, c)
		} else {
			d.right = append(d.right, c)
		}
	}
	return d
}

// compare counts the answers to a file that one prediction gives and the other
// does not, and the reverse.
func (s *ascent) compare(predicted, then []Outcome, c int) (mended, lost int) {
	for i := s.first[c]; i < s.first[c+1]; i++ {
		switch answer := s.answers[i]; {
		case predicted[i] == then[i] || answer == Silent:
		case then[i] == answer:
			mended++
		case predicted[i] == answer:
			lost++
		}
	}
	return mended, lost
}

// round is how many files are looked at before a flip is given up.
const round = 100

// gain is how many more answers to predicts than the interpretation that was
// divided; it is not ok if it is below least. What sets wrong answers right is
// looked at first, as those are few, and then it can only get worse: most
// flips are given up long before all files are read.
func (s *ascent) gain(from *division, to reference.Interpretation, least int) (gain int, ok bool) {
	if known := s.known(to, short); known != nil {
		gain = Agreement(known, s.answers) - Agreement(from.predicted, s.answers)
		return gain, gain >= least
	}
	if s.ctx.Err() != nil {
		return 0, false
	}
	then := make([]Outcome, s.count())
	look := func(files []int) bool {
		s.ask(to, then, files)
		for _, c := range files {
			mended, lost := s.compare(from.predicted, then, c)
			gain += mended - lost
		}
		return gain >= least
	}
	if !look(from.wrong) {
		return gain, false
	}
	for files := range slices.Chunk(from.right, round) {
		if !look(files) {
			return gain, false
		}
	}
	s.keep(to, short, then)
	return gain, true
}

// fromLongFiles decides the points to which more than short files bear witness.
func (s *ascent) fromLongFiles(in reference.Interpretation) reference.Interpretation {
	for _, p := range reference.Points() {
		if tierOf(p) == short || s.ctx.Err() != nil {
			continue
		}
		around, most := in, Agreement(s.of(in, tierOf(p)), s.answers)
		for c := range p.Choices() {
			f := flip{point: p, choice: reference.Choice(c)}
			if n := Agreement(s.of(f.of(around), tierOf(p)), s.answers); n > most {
				in[p], most = reference.Choice(c), n
			}
		}
	}
	return in
}
