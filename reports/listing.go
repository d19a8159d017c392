package reports

import (
	"cmp"
	"slices"
	"strings"
)

// mostLines is how many lines of a file are shown: a screen holds them together
// with what is said of them.
const mostLines = 30

// A listed is one line of a listing, or the gap that stands for some.
type listed struct {
	// number is the line's, 0 of a gap.
	number int
	text   string
	// deciding marks a line that decides what was asked.
	deciding bool
	// gap counts the lines that are left out here.
	gap int
}

// fileLines divides a file in octet notation as RFC 9309 numbers its lines
// (ABNF-NL: CR, LF or both), so that a ␍ ends a line and stays visible.
func fileLines(robots string) []string {
	var lines []string
	for robots != "" {
		end := strings.IndexAny(robots, "␍\n")
		if end < 0 {
			return append(lines, robots)
		}
		line := robots[:end]
		rest, cr := strings.CutPrefix(robots[end:], "␍")
		if cr {
			line += "␍"
		}
		lines = append(lines, line)
		robots = strings.TrimPrefix(rest, "\n")
	}
	return lines
}

// listing returns the lines of a file in octet notation, or the nearest to the
// deciding lines where there are too many.
func listing(robots string, deciding []int) []listed {
	lines := fileLines(robots)
	numbers := make([]int, len(lines))
	for i := range numbers {
		numbers[i] = i + 1
	}
	if len(deciding) > 0 {
		slices.SortStableFunc(numbers, func(a, b int) int { return cmp.Compare(distance(a, deciding), distance(b, deciding)) })
	}
	kept := numbers[:min(len(numbers), mostLines)]
	slices.Sort(kept)
	var out []listed
	last := 0
	for _, n := range append(kept, len(lines)+1) {
		if left := n - last - 1; left > 0 {
			out = append(out, listed{gap: left})
		}
		if n <= len(lines) {
			out = append(out, listed{number: n, text: lines[n-1], deciding: slices.Contains(deciding, n)})
		}
		last = n
	}
	return out
}

// distance is how far a line stands from the nearest deciding one.
func distance(line int, deciding []int) int {
	nearest := -1
	for _, d := range deciding {
		if far := max(line-d, d-line); nearest < 0 || far < nearest {
			nearest = far
		}
	}
	return nearest
}
