package doc

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	// mostLines is the number of lines of a file that a listing shows. They fit
	// on a screen together with the text about them.
	mostLines = 30
	// widestLine is the width at which a line of a listing is cut. A rule may be
	// half a megabyte long.
	widestLine = 200
)

// NewListing returns the listing of a file in octet notation. The lines with the
// given numbers are marked; 0 marks none. For a long file, only the lines nearest
// to them are shown, or the first ones if no line is marked.
func NewListing(file string, marked ...int) Listing {
	lines := fileLines(file)
	marked = slices.DeleteFunc(slices.Clone(marked), func(n int) bool { return n == 0 })
	numbers := make([]int, len(lines))
	for i := range numbers {
		numbers[i] = i + 1
	}
	slices.SortStableFunc(numbers, func(a, b int) int { return cmp.Compare(distance(a, marked), distance(b, marked)) })
	kept := numbers[:min(len(numbers), mostLines)]
	if len(kept) == 0 {
		return Listing{[]Text{In(Faint, "  (the file is empty)")}}
	}
	slices.Sort(kept)
	var l Listing
	last, digits := 0, max(2, len(strconv.Itoa(kept[len(kept)-1])))
	for _, n := range append(kept, len(lines)+1) {
		if left := n - last - 1; left > 0 {
			l.Lines = append(l.Lines, In(Faint, "  %*s  %s left out", digits, "⋮", countLines(left)))
		}
		if n <= len(lines) {
			text := Cut(lines[n-1], widestLine)
			line := In(Faint, "  %*d  ", digits, n).And(In(Plain, "%s", text))
			if slices.Contains(marked, n) {
				line = In(Strong, "→ %*d  %s", digits, n, text)
			}
			l.Lines = append(l.Lines, line)
		}
		last = n
	}
	return l
}

// distance returns the distance of a line from the nearest marked one.
func distance(line int, marked []int) int {
	nearest := math.MaxInt
	for _, m := range marked {
		nearest = min(nearest, max(line-m, m-line))
	}
	return nearest
}

// lineEnds writes a line feed at each end of a line that RFC 9309 defines (ABNF-NL:
// CR, LF or both). A ␍ stays visible.
var lineEnds = strings.NewReplacer("␍\n", "␍\n", "␍", "␍\n")

// fileLines splits a file in octet notation into lines.
func fileLines(file string) []string {
	if file == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(lineEnds.Replace(file), "\n"), "\n")
}

func countLines(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}
