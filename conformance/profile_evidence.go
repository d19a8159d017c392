package conformance

import (
	"cmp"
	"runtime"
	"slices"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// A view compares the answers of a subject with the predictions of an
// interpretation.
type view struct{ *fingerprint.View }

// An attribution is a change with which the answers, which are not predicted, would be.
type attribution struct {
	reference.Change
	answers []int
	spoils  int // answers about the same files that would no longer be predicted
}

// gain returns the number of additional answers about these files that would be
// predicted.
func (c *attribution) gain() int { return len(c.answers) - c.spoils }

// attribute assigns each answer that is not predicted to one change. Repeatedly,
// it selects the change that explains most of the remaining answers, minus the
// answers about the same files that it would spoil. rest are the answers that no
// change explains.
//
// Of the answers of all that distinguish it, a change must give at least the share
// leastShare, unless it explains an answer about a file that was written for its point.
func (v view) attribute(all view) (found []attribution, rest []int) {
	changes := v.In.Changes()
	possible := make([]attribution, len(changes))
	impl.Each(len(changes), runtime.GOMAXPROCS(0), func(i int) {
		about := v.About(changes[i].Point)
		wrong := slices.DeleteFunc(slices.Clone(v.Wrong), outside(about))
		e := v.Change(changes[i], wrong)
		possible[i] = attribution{changes[i], e.For, len(e.Against)}
	})
	rest = slices.Clone(v.Missed)
	for {
		possible = slices.DeleteFunc(possible, func(c attribution) bool { return len(c.answers) == 0 })
		if len(possible) == 0 {
			break
		}
		best := 0
		for i := range possible {
			if possible[i].gain() > possible[best].gain() {
				best = i
			}
		}
		c := possible[best]
		possible = slices.Delete(possible, best, best+1)
		if !all.shows(&c) {
			continue
		}
		found = append(found, c)
		left := outside(c.answers)
		taken := func(query int) bool { return !left(query) }
		rest = slices.DeleteFunc(rest, taken)
		for i := range possible {
			possible[i].answers = slices.DeleteFunc(possible[i].answers, taken)
		}
	}
	slices.SortStableFunc(found, func(a, b attribution) int { return cmp.Compare(len(b.answers), len(a.answers)) })
	return found, rest
}

// outside returns a function that reports whether a number is not in the list.
func outside(list []int) func(int) bool {
	in := make(map[int]bool, len(list))
	for _, n := range list {
		in[n] = true
	}
	return func(n int) bool { return !in[n] }
}

func (v view) shows(c *attribution) bool {
	if slices.ContainsFunc(c.answers, func(i int) bool { return v.classifies(i, c.Point) }) {
		return true
	}
	e := v.Change(c.Change, v.About(c.Point))
	return float64(len(e.For)) >= leastShare*float64(len(e.For)+len(e.Against))
}

// classifies reports whether the file of the query was written for the point.
func (v view) classifies(query int, p reference.Point) bool {
	f, _ := v.Query(query)
	return f.Point == p.String()
}

// missed returns the answers that are not predicted, those about the shortest files
// first, and the same in groups. judge has the answers by which a group's change is
// judged, which may be more than those of v.
func (v view) missed(judge view) (all []Missed, gaps []Gap) {
	size := func(query int) int {
		f, _ := v.Query(query)
		return len(f.Robots)
	}
	shortest := func(queries []int) []int {
		return slices.SortedFunc(slices.Values(queries), func(a, b int) int { return cmp.Or(cmp.Compare(size(a), size(b)), cmp.Compare(a, b)) })
	}
	one := func(i int) Missed {
		return Missed{SampleQuery: sampleQuery(v.Sample, i), Got: v.Answers[i].Verdict(), Predicted: v.Predicted[i].Verdict()}
	}
	group := func(g Gap, queries []int) {
		g.Answers = len(queries)
		last := -1
		for _, i := range shortest(queries) {
			if file, _ := v.Place(i); file != last && len(g.Witnesses) < gapWitnesses {
				last = file
				g.Witnesses = append(g.Witnesses, one(i))
			}
		}
		gaps = append(gaps, g)
	}
	for _, i := range shortest(v.Missed) {
		all = append(all, one(i))
	}
	found, rest := v.attribute(judge)
	for _, c := range found {
		group(Gap{Point: c.Point.String(), Choice: c.ID()}, c.answers)
	}
	if len(rest) > 0 {
		group(Gap{}, rest)
	}
	return all, gaps
}

// gapWitnesses bounds the witnesses of a gap.
const gapWitnesses = 3

// leastShare is the minimum share of the distinguishing answers that a subject
// must give to count as sometimes making a choice. If fewer than one in ten
// agree, the subject never made the choice: these few answers are defects that
// resemble it.
const leastShare = 0.1

// points returns the subject's behaviour at every point, and the answers that no
// change explains.
func (v view) points() (points []PointProfile, unexplained []Witness) {
	found, rest := v.attribute(v)
	all := reference.Points()
	points = make([]PointProfile, len(all))
	impl.Each(len(all), runtime.GOMAXPROCS(0), func(n int) {
		var own []int
		for _, c := range found {
			if c.Point == all[n] {
				own = append(own, c.answers...)
			}
		}
		points[n] = v.point(all[n], own)
	})
	for _, i := range rest {
		unexplained = append(unexplained, v.witness(i, nil, nil))
	}
	return points, unexplained
}

// A row holds the predictions of one choice of a point.
type row []fingerprint.Outcome

// rows returns the predictions of each choice at a point, with the choices of in
// at all other points, for the files that are evidence for the point.
func (v view) rows(in reference.Interpretation, p reference.Point) []row {
	var rows []row
	for c := range p.Choices() {
		rows = append(rows, v.PredictAbout(reference.Change{Point: p, Choice: reference.Choice(c)}.Of(in), v.About(p)))
	}
	return rows
}

// told reports whether the rows predict different answers to a query.
func told(rows []row, query int) bool {
	return slices.ContainsFunc(rows, func(r row) bool { return r[query] != rows[0][query] })
}

// point returns the subject's behaviour at a point. own are the answers that are
// attributed to a change there.
func (v view) point(point reference.Point, own []int) PointProfile {
	p := PointProfile{Point: point.String()}
	rows := v.rows(v.In, point)
	var asked, others []int // queries of the classifying cases first
	for i, answer := range v.Answers {
		switch {
		case !told(rows, i):
		case !slices.ContainsFunc(rows, func(r row) bool { return r[i] == answer }):
			p.Silent++
		case rows[v.In[point]][i] != answer && !slices.Contains(own, i):
		case v.classifies(i, point):
			asked = append(asked, i)
		default:
			others = append(others, i)
		}
	}
	asked = append(asked, others...)
	if p.Total = len(asked); p.Total == 0 {
		v.untold(point, &p)
		return p
	}
	fits := make([]int, len(rows))
	for c, r := range rows {
		for _, i := range asked {
			if r[i] == v.Answers[i] {
				fits[c]++
			}
		}
	}
	p.Agree = slices.Max(fits)
	var best []int
	for c, id := range point.Choices() {
		if fits[c] == p.Agree {
			best, p.Choices = append(best, c), append(p.Choices, id)
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
	for _, i := range asked {
		if slices.ContainsFunc(best, func(c int) bool { return rows[c][i] != v.Answers[i] }) {
			p.Against = append(p.Against, v.witness(i, point.Choices(), rows))
		}
	}
	p.Decisive = v.decisive(point, rows, best, asked)
	return p
}

// decisive returns the first witnesses that rule out every choice except the
// best.
func (v view) decisive(point reference.Point, rows []row, best, asked []int) (all []Witness) {
	var chosen []int
	for c, r := range rows {
		rules := func(i int) bool { return r[i] != v.Answers[i] && rows[best[0]][i] == v.Answers[i] }
		if slices.Contains(best, c) || slices.ContainsFunc(chosen, rules) {
			continue
		}
		if at := slices.IndexFunc(asked, rules); at >= 0 {
			chosen = append(chosen, asked[at])
			all = append(all, v.witness(asked[at], point.Choices(), rows))
		}
	}
	return all
}

// untold records why the choice at a point is unknown: the subject did not
// answer; or no case is about the point; or other choices mask it, that is, its
// choices can be distinguished under rfc9309.
func (v view) untold(point reference.Point, p *PointProfile) {
	shown := func(in reference.Interpretation) bool {
		rows := v.rows(in, point)
		return slices.ContainsFunc(rows, func(r row) bool { return !slices.Equal(r, rows[0]) })
	}
	switch {
	case p.Silent > 0:
		p.Status = Unanswered
	case !shown(reference.RFC9309()):
		p.Status, p.Choices = Undistinguished, point.Choices()
	default:
		p.Status = Masked
		for _, d := range v.In.Deviations() {
			if shown(fingerprint.Back(d.Point).Of(v.In)) {
				p.MaskedBy = d.Point.String()
				break
			}
		}
	}
}

// witness returns the query with its answer and the choices that give it.
func (v view) witness(i int, choices []string, rows []row) Witness {
	f, probe := v.Query(i)
	w := Witness{Case: f.Name, Probe: spec.ProbeID(probe), Got: v.Answers[i].Verdict()}
	for c, r := range rows {
		if r[i] == v.Answers[i] {
			w.Fits = append(w.Fits, choices[c])
		}
	}
	return w
}
