// Package reference is the reference implementation of the Robots Exclusion
// Protocol. By default it implements RFC 9309. Other interpretations implement
// Google's parser and the documents of 2019, 1996 and 1994.
//
//	parser := reference.New(reference.RFC9309)
//	file := parser.Parse(octets)
//	rules := file.Rules("ExampleBot")
//	decision := rules.Test("https://example.com/a")
//
// A file passes through stages in a fixed order until there is a verdict. Each
// stage is one source file, and together they follow section 2 of the RFC:
//
//	octets    which octets of the body are parsed       section 2.5
//	lines     the body split into lines                 section 2.2
//	records   a line read as key and value              sections 2.2, 2.2.3
//	groups    records collected into groups             section 2.1
//	agents    the groups that apply to one crawler      section 2.2.1
//	urls      the part of a URL that is compared        section 2.2.2
//	paths     that part and the rules are normalised    section 2.2.2
//	patterns  the special characters of a rule          section 2.2.3
//	decision  the matching rule that decides            section 2.2.2
//
// reference.go connects the stages, and rules.go stores the rules of a parsed
// file. Every rule is compiled to a pattern when the file is parsed, and a URL is
// compared with every rule of the crawler's groups.
//
// Where the documents are open or differ, there is a Point, and its stage branches
// on it. Under RFC 9309 every branch takes the first choice. A stage is an
// Interpretation, in which it looks up its choices by point. Only paths resolves
// its choices beforehand, into one table for rules and one for URLs.
//
// The package imports the standard library only.
package reference
