package goparsers

import (
	"bytes"

	"github.com/repcheck/repcheck/spec"
)

// Some libraries take memory that grows with the square of the file: they copy
// every rule for every agent of its group, and 500 kB can hold 370 million such
// pairs. A process that runs out of memory dies and cannot say at which
// question, so they are not asked about such files. A process of their own may
// be: it loses nothing but itself.
const (
	// maxMemory is what a library may take for one file, in octets, beyond what
	// grows with its size. Files that are written to be read need far less; and
	// several may be in hand at once.
	maxMemory = 256 << 20

	// small is a size, in octets, below which no file takes maxMemory: at worst
	// half of it are agents of 13 octets, half of it rules, each pair costing
	// what regexpSize says. Measuring costs nothing then.
	small = 8 << 10
)

// unasked makes a Matcher for a file that must not be put to the library in this
// process.
func unasked(why string) Matcher {
	return func(string, string) spec.Answer {
		return spec.Answer{Verdict: spec.Unsupported, Detail: "not asked in this process: " + why}
	}
}

// tooManyPairs is the reason where copies exceeds maxMemory.
const tooManyPairs = "it would take too much memory (it copies each of many rules for each of many agents)"

// copies is about how many octets a library takes that keeps size(rule) octets
// for a rule, its line given, for every agent of its group but one. Where the
// libraries group lines differently it is the most of them: only a rule with a
// path ends the agents of a group.
func copies(file []byte, size func(rule []byte) int) int {
	if len(file) < small {
		return 0
	}
	var (
		sum, agents int
		ruled       bool // the group has a rule
	)
	for line := range bytes.FieldsFuncSeq(file, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		line = bytes.TrimSpace(line)
		if foldPrefix(line, "user-agent") || foldPrefix(line, "useragent") {
			if ruled {
				agents, ruled = 0, false
			}
			agents++
			continue
		}
		if !foldPrefix(line, "allow") && !foldPrefix(line, "disallow") || line[len(line)-1] == ':' {
			continue
		}
		ruled = true
		if agents > 1 {
			sum += (agents - 1) * size(line)
		}
	}
	return sum
}

// foldPrefix reports whether line begins with prefix in letters of any case.
func foldPrefix(line []byte, prefix string) bool {
	return len(line) >= len(prefix) && bytes.EqualFold(line[:len(prefix)], []byte(prefix))
}

// regexpSize is about what the regular expression of a rule takes, measured.
func regexpSize(rule []byte) int { return 512 + 128*len(rule) }
