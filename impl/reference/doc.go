// Package reference is the reference implementation of the Robots Exclusion
// Protocol: RFC 9309, and under other interpretations what Google's parser
// does and what the documents of 2019, 1996 and 1994 say.
//
//	parser := reference.New(reference.RFC9309)
//	file := parser.Parse(octets)
//	rules := file.Rules("ExampleBot")
//	decision := rules.Test("https://example.com/a")
//
// A file takes one path to a verdict: a row of stages, one source file each, that
// read from top to bottom like section 2 of the RFC:
//
//	octets    which octets of the body are parsed       section 2.5
//	lines     the body split into lines                 section 2.2
//	records   a line read as key and value              sections 2.2, 2.2.3
//	groups    records collected into groups             section 2.1
//	agents    the groups that apply to one crawler      section 2.2.1
//	urls      the part of a URL that is compared        section 2.2.2
//	paths     that part and the rules normalised        section 2.2.2
//	patterns  the special characters of a rule          section 2.2.3
//	decision  the matching rule that decides            section 2.2.2
//
// reference.go connects them, and rules.go holds the rules of a file between
// them. Every rule is read as a pattern when the file is parsed, and every rule
// of the crawler's groups is compared with a URL.
//
// Where the documents leave something open or differ there is a Point, and its
// stage branches on it; under RFC9309 every branch takes the first choice. A stage
// is an Interpretation in which it looks up its choices by point. Only paths
// resolves its choices beforehand, into one table for rules and one for URLs.
//
// The package imports the standard library only.
package reference
