package goparsers

import (
	"bytes"

	"github.com/repcheck/repcheck/spec"
)

// Some libraries take memory that grows with the square of the file size: they copy
// every rule for every agent of its group, and 500 kB can have 370 million such
// pairs. A process that runs out of memory dies and cannot report the query that
// caused it. So these libraries do not get such files in this process. In a process
// of their own they may, because only that process would die.
const (
	// maxMemory is the memory, in octets, that a library may take for one file in
	// addition to memory proportional to its size. Ordinary files need far less,
	// and several files may be in use at once.
	maxMemory = 256 << 20

	// small is a size, in octets, below which no file takes maxMemory, so that
	// small files need not be measured. In the worst case one half of the file is
	// agents of 13 octets and the other half is rules, and each pair takes
	// regexpSize.
	small = 8 << 10
)

// unasked returns a Matcher for a file that the library must not read in this
// process.
func unasked(why string) Matcher {
	return func(string, string) spec.Answer {
		return spec.Answer{Verdict: spec.Unsupported, Detail: "not asked in this process: " + why}
	}
}

// tooManyPairs is the reason if copies exceeds maxMemory.
const tooManyPairs = "it would take too much memory (it copies each of many rules for each of many agents)"

// copies estimates the octets that a library takes if it keeps size(line) octets for
// the line of each rule and every agent of its group except one. The libraries group
// lines differently, and copies assumes the largest groups: only a rule with a path
// ends the agents of a group.
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

// regexpSize estimates the memory of the regular expression of a rule, as measured.
func regexpSize(rule []byte) int { return 512 + 128*len(rule) }
