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
	// tried caches the thorough trials of all changes of an interpretation: climbs
	// often meet.
	tried map[reference.Interpretation][]trial
	// banned are the changes that were refuted; they are not tried any more.
	banned []reference.Change
}

// A way is which files show what a change gains.
type way bool

const (
	// quick looks only at the files in which the change to RFC 9309 is visible, and
	// takes the other predictions to stay the same.
	quick way = false
	// thorough looks at all files, as a change may be visible only with another one.
	thorough way = true
)

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

// A Found is the result of a search.
type Found struct {
	In reference.Interpretation
	// Refuted are changes that the search made and took back: they predicted more
	// by weight, but the answers from one source, or those about the files written
	// for the point, were against them. So the parser does something else there.
	Refuted []reference.Change
}

// Find returns the interpretation that predicts most of a subject's answers;
// among those that predict equally many, one with few deviations from rfc9309.
// Answers count by the weight of their source, and no deviation is refuted by
// one source.
//
// The search climbs from several starts, so it may end below the best. The same
// queries and answers give the same interpretation, unless ctx ends: then the
// search soon ends too, and returns the best one so far.
func (s *Sample) Find(ctx context.Context, answers []Outcome) Found {
	g := s.search(ctx, answers)
	return g.settle(g.best())
}

// Adapt is like Find but faster: it searches only near an interpretation that was
// found with a similar sample.
func (s *Sample) Adapt(ctx context.Context, answers []Outcome, near Found) Found {
	g := s.search(ctx, answers)
	return g.settle(g.climb(g.climb(g.at(near.In), nowhere, quick), nowhere, thorough))
}

func (s *Sample) search(ctx context.Context, answers []Outcome) *search {
	return &search{Sample: s, ctx: ctx, answers: answers, tried: map[reference.Interpretation][]trial{}}
}

// settle finishes a search that has come to v: it takes back what is refuted, and
// decides the points for which long files are evidence.
func (s *search) settle(v *View) Found {
	for {
		in := v.In
		refuted, ok := s.worst(v, func(reference.Point) []int { return s.short })
		if !ok {
			if in = s.fromLongFiles(in); in != v.In {
				refuted, ok = s.worst(s.View(in, s.answers), s.About)
			}
		}
		if !ok {
			return Found{In: in, Refuted: s.banned}
		}
		s.banned = append(s.banned, refuted)
		v = s.climb(s.at(Back(refuted.Point).Of(in)), nowhere, quick)
	}
}

// Back is the change to RFC 9309 at a point.
func Back(p reference.Point) reference.Change {
	return reference.Change{Point: p, Choice: reference.RFC9309()[p]}
}

// worst returns the refuted deviation that predicts least; ok is false if none is
// refuted. about returns the files by which a point is judged.
func (s *search) worst(v *View, about func(reference.Point) []int) (worst reference.Change, ok bool) {
	most := 0
	for _, d := range v.In.Deviations() {
		if !v.mayRefute(d, about(d.Point)) {
			continue
		}
		e := v.Change(Back(d.Point), about(d.Point))
		e = Evidence{For: e.Against, Against: e.For, net: -e.net}
		if s.refuted(e, d.Point) && (!ok || e.net < most) {
			worst, most, ok = d, e.net, true
		}
	}
	return worst, ok && s.ctx.Err() == nil
}

// best returns the best view that the search finds.
func (s *search) best() *View {
	var from []*View
	for _, in := range starts() {
		from = append(from, s.at(in))
	}
	slices.SortStableFunc(from, func(a, b *View) int { return cmp.Compare(a.cost, b.cost) })
	best := from[0]
	for i, start := range from {
		if end := s.climb(start, nowhere, quick); i == 0 || better(end, best) {
			best = end
		}
		if len(best.Missed) == 0 {
			break
		}
	}
	for range rounds {
		next := s.leap(best)
		if next == nil {
			break
		}
		best = next
	}
	return s.climb(best, nowhere, thorough)
}

// at returns the view of the answers about short files.
func (s *search) at(in reference.Interpretation) *View {
	return s.view(in, s.answers, s.predict(in, s.short), s.short)
}

func better(a, b *View) bool {
	return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(len(a.In.Deviations()), len(b.In.Deviations()))) < 0
}

// nowhere is not a point.
const nowhere = reference.Point(255)

// climb makes changes, except at the point held, for as long as they predict more
// answers. Each pass starts with the changes that gain most by themselves and
// skips those that gain nothing any more when their turn comes. Then it takes
// back every deviation that predicts nothing.
func (s *search) climb(v *View, held reference.Point, how way) *View {
	for range passes {
		tried := slices.DeleteFunc(s.tryAll(v, how), func(t trial) bool { return t.gain <= 0 || t.Point == held })
		if len(tried) == 0 {
			break
		}
		slices.SortStableFunc(tried, func(a, b trial) int { return cmp.Compare(b.gain, a.gain) })
		for _, t := range tried {
			if next := s.with(v, t.Change, 1, how); next != nil {
				v = next
			}
		}
	}
	for _, d := range v.In.Deviations() {
		if d.Point == held {
			continue
		}
		if next := s.with(v, Back(d.Point), 0, how); next != nil {
			v = next
		}
	}
	if how == quick {
		return s.at(v.In)
	}
	return v
}

