package fingerprint

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
)

// A search looks for the interpretation under which the reference's answers are
// closest to those of one subject.
//
// One deviation hides another: a parser that does not group user-agent lines
// fails the witnesses of a dozen other points. So changes are not judged relative
// to rfc9309 but relative to the best interpretation found so far, again and
// again until nothing changes.
type search struct {
	*Sample
	ctx     context.Context
	answers []Outcome
	// tried caches the trials of all changes of an interpretation: climbs often
	// meet.
	tried map[reference.Interpretation][]trial
}

const (
	// passes bounds a climb. Two are nearly always enough: the first finds the
	// choices, the second those that the first ones had hidden.
	passes = 3
	// rounds bounds how often the search leaves a local optimum, and leaps how
	// many changes it tries for that each time.
	rounds, leaps = 8, 4
)

// starts are the interpretations from which the search climbs. Some choices help
// only together (rules and URLs are escaped alike), and no path of single changes
// that each gain something leads from one such set to the other. The draft of
// 2019 is not included, as it is RFC 9309 except for three choices.
func starts() []reference.Interpretation {
	return []reference.Interpretation{reference.RFC9309(), reference.Google(), reference.Koster1996(), reference.Standard1994()}
}

// Find returns the interpretation that predicts most of a subject's answers;
// among those that predict equally many, one with few deviations from rfc9309.
//
// The search climbs from several starts, so it may end below the best. The same
// queries and answers give the same interpretation, unless ctx ends: then the
// search soon ends too, and returns the best one so far.
func (s *Sample) Find(ctx context.Context, answers []Outcome) reference.Interpretation {
	g := &search{Sample: s, ctx: ctx, answers: answers, tried: map[reference.Interpretation][]trial{}}
	var from []*View
	for _, in := range starts() {
		from = append(from, g.at(in))
	}
	slices.SortStableFunc(from, func(a, b *View) int { return cmp.Compare(len(a.Missed), len(b.Missed)) })
	best := from[0]
	for i, start := range from {
		if end := g.climb(start, nowhere); i == 0 || better(end, best) {
			best = end
		}
		if len(best.Missed) == 0 {
			break
		}
	}
	for range rounds {
		next := g.leap(best)
		if next == nil {
			break
		}
		best = next
	}
	return g.fromLongFiles(best.In)
}

// at returns the view of the answers about short files.
func (s *search) at(in reference.Interpretation) *View {
	return s.view(in, s.answers, s.PredictAbout(in, s.short), s.short)
}

func better(a, b *View) bool {
	return cmp.Or(cmp.Compare(len(a.Missed), len(b.Missed)), cmp.Compare(len(a.In.Deviations()), len(b.In.Deviations()))) < 0
}

// nowhere is not a point.
const nowhere = reference.Point(255)

// climb makes changes, except at the point held, for as long as they predict more
// answers. Each pass starts with the changes that gain most by themselves and
// skips those that gain nothing any more when their turn comes. Then it takes
// back every deviation that predicts nothing.
func (s *search) climb(v *View, held reference.Point) *View {
	for range passes {
		tried := slices.DeleteFunc(s.tryAll(v), func(t trial) bool { return t.gain <= 0 || t.Point == held })
		if len(tried) == 0 {
			break
		}
		slices.SortStableFunc(tried, func(a, b trial) int { return cmp.Compare(b.gain, a.gain) })
		for _, t := range tried {
			if next := s.try(v, t.Change, 1).view; next != nil {
				v = next
			}
		}
	}
	for _, d := range v.In.Deviations() {
		back := reference.Change{Point: d.Point, Choice: reference.RFC9309()[d.Point]}
		if next := s.try(v, back, 0).view; next != nil && d.Point != held {
			v = next
		}
	}
	return v
}

// leap leaves the end of a climb by a change that predicts many more answers but
// loses others, as does a choice that helps only together with another one. The
// change is held while the search climbs further. leap returns nil if it finds
// nothing better.
func (s *search) leap(from *View) *View {
	tried := s.tryAll(from)
	slices.SortStableFunc(tried, func(a, b trial) int { return cmp.Compare(b.fixed, a.fixed) })
	seen := map[reference.Point]bool{}
	for _, t := range tried {
		if seen[t.Point] {
			continue
		}
		if seen[t.Point] = true; len(seen) > leaps || t.fixed == 0 || s.ctx.Err() != nil {
			return nil
		}
		to := s.climb(s.at(t.Of(from.In)), t.Point)
		if len(to.Missed) < len(from.Missed) {
			return s.climb(to, nowhere)
		}
	}
	return nil
}

// A trial is a change with the result of trying it.
type trial struct {
	reference.Change
	// fixed counts the answers that are predicted only with the change; gain is
	// fixed less the answers that are predicted only without it. If gain is below
	// the least that was required, it is an upper bound and view is nil;
	// otherwise view is the view with the change.
	fixed, gain int
	view        *View
}

// tryAll tries all changes and keeps no views.
func (s *search) tryAll(v *View) []trial {
	if all := s.tried[v.In]; all != nil {
		return slices.Clone(all)
	}
	changes := v.In.Changes()
	all := make([]trial, len(changes))
	impl.Each(len(changes), runtime.GOMAXPROCS(0), func(i int) {
		all[i] = s.try(v, changes[i], 1)
		all[i].view = nil
	})
	s.tried[v.In] = slices.Clone(all)
	return all
}

// round is how many files are compared between two checks whether a change can
// still gain enough.
const round = 100

// try tries a change that is required to gain at least that many answers. It
// compares the files with wrong predictions first, as those are few; from then on
// the gain can only fall, so most changes are given up long before all files are
// read.
func (s *search) try(v *View, c reference.Change, least int) trial {
	t := trial{Change: c}
	if s.ctx.Err() != nil {
		return t
	}
	then, in := make([]Outcome, s.Queries()), c.Of(v.In)
	var e Evidence
	look := func(files []int) bool {
		s.predict(in, then, files)
		v.compare(then, files, &e)
		t.gain = e.Net()
		return t.gain >= least
	}
	ok := look(v.Wrong)
	t.fixed = len(e.For)
	for files := range slices.Chunk(v.Right, round) {
		if !ok {
			return t
		}
		ok = look(files)
	}
	if ok {
		t.view = s.view(in, s.answers, then, s.short)
	}
	return t
}

// fromLongFiles decides the points for which long files are evidence.
func (s *search) fromLongFiles(in reference.Interpretation) reference.Interpretation {
	if len(s.short) == len(s.all) || s.ctx.Err() != nil {
		return in
	}
	v := s.View(in, s.answers)
	if len(v.Missed) == 0 {
		return in
	}
	for _, p := range reference.Points() {
		most := 0
		for c := range p.Choices() {
			change := reference.Change{Point: p, Choice: reference.Choice(c)}
			if len(s.About(p)) == len(s.short) || v.In[p] == change.Choice {
				continue
			}
			if e := v.Change(change, s.all); e.Net() > most {
				in, most = change.Of(in), e.Net()
			}
		}
		if in != v.In {
			v = s.View(in, s.answers)
		}
	}
	return in
}
