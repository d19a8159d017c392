package spec

import (
	"fmt"
	"strings"
)

// A Selection is a set of patterns for slash-separated names. A "*" matches any
// characters except slashes, and "**" any characters. The selection records which
// patterns have matched, so that misspelled patterns can be reported.
type Selection struct {
	patterns []string
	matched  []bool
}

// NewSelection returns a selection of the names that match any of the patterns.
func NewSelection(patterns []string) *Selection {
	return &Selection{patterns: patterns, matched: make([]bool, len(patterns))}
}

// Match reports whether any pattern matches any of the names, and records every
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

// unmatched returns the patterns that have not matched any name so far.
func (s *Selection) unmatched() []string {
	var none []string
	for i, ok := range s.matched {
		if !ok {
			none = append(none, s.patterns[i])
		}
	}
	return none
}

// match compares from the left. After a mismatch it backtracks to the last star. A
// single star does not match a slash, so if it would have to, match backtracks to
// the last double star.
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

// selectionNames returns the names by which --run and --skip select a case: its ID,
// the ID after its section ("2.2.2/precedence/tie"), and the IDs of its requirements
// and its point.
func (c *Case) selectionNames() []string {
	names := append([]string{c.ID, c.Section + "/" + c.ID}, c.Requirements...)
	if c.Point != "" {
		names = append(names, c.Point)
	}
	return names
}

// Select returns the cases that run matches (all cases if run is empty) and skip does
// not match. It is an error if a pattern matches no case or if the result is empty.
func Select(cases []Case, run, skip *Selection) ([]Case, error) {
	var chosen []Case
	for _, c := range cases {
		names := c.selectionNames()
		wanted := len(run.patterns) == 0 || run.Match(names...)
		if skip.Match(names...) || !wanted {
			continue
		}
		chosen = append(chosen, c)
	}
	for _, s := range []struct {
		flag string
		*Selection
	}{{"--run", run}, {"--skip", skip}} {
		if none := s.unmatched(); len(none) > 0 {
			return nil, fmt.Errorf("%s %q matches no case%s: repcheck list shows the names, * matches anything except slashes, ** anything",
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
		names = append(names, cases[i].selectionNames()...)
	}
	return DidYouMean(pattern, names)
}
