// Package fuzz finds inputs on which parsers disagree: it generates robots.txt
// files and URLs from a grammar of what real files contain, queries every
// subject, and records, minimizes and explains their disagreements.
//
// A disagreement needs no expected verdict. The correct answers are defined by
// the cases in package spec.
package fuzz

import (
	"math/rand/v2"

	"github.com/repcheck/repcheck/fuzz/internal/generate"
	"github.com/repcheck/repcheck/spec"
)

// An Input is a file with the probes about it.
type Input = generate.Input

// A Generator makes inputs, each a function of its seed and the input's number.
type Generator = generate.Generator

// NewGenerator returns the generator of a seed.
func NewGenerator(seed uint64) *Generator { return generate.New(seed) }

// A QueryKind is what the queries about a file are for. Counts of different kinds
// are never added up.
type QueryKind string

const (
	// NaturalQueries are those of [Natural]. They say what a parser does on a site.
	NaturalQueries QueryKind = "natural"
	// StressQueries are those of [Derive]. They find more differences, most of them
	// on URLs that no site gets.
	StressQueries QueryKind = "stress"
)

// Derivation bounds the probes that [Natural] and [Derive] make for one file.
type Derivation = generate.Derivation

// Natural makes probes that the site of a file could get: its home page, its
// sitemaps and the paths of its rules, for well-known crawlers and those that the
// file names. Nothing is cut, encoded or decoded; a wildcard in a path becomes a
// word. The same file and rng state give the same probes.
func Natural(robots []byte, rng *rand.Rand, d Derivation) []spec.Probe {
	return generate.Natural(robots, rng, d)
}

// Derive makes stress probes from the file's own user-agent lines and rules. The
// same file and rng state give the same probes.
func Derive(robots []byte, rng *rand.Rand, d Derivation) []spec.Probe {
	return generate.Derive(robots, rng, d)
}
