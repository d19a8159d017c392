package conformance

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// An outcome is a verdict in one octet, as very many of them are compared.
type outcome byte

const (
	silent outcome = iota // crash, timeout, unsupported: no prediction equals it
	allows
	disallows
	rejects
)

var outcomes = map[spec.Verdict]outcome{spec.Allow: allows, spec.Disallow: disallows, spec.Reject: rejects}

// A tier is a class of files by their length. Few files are long, and to read
// those takes ten times as long as to read all others, so they take part only
// where they are needed: what a stage behind the lines sees is one line after
// the other, however many there are.
type tier int

const (
	short tier = iota
	middle
	long
	tiers
)

// longest is the length of the longest file of a tier, in octets: the limits on
// lines are tested with some 20,000 octets, those on files with 500,000.
var longest = [tiers]int{16_000, 100_000, math.MaxInt}

// tierOf returns the longest tier that bears witness to a point.
func tierOf(p reference.Point) tier {
	switch p.Stage() {
	case "octets":
		return long
	case "lines":
		return middle
	}
	return short
}

// A question is one expectation of a case.
type question struct {
	of          *spec.Case
	expectation int
}

func (q *question) probe() spec.Probe { return q.of.Expect[q.expectation].Probe }

// questions are all questions of the cases: tier by tier, and those of a case
// side by side.
type questions struct {
	all []question
	// first holds the place of the first question of each case; its last
	// element is the end.
	first []int
	// places are 0, 1, 2, … up to the number of cases.
	places []int
	// cases and ends count the cases and questions up to the end of each tier.
	cases, ends [tiers]int
}

func newQuestions(cases []spec.Case) *questions {
	q := &questions{}
	for t := range tiers {
		for i := range cases {
			c := &cases[i]
			if n := len(c.Robots); n > longest[t] || t > 0 && n <= longest[t-1] {
				continue
			}
			q.places = append(q.places, len(q.first))
			q.first = append(q.first, len(q.all))
			for k := range c.Expect {
				q.all = append(q.all, question{of: c, expectation: k})
			}
		}
		q.cases[t], q.ends[t] = len(q.places), len(q.all)
	}
	q.first = append(q.first, len(q.all))
	return q
}

// put asks a subject everything.
func (q *questions) put(ctx context.Context, subject impl.Subject, jobs int, done func()) []spec.Verdict {
	verdicts := make([]spec.Verdict, len(q.all))
	workers := max(subject.Parallel(), 1)
	if jobs > 0 {
		workers = min(workers, jobs)
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for c := int(next.Add(1)) - 1; c < len(q.places); c = int(next.Add(1)) - 1 {
				first, end := q.first[c], q.first[c+1]
				probes := make([]spec.Probe, 0, end-first)
				for i := first; i < end; i++ {
					probes = append(probes, q.all[i].probe())
				}
				if len(probes) > 0 {
					for i, a := range subject.Ask(ctx, q.all[first].of.Robots, probes) {
						verdicts[first+i] = a.Verdict
					}
				}
				done()
			}
		})
	}
	wg.Wait()
	return verdicts
}

// agreement counts the answers that are as predicted. Answers beyond the
// predictions do not count.
func agreement(predicted, answers []outcome) int {
	n := 0
	for i, p := range predicted {
		if answers[i] == p {
			n++
		}
	}
	return n
}

// predictions are the reference's answers under any interpretation, each
// computed once: subjects share many of the interpretations that are tried.
// They are for one goroutine.
type predictions struct {
	*questions
	kept [tiers]map[reference.Interpretation][]outcome
}

func newPredictions(q *questions) *predictions {
	p := &predictions{questions: q}
	for t := range tiers {
		p.kept[t] = map[reference.Interpretation][]outcome{}
	}
	return p
}

// of returns the answers to the questions up to the end of a tier.
func (p *predictions) of(in reference.Interpretation, t tier) []outcome {
	if known := p.kept[t][in]; known != nil {
		return known
	}
	all := make([]outcome, p.ends[t])
	from := 0
	if t > 0 {
		copy(all, p.of(in, t-1))
		from = p.cases[t-1]
	}
	p.ask(in, all, p.places[from:p.cases[t]])
	p.kept[t][in] = all
	return all
}

// flipped returns the answers under in with the choice at the point, to the
// questions that may bear witness to it.
func (p *predictions) flipped(in reference.Interpretation, point reference.Point, choice reference.Choice) []outcome {
	in[point] = choice
	return p.of(in, tierOf(point))
}

// batch is how many cases a goroutine takes at a time where there are many: one
// takes about a microsecond, which is not worth taking turns for.
const batch = 32

// ask has the reference answer the questions of those cases.
func (p *predictions) ask(in reference.Interpretation, into []outcome, cases []int) {
	parser := reference.New(in)
	step, workers := batch, runtime.GOMAXPROCS(0)
	if len(cases) < workers*batch {
		step = 1 // few or long files
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				to := int(next.Add(int64(step)))
				for at := to - step; at < min(to, len(cases)); at++ {
					p.askCase(parser, into, cases[at])
				}
				if to >= len(cases) {
					return
				}
			}
		})
	}
	wg.Wait()
}

func (p *predictions) askCase(parser *reference.Parser, into []outcome, c int) {
	if p.first[c] == p.first[c+1] {
		return
	}
	file := parser.Parse(p.all[p.first[c]].of.Robots)
	for i := p.first[c]; i < p.first[c+1]; i++ {
		switch probe := p.all[i].probe(); {
		case file.Refused() != "":
			into[i] = rejects
		case file.Test(probe.Agent, probe.URL).Allow:
			into[i] = allows
		default:
			into[i] = disallows
		}
	}
}
