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
	// cost is the sum of the weights of Missed.
	cost int
}

// View returns the view of the answers to all queries.
func (s *Sample) View(in reference.Interpretation, answers []Outcome) *View {
	v := s.view(in, answers, s.predict(in, s.all), s.all)
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
		v.cost += (len(v.Missed) - missed) * s.files[f].Source.weight()
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
type Evidence struct {
	For, Against []int
	// net is the sum of the weights of For less that of Against.
	net int
}

// A Count is how many answers are for and against a change.
type Count struct {
	For     int `json:"for"`
	Against int `json:"against"`
}

// Refutes reports whether more answers are against the change.
func (c Count) Refutes() bool { return c.Against > c.For }

// Counts counts the evidence by the source of the files, and that about the files
// that were written for the point.
func (s *Sample) Counts(e Evidence, p reference.Point) (by [len(sources)]Count, own Count) {
	add := func(queries []int, field func(*Count) *int) {
		for _, i := range queries {
			f, _ := s.Query(i)
			*field(&by[f.Source])++
			if f.Point == p.String() {
				*field(&own)++
			}
		}
	}
	add(e.For, func(c *Count) *int { return &c.For })
	add(e.Against, func(c *Count) *int { return &c.Against })
	return by, own
}

// refuted reports whether the answers from one source, or those about the files
// that were written for the point, are against the change.
func (s *Sample) refuted(e Evidence, p reference.Point) bool {
	by, own := s.Counts(e, p)
	return own.Refutes() || slices.ContainsFunc(by[:], Count.Refutes)
}

// mayRefute reports whether some of the answers about files are predicted only
// without the deviation; otherwise nothing can refute it. Without it, only answers
// that are not predicted now can be, so few files are read.
func (v *View) mayRefute(d reference.Change, files []int) bool {
	wrong := slices.DeleteFunc(slices.Clone(v.Wrong), func(f int) bool { return len(files) == len(v.short) && v.files[f].long() })
	return len(v.Change(Back(d.Point), wrong).For) > 0
}

// Change returns the evidence about a change in the answers about files.
func (v *View) Change(c reference.Change, files []int) (e Evidence) {
	v.compare(v.predict(c.Of(v.In), files), files, &e)
	return e
}

// compare adds the evidence of the answers about files for another prediction.
func (v *View) compare(then []Outcome, files []int, e *Evidence) {
	for _, f := range files {
		weight := v.files[f].Source.weight()
		for i := v.first[f]; i < v.first[f+1]; i++ {
			switch answer := v.Answers[i]; {
			case v.Predicted[i] == then[i] || answer == Silent:
			case then[i] == answer:
				e.For, e.net = append(e.For, i), e.net+weight
			case v.Predicted[i] == answer:
				e.Against, e.net = append(e.Against, i), e.net-weight
			}
		}
	}
}

// Candidates returns the changes that may explain the answers that v does not
// predict, those that would predict most first. Contradicted are the changes that
// would predict some, but that the answers about their point's own files are
// against.
func (v *View) Candidates() (open, contradicted []reference.Change) {
	own := map[string][]int{}
	for f := range v.files {
		if p := v.files[f].Point; p != "" {
			own[p] = append(own[p], f)
		}
	}
	support := map[reference.Change]int{}
	for _, c := range v.In.Changes() {
		support[c] = len(v.Change(c, v.Wrong).For)
		switch e := v.Change(c, own[c.Point.String()]); {
		case c.Choice == reference.RFC9309()[c.Point]:
		case len(e.Against) <= len(e.For):
			open = append(open, c)
		case support[c] > 0:
			contradicted = append(contradicted, c)
		}
	}
	for _, list := range [][]reference.Change{open, contradicted} {
		slices.SortStableFunc(list, func(a, b reference.Change) int { return support[b] - support[a] })
	}
	return open, contradicted
}

// Alternatives returns the changes that, in place of a deviation, predict at least as
// many of the answers: the answers do not show which of them the parser makes. was is
// the choice without the deviation.
func (v *View) Alternatives(d reference.Change, was reference.Choice) (all []reference.Change) {
	back := reference.Change{Point: d.Point, Choice: was}
	without := back.Of(v.In)
	files := v.filesOf(v.Change(back, v.About(d.Point)).Against) // that show the deviation
	for _, c := range without.Changes() {
		if c == d || len(files) == 0 {
			continue
		}
		in := c.Of(without)
		lost := func(files []int) bool {
			var e Evidence
			v.compare(v.predict(in, files), files, &e)
			return e.net < 0
		}
		if !lost(files[:1]) && !lost(files) && !lost(v.About(c.Point)) {
			all = append(all, c)
		}
	}
	return all
}

// filesOf returns the files of queries, in their order.
func (v *View) filesOf(queries []int) (files []int) {
	for _, i := range queries {
		if f, _ := v.Place(i); len(files) == 0 || files[len(files)-1] != f {
			files = append(files, f)
		}
	}
	return files
}
