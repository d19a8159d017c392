package spec

import (
	"fmt"
	"strings"
)

// A Selection is a set of patterns over slash-separated names. A "*" stands
// for any run of characters without a slash, "**" for any run at all. Every
// pattern remembers whether it ever matched, so that a misspelled one can be
// told from one that is right.
type Selection struct {
	patterns []string
	matched  []bool
}

// NewSelection returns the selection of what matches any of the patterns.
func NewSelection(patterns []string) *Selection {
	return &Selection{patterns: patterns, matched: make([]bool, len(patterns))}
}

// Empty reports whether the selection has no patterns.
func (s *Selection) Empty() bool { return len(s.patterns) == 0 }

// Match reports whether any pattern matches any of the names, and marks every
// pattern that does.
func (s *Selection) Match(names ...string) bool {
	any := false
	for i, pattern := range s.patterns {
		for _, name := range names {
			if match(pattern, name) {
				s.matched[i] = true
				any = true
				break
			}
		}
	}
	return any
}

// Unmatched returns the patterns that have matched nothing so far.
func (s *Selection) Unmatched() []string {
	var none []string
	for i, ok := range s.matched {
		if !ok {
			none = append(none, s.patterns[i])
		}
	}
	return none
}

// match tries the pattern from the left; the last star seen is where a
// mismatch goes back to. A single star cannot take a slash, so a mismatch
// behind one that met a slash goes back to the last double star.
func match(pattern, name string) bool {
	var p, n int
	single, singleAt := -1, 0
	double, doubleAt := -1, 0
	for n < len(name) || p < len(pattern) {
		switch {
		case strings.HasPrefix(pattern[p:], "**"):
			double, doubleAt = p+2, n
			single = -1
			p += 2
		case p < len(pattern) && pattern[p] == '*':
			single, singleAt = p+1, n
			p++
		case p < len(pattern) && n < len(name) && pattern[p] == name[n]:
			p++
			n++
		case single >= 0 && singleAt < len(name) && name[singleAt] != '/':
			singleAt++
			p, n = single, singleAt
		case double >= 0 && doubleAt < len(name):
			doubleAt++
			p, n, single = double, doubleAt, -1
		default:
			return false
		}
	}
	return true
}

// SelectionNames returns the names under which --run and --skip find a case:
// its ID, the ID behind its section ("2.2.2/precedence/tie"), and the IDs of
// its requirements and its point.
func (c *Case) SelectionNames() []string {
	names := append([]string{c.ID, c.Section + "/" + c.ID}, c.Requirements...)
	if c.Point != "" {
		names = append(names, c.Point)
	}
	return names
}

// Select returns the cases that run matches (all, if it is empty) and skip
// does not. A pattern that matches nothing is an error, and so is an empty
// result.
func Select(cases []Case, run, skip *Selection) ([]Case, error) {
	var chosen []Case
	for _, c := range cases {
		names := c.SelectionNames()
		wanted := run.Empty() || run.Match(names...)
		if skip.Match(names...) || !wanted {
			continue
		}
		chosen = append(chosen, c)
	}
	for _, s := range []struct {
		flag string
		*Selection
	}{{"--run", run}, {"--skip", skip}} {
		if none := s.Unmatched(); len(none) > 0 {
			return nil, fmt.Errorf("%s %q matches no case%s: repcheck list shows the names, * stands for anything but a slash, ** for anything",
				s.flag, none[0], suggestion(none[0], cases))
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no case is left to run: loosen --run, --skip or --level")
	}
	return chosen, nil
}

func suggestion(pattern string, cases []Case) string {
	var names []string
	for i := range cases {
		names = append(names, cases[i].SelectionNames()...)
	}
	if near := Nearest(pattern, names); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}
