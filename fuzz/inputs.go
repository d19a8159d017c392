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

// Derivation bounds the probes that [Derive] makes for one file.
type Derivation = generate.Derivation

// Derive makes probes from the file's own user-agent lines and rules. The same
// file and rng state give the same probes.
func Derive(robots []byte, rng *rand.Rand, d Derivation) []spec.Probe {
	return generate.Derive(robots, rng, d)
}
