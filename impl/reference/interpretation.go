package reference

import (
	"fmt"
	"strings"
)

// An Interpretation is one choice for each point. The zero value is RFC9309.
// Interpretations are comparable values; change one by assigning to an index:
//
//	mutant := reference.RFC9309
//	mutant[reference.Tie] = reference.TieDisallow
//
// The following interpretations have names:
//
//	rfc9309        RFC 9309 (September 2022), with the most defensible choice
//	               wherever its text is open
//	google         the behaviour of Google's published parser, including
//	               undocumented behaviour
//	koster-rep-00  draft-koster-rep-00 (2019)
//	koster-1996    the draft that Martijn Koster posted in November 1996
//	standard-1994  the consensus of June 1994 on robotstxt.org
type Interpretation [numPoints]Choice

type namedInterpretation struct {
	name string
	in   Interpretation
}

// Names returns the names of the named interpretations, rfc9309 first.
func Names() []string {
	names := make([]string, len(named))
	for i, n := range named {
		names[i] = n.name
	}
	return names
}

// Named returns the interpretation with the given name. The error for an unknown
// name lists the known names.
func Named(name string) (Interpretation, error) {
	for _, n := range named {
		if n.name == name {
			return n.in, nil
		}
	}
	return Interpretation{}, fmt.Errorf("no interpretation is named %q: there are %s", name, strings.Join(Names(), ", "))
}

// Choice returns the ID of the choice that in makes at p.
func (in Interpretation) Choice(p Point) string { return p.Choices()[in[p]] }
