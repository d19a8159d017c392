package fingerprint

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/repcheck/repcheck/impl/reference"
)

// predictions are the reference's answers under any interpretation, each
// computed once: subjects share many of the interpretations that are tried.
type predictions struct {
	questions

	mu   sync.Mutex // guards what follows
	kept [tiers]map[reference.Interpretation][]Outcome
	// octets is what kept takes.
	octets int
}

// mostKept bounds the memory of kept predictions, in octets. Beyond it all are
// forgotten: what is needed again is soon there again.
const mostKept = 256 << 20

func newPredictions(files []File) *predictions { return &predictions{questions: newQuestions(files)} }

// known returns a prediction that was kept, or nil.
func (p *predictions) known(in reference.Interpretation, t tier) []Outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kept[t][in]
}

func (p *predictions) keep(in reference.Interpretation, t tier, all []Outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.octets += len(all) + len(in); p.octets > mostKept {
		clear(p.kept[:])
		p.octets = len(all) + len(in)
	}
	if p.kept[t] == nil {
		p.kept[t] = map[reference.Interpretation][]Outcome{}
	}
	p.kept[t][in] = all
}

// of returns the answers to the questions about files up to a tier; to the
// others they are Silent. They must not be changed.
func (p *predictions) of(in reference.Interpretation, t tier) []Outcome {
	if known := p.known(in, t); known != nil {
		return known
	}
	if len(p.only[t]) == 0 && t > 0 {
		return p.of(in, t-1)
	}
	all := make([]Outcome, p.count())
	if t > 0 {
		copy(all, p.of(in, t-1))
	}
	p.ask(in, all, p.only[t])
	p.keep(in, t, all)
	return all
}

// batch is how many files a goroutine takes at a time where there are many: one
// takes about a microsecond, which is not worth taking turns for.
const batch = 32

// ask has the reference answer the questions about those files.
func (p *predictions) ask(in reference.Interpretation, into []Outcome, files []int) {
	parser := reference.New(in)
	if len(files) <= 1 {
		for _, f := range files {
			p.askFile(parser, into, f)
		}
		return
	}
	step, workers := batch, runtime.GOMAXPROCS(0)
	if len(files) < workers*batch {
		step = max(1, len(files)/(4*workers)) // few or long files
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(workers, len(files)) {
		wg.Go(func() {
			for {
				to := int(next.Add(int64(step)))
				for at := to - step; at < min(to, len(files)); at++ {
					p.askFile(parser, into, files[at])
				}
				if to >= len(files) {
					return
				}
			}
		})
	}
	wg.Wait()
}

func (p *predictions) askFile(parser *reference.Parser, into []Outcome, f int) {
	if len(p.files[f].Probes) == 0 {
		return
	}
	file := parser.Parse(p.files[f].Robots)
	for i, probe := range p.files[f].Probes {
		o := Disallows
		switch {
		case file.Refused() != "":
			o = Rejects
		case file.Test(probe.Agent, probe.URL).Allow:
			o = Allows
		}
		into[p.first[f]+i] = o
	}
}

// Answers returns what the reference answers under in, in the order of the
// files and their probes. It must not be changed.
func (s *Search) Answers(in reference.Interpretation) []Outcome { return s.of(in, long) }

// Flipped returns what the reference answers under in with the choice at the
// point, to the questions that may bear witness to the point: only those about
// the octets of a file and its lines are also put to long files. The others are
// Silent. The result must not be changed.
func (s *Search) Flipped(in reference.Interpretation, p reference.Point, c reference.Choice) []Outcome {
	in[p] = c
	return s.of(in, tierOf(p))
}

// Witnesses returns the places of the files that may bear witness to a point.
func (s *Search) Witnesses(p reference.Point) []int { return slices.Clone(s.upTo[tierOf(p)]) }

// About returns what the reference answers under in to the questions about the
// files at those places; the others are Silent. Unlike those of Answers and
// Flipped, it is computed each time.
func (p *predictions) About(in reference.Interpretation, files []int) []Outcome {
	all := make([]Outcome, p.count())
	p.ask(in, all, files)
	return all
}
