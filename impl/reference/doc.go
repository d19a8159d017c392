// Package reference is the reference implementation of the Robots Exclusion
// Protocol: RFC 9309, and under other interpretations what Google's parser
// does and what the documents of 2019, 1996 and 1994 say.
//
//	parser := reference.New(reference.RFC9309)
//	file := parser.Parse(octets)
//	rules := file.Rules("ExampleBot")
//	decision := rules.Test("https://example.com/a")
//
// It is a row of stages, one file each, that read top to bottom like section 2
// of the RFC:
//
//	octets    the body as it came: size limit, byte order mark   section 2.5
//	lines     octets cut into lines                              section 2.2
//	records   a line read as key and value                       sections 2.2, 2.2.3
//	groups    records gathered under their user-agent lines      section 2.1
//	agents    the groups that hold for one crawler               section 2.2.1
//	urls      the part of a URL that rules are held against      section 2.2.2
//	paths     that part and the rule in one spelling             section 2.2.2
//	patterns  the value of a rule matched against a path         section 2.2.3
//	decision  which of the matching rules decides                section 2.2.2
//
// Where the documents leave a choice or differ there is a Point, and the stage
// branches on it; under RFC9309 every branch takes the first choice. A stage is
// an Interpretation in which it looks its choices up by point. Only paths
// resolves its choices beforehand, to one table for rules and one for URLs.
//
// The package imports the standard library only.
package reference
