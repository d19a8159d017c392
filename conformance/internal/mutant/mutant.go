// Package mutant holds parsers that are wrong on purpose: null models, which do
// not read the file, and mutants, which break RFC 9309 in one way each. A suite
// of cases is as good as what they fail in it.
//
// The mutants are of two kinds. Some are the reference with one choice that
// RFC 9309 forbids ([spec.Choice]); every other choice is an open reading, which
// no case may fail. The others put one fault into a [model], a second parser that
// is as plain as can be, for what no point covers.
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
	// Means says in one sentence what it does.
	Means string
	// Witness is a question that it answers wrongly; empty in a null model.
	Witness Witness
	// Timeout is how long one call of a null model that does not come back is
	// worth waiting for; 0 leaves that to the harness.
	Timeout time.Duration
	// Parse reads a file and returns the function that answers for it, in the
	// form that impl.InProcess takes.
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

// witness is a witness of FooBot, with the URL in the notation of cases.
func witness(robots, url string, want, got spec.Verdict) Witness {
	return Witness{Robots: []byte(robots), Probe: spec.Probe{Agent: "FooBot", URL: spec.LongURL(url)}, Want: want, Got: got}
}

// wronglyAllows is the witness of a mutant that allows a disallowed URL.
func wronglyAllows(robots, url string) Witness {
	return witness(robots, url, spec.Disallow, spec.Allow)
}

// wronglyForbids is the witness of a mutant that disallows an allowed URL.
func wronglyForbids(robots, url string) Witness {
	return witness(robots, url, spec.Allow, spec.Disallow)
}

// wronglyRejects is the witness of a mutant that rejects a file; want is the
// verdict of RFC 9309.
func wronglyRejects(robots, url string, want spec.Verdict) Witness {
	return witness(robots, url, want, spec.Reject)
}

// by makes it the witness of another crawler than FooBot.
func (w Witness) by(agent string) Witness {
	w.Agent = agent
	return w
}

// ask makes of the reference what a Mutant has for Parse.
func ask(parser *reference.Parser) func(robots []byte) (func(agent, url string) spec.Answer, error) {
	return func(robots []byte) (func(agent, url string) spec.Answer, error) {
		file := parser.Parse(robots)
		if why := file.Refused(); why != "" {
			return nil, errors.New(why)
		}
		return func(agent, url string) spec.Answer { return spec.Allowed(file.Test(agent, url).Allow) }, nil
	}
}