// leap leaves the end of a climb by a change that predicts many more answers but
// loses others, as does a choice that helps only together with another one. The
// change is held while the search climbs further. leap returns nil if it finds
// nothing better.
func (s *search) leap(from *View) *View {
	tried := s.tryAll(from, quick)
	slices.SortStableFunc(tried, func(a, b trial) int { return cmp.Compare(b.fixed, a.fixed) })
	seen := map[reference.Point]bool{}
	for _, t := range tried {
		if seen[t.Point] {
			continue
		}
		if seen[t.Point] = true; len(seen) > leaps || t.fixed == 0 || s.ctx.Err() != nil {
			return nil
		}
		to := s.climb(s.at(t.Of(from.In)), t.Point, quick)
		if to.cost < from.cost {
			return s.climb(to, nowhere, quick)
		}
	}
	return nil
}

// A trial is a change with the result of trying it.
type trial struct {
	reference.Change
	// fixed counts the answers that are predicted only with the change; gain is
	// their weight less that of the answers that are predicted only without it. Not all
	// files were compared, so gain is an upper bound.
	fixed, gain int
}

// tryAll tries all changes and keeps no views.
func (s *search) tryAll(v *View, how way) []trial {
	banned := func(t trial) bool { return slices.Contains(s.banned, t.Change) }
	if all := s.tried[v.In]; all != nil && how == thorough {
		return slices.DeleteFunc(slices.Clone(all), banned)
	}
	changes := v.In.Changes()
	all := make([]trial, len(changes))
	impl.Each(len(changes), runtime.GOMAXPROCS(0), func(i int) {
		wrong, right := v.showing(changes[i], v.Wrong), v.showing(changes[i], v.Right)
		if how == thorough {
			wrong = v.Wrong
		}
		all[i] = s.try(v, changes[i], 1, wrong, right)
	})
	if how == thorough {
		s.tried[v.In] = all
	}
	return slices.DeleteFunc(slices.Clone(all), banned)
}

// with returns the view with a change that gains at least that many answers, or nil if
// it does not.
func (s *search) with(v *View, c reference.Change, least int, how way) *View {
	in := c.Of(v.In)
	wrong, right := v.showing(c, v.Wrong), v.showing(c, v.Right)
	if how == thorough {
		wrong = v.Wrong
	}
	switch {
	case s.try(v, c, least, wrong, right).gain < least || s.ctx.Err() != nil:
		return nil
	case how == thorough:
		if s.try(v, c, least, v.Wrong, v.Right).gain < least {
			return nil
		}
		return s.at(in)
	}
	then, shown := slices.Clone(v.Predicted), slices.Concat(wrong, right)
	predicted := s.predict(in, shown)
	for _, f := range shown {
		copy(then[s.first[f]:s.first[f+1]], predicted[s.first[f]:])
	}
	return s.view(in, s.answers, then, s.short)
}

// round is how many files are compared between two checks whether a change can
// still gain enough.
const round = 100

// try tries a change on lists of files, those with wrong predictions first, as these
// are few. From then on the gain can only fall: if it is below least, the other files
// are not read.
func (s *search) try(v *View, c reference.Change, least int, wrong, right []int) trial {
	t := trial{Change: c}
	if s.ctx.Err() != nil {
		return t
	}
	in := c.Of(v.In)
	p := s.prediction(in)
	var e Evidence
	v.compare(s.about(p, in, wrong), wrong, &e)
	t.fixed = len(e.For)
	for files := range slices.Chunk(right, round) {
		if e.net < least {
			break
		}
		v.compare(s.about(p, in, files), files, &e)
	}
	t.gain = e.net
	return t
}

// showing returns the files in which RFC 9309 with the change or with the choice that
// it replaces differs from RFC 9309.
func (v *View) showing(c reference.Change, files []int) (all []int) {
	after, before := v.shows(c), v.shows(reference.Change{Point: c.Point, Choice: v.In[c.Point]})
	for _, f := range files {
		if after[f] || before[f] {
			all = append(all, f)
		}
	}
	return all
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
			if !s.aboutLong(p) || v.In[p] == change.Choice || slices.Contains(s.banned, change) {
				continue
			}
			if len(v.Change(change, v.Wrong).For) == 0 {
				continue // a change gains only where the prediction is wrong, and reading all long files takes time
			}
			if e := v.Change(change, s.all); e.net > most {
				in, most = change.Of(in), e.net
			}
		}
		if in != v.In {
			v = s.View(in, s.answers)
		}
	}
	return in
}
