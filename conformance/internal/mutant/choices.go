package mutant

import (
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// choices returns a mutant for each choice that RFC 9309 forbids, in the order of
// the points: the reference under RFC 9309 with that one choice. The data of the
// point names the requirement that forbids the choice, and has the witness.
func choices() (all []Mutant) {
	for _, point := range reference.Points() {
		p := spec.Default().Point(point.String())
		for i, c := range p.Choices {
			if c.Forbidden == "" {
				continue
			}
			in := reference.RFC9309()
			in[point] = reference.Choice(i)
			all = append(all, Mutant{
				ID:      p.ID + "/" + c.ID,
				Breaks:  c.Forbidden,
				Means:   p.Question + " " + c.Means,
				Witness: Witness(*c.Witness),
				Parse:   ask(reference.New(in)),
			})
		}
	}
	return all
}
