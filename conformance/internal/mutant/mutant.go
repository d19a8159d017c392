// Package mutant provides parsers that are wrong on purpose: null models, which do
// not read the file, and mutants, which break RFC 9309 in one way each. They measure
// the case set: every mutant should fail at least one case.
//
// There are two kinds of mutants. Some are the reference with one choice that RFC
// 9309 forbids ([spec.Choice]). All other choices are open, so no case may fail a
// parser for them. The other mutants make mistakes that no point covers: each is the
// parser of package plain with one step replaced. The fuzz targets compare the
// reference with that parser too.
package mutant

import (
	"errors"
	"time"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// A Mutant is a parser that is wrong in one way.
type Mutant struct {
	// ID is permanent: "tie/disallow" for a point and its choice, "star-no-slash"
	// for any other.
	ID string
	// Breaks is the ID of the requirement that it breaks; empty in a null model.
	Breaks string
	// Means describes the behaviour in one sentence.
	Means string
	// Witness is a query that it answers wrongly; empty in a null model.
	Witness Witness
	// Timeout is the time limit for a call of a null model that does not return;
	// 0 means the limit of the harness.
	Timeout time.Duration
	// Parse reads a file and returns a function that answers queries about it, as
	// impl.InProcess requires.
	Parse func(robots []byte) (func(agent, url string) spec.Answer, error)
}

// A Witness is a query that the mutant answers differently from RFC 9309.
type Witness spec.Witness

// All returns the mutants: those with a forbidden choice, then those with a
// fault, in the order of the points and of the tables of faults.
func All() []Mutant {
	all := choices()
	for _, table := range faults {
		for _, f := range table {
			all = append(all, f.mutant())
		}
	}
	return all
}

// witness returns a witness of FooBot. The URL is in the notation of cases.
func witness(robots, url string, want, got spec.Verdict) Witness {
	return Witness{Robots: []byte(robots), Probe: spec.Probe{Agent: "FooBot", URL: spec.LongURL(url)}, Want: want, Got: got}
}

// wronglyAllows returns the witness of a mutant that allows a disallowed URL.
func wronglyAllows(robots, url string) Witness {
	return witness(robots, url, spec.Disallow, spec.Allow)
}

// wronglyForbids returns the witness of a mutant that disallows an allowed URL.
func wronglyForbids(robots, url string) Witness {
	return witness(robots, url, spec.Allow, spec.Disallow)
}

// wronglyRejects returns the witness of a mutant that rejects a file; want is the
// verdict of RFC 9309.
func wronglyRejects(robots, url string, want spec.Verdict) Witness {
	return witness(robots, url, want, spec.Reject)
}

// by returns the witness with another crawler than FooBot.
func (w Witness) by(agent string) Witness {
	w.Agent = agent
	return w
}

// ask returns the reference in the form of Mutant.Parse.
func ask(parser *reference.Parser) func(robots []byte) (func(agent, url string) spec.Answer, error) {
	return func(robots []byte) (func(agent, url string) spec.Answer, error) {
		file := parser.Parse(robots)
		if why := file.Refused(); why != "" {
			return nil, errors.New(why)
		}
		return func(agent, url string) spec.Answer { return spec.Allowed(file.Test(agent, url).Allow) }, nil
	}
}
