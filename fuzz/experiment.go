package fuzz

import (
	"context"
	"encoding/base64"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/repcheck/repcheck/fuzz/internal/generate"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// An Experiment is a query near the witness of a finding that tells its cause from
// other explanations, with the answer of the parser.
type Experiment struct {
	Witness Witness `json:"-"`
	// Predicted is the verdict if the cause is right.
	Predicted spec.Verdict `json:"predicted"`
	// Rivals are the explanations that predict another verdict: RFC 9309's choice
	// at the points of the cause, the fingerprint, or another cause, each with the
	// parser's other choices.
	Rivals []string `json:"rivals"`
	// Got is the parser's verdict.
	Got spec.Verdict `json:"got"`
}

// A Refutation is a cause that would explain a witness, and the experiment that
// contradicts it.
type Refutation struct {
	Cause      Cause      `json:"cause"`
	Experiment Experiment `json:"experiment"`
}

// plainExperiment is an Experiment without its methods.
type plainExperiment Experiment

type experimentJSON struct {
	queryJSON
	plainExperiment
}

// MarshalJSON encodes the experiment with its query.
func (e Experiment) MarshalJSON() ([]byte, error) {
	return encodeJSON(experimentJSON{newQueryJSON(e.Witness), plainExperiment(e)}, "")
}

// UnmarshalJSON decodes the output of MarshalJSON.
func (e *Experiment) UnmarshalJSON(text []byte) (err error) {
	var j experimentJSON
	if err := decodeJSON(text, &j); err != nil {
		return err
	}
	*e = Experiment(j.plainExperiment)
	e.Witness, err = j.decode()
	return err
}

// A queryJSON is a query as JSON. The file is included twice: in octet notation
// for people, in base64 to be exact. Agent and URL are in octet notation.
type queryJSON struct {
	Robots    string `json:"robots"`
	RobotsB64 string `json:"robots_b64"`
	Agent     string `json:"agent"`
	URL       string `json:"url"`
}

func newQueryJSON(w Witness) queryJSON {
	return queryJSON{
		Robots: spec.EncodeOctets(w.Robots), RobotsB64: base64.StdEncoding.EncodeToString(w.Robots),
		Agent: spec.EncodeInline(w.Agent), URL: spec.EncodeInline(w.URL),
	}
}

// decode returns the query, and an error if the two forms of the file differ.
func (j *queryJSON) decode() (Witness, error) {
	w, err := spec.DecodeQuery(j.RobotsB64, j.Agent, j.URL)
	if err == nil && j.Robots != spec.EncodeOctets(w.Robots) {
		err = errTwoFiles
	}
	return w, err
}

const (
	// maxRivals bounds the other causes that a cause is told from.
	maxRivals = 4

	// maxNeighbours is how many files near a witness are tried; maxNear is the
	// length of the longest witness, in bytes, that has neighbours.
	maxNeighbours = 400
	maxNear       = 16 << 10

	// maxSilent bounds the experiments that show nothing.
	maxSilent = 8

	// maxControls bounds the queries that check whether an experiment is spoiled.
	maxControls = 3
)

// A hypothesis is a cause of a subject's answer with its rivals, each as an
// interpretation of all that is known of the subject.
type hypothesis struct {
	cause  Cause
	in     reference.Interpretation
	rivals []rival
}

type rival struct {
	name string
	in   reference.Interpretation
}

// newHypothesis returns the hypothesis that the subject, which makes the choices
// own, answers because of the cause, and not because of one of the others.
func newHypothesis(own, cause Cause, others []Cause) hypothesis {
	h := hypothesis{cause: cause, in: reference.With(own...)}
	without := h.in
	for _, c := range cause {
		h.in, without = c.Of(h.in), Change{Point: c.Point, Choice: reference.RFC9309()[c.Point]}.Of(without)
	}
	h.add("RFC 9309's choice", without)
	h.add("the fingerprint", reference.With(own...))
	for _, other := range others {
		in := without
		for _, c := range other {
			in = c.Of(in)
		}
		if len(h.rivals) < maxRivals+2 {
			h.add(other.String(), in)
		}
	}
	return h
}

func (h *hypothesis) add(name string, in reference.Interpretation) {
	if in != h.in && !slices.ContainsFunc(h.rivals, func(r rival) bool { return r.in == in }) {
		h.rivals = append(h.rivals, rival{name, in})
	}
}

// test asks the parser up to n queries near the witness on which the hypothesis
// and its rivals differ, shared out among the rivals. It ends with the first
// answer that contradicts the hypothesis; refuted then is true. An answer shows
// nothing if it has no verdict, or if the parser does not repeat it, or is spoiled;
// if that is so of half of the answers, the test shows nothing. A timeout ends it.
//
// It asks only queries for which the cause predicts the same verdict with and
// without the parser's other choices.
func (h *hypothesis) test(ctx context.Context, w Witness, n int, ask func(Witness) spec.Verdict) (done []Experiment, refuted bool) {
	if len(w.Robots)+len(w.URL) > maxNear || len(h.rivals) == 0 {
		return nil, false
	}
	sum := fnv.New64a()
	sum.Write(w.Robots)
	sum.Write([]byte(w.Agent + " " + w.URL + " " + h.cause.String()))
	rng := rand.New(rand.NewPCG(sum.Sum64(), 0))
	told, silent, spoiled := make([]int, len(h.rivals)), 0, 0
	alone := reference.With(h.cause...)
	for try := range maxNeighbours {
		if len(done) == n || silent+spoiled >= maxSilent || ctx.Err() != nil {
			break
		}
		robots, probes := generate.Neighbour(w.Robots, w.Probe, rng)
		if len(robots) > 2*maxNear {
			continue
		}
		file := reading.New(robots)
		for _, p := range probes {
			e := Experiment{Witness: Witness{Robots: robots, Probe: p}, Predicted: file.Verdict(h.in, p)}
			if file.Verdict(alone, p) != e.Predicted {
				continue
			}
			var tells []int
			for i, r := range h.rivals {
				if file.Verdict(r.in, p) != e.Predicted {
					tells, e.Rivals = append(tells, i), append(e.Rivals, r.name)
				}
			}
			enough := (n + len(h.rivals) - 1) / len(h.rivals)
			fair := try >= maxNeighbours/2 || slices.ContainsFunc(tells, func(i int) bool { return told[i] < enough })
			if len(tells) == 0 || !fair || slices.ContainsFunc(done, func(d Experiment) bool { return d.Witness.Compare(e.Witness) == 0 }) {
				continue
			}
			switch e.Got = ask(e.Witness); {
			case e.Got == spec.Timeout:
				return done, false
			case !e.Got.Answered():
				silent++
			default:
				if e.Got != e.Predicted && (ask(e.Witness) != e.Got || h.spoiled(file, e.Witness, probes, ask)) {
					spoiled++
					break
				}
				for _, i := range tells {
					told[i]++
				}
				if done = append(done, e); e.Got != e.Predicted {
					return done, true
				}
			}
			break
		}
	}
	if spoiled >= len(done) {
		return nil, false
	}
	return done, false
}

// spoiled reports whether the parser does something else with the file of an
// experiment that the hypothesis does not predict either: then the experiment says
// nothing about the cause. It asks queries on which the hypothesis and its rivals
// agree.
func (h *hypothesis) spoiled(file *reading.Reading, w Witness, probes []spec.Probe, ask func(Witness) spec.Verdict) bool {
	asked := 0
	for _, p := range append([]spec.Probe{{Agent: w.Agent, URL: spec.Origin + "/"}, {Agent: w.Agent, URL: spec.Origin + "/zz"}}, probes...) {
		predicted := file.Verdict(h.in, p)
		if p == w.Probe || slices.ContainsFunc(h.rivals, func(r rival) bool { return file.Verdict(r.in, p) != predicted }) {
			continue
		}
		if ask(Witness{Robots: w.Robots, Probe: p}) != predicted {
			return true
		}
		if asked++; asked == maxControls {
			break
		}
	}
	return false
}
