package minimize

import (
	"slices"
	"strings"

	"github.com/repcheck/repcheck/spec/lines"
)

// endLines is how many lines at each end of a large file are tried first.
const endLines = 16

// padLines replaces lines that are needed only for the offset of later lines by
// one comment of the same length: first all runs of equal lines, then all lines
// except those at the ends, then smaller and smaller parts.
func (m *minimizer) padLines() {
	m.tryLines(padRuns(m.file()))
	file := m.file()
	if n := len(file); n > 3*endLines && m.tryLines(slices.Concat(file[:endLines], padOf(file[endLines:n-endLines]), file[n-endLines:])) {
		file = m.file()
	}
	for size := (len(file) + 1) / 2; size > 0; size /= 2 {
		for i := 0; i < len(file) && !m.over(); {
			from, to := i, min(i+size, len(file))
			i = to
			for from > 0 && file[from-1].IsComment() {
				from--
			}
			for to < len(file) && file[to].IsComment() {
				to++
			}
			if to-from > 1 && m.tryLines(slices.Concat(file[:from], padOf(file[from:to]), file[to:])) {
				file = m.file()
				i = from + 1
			}
		}
	}
}

// padRuns returns the file with each run of equal lines replaced by a comment.
func padRuns(file []lines.Line) []lines.Line {
	var padded []lines.Line
	for i := 0; i < len(file); {
		j := i + 1
		for j < len(file) && file[j] == file[i] {
			j++
		}
		if j-i > 2 {
			padded = append(padded, padOf(file[i:j])...)
		} else {
			padded = append(padded, file[i:j]...)
		}
		i = j
	}
	return padded
}

// padOf returns one comment as long as all the lines, which are two or more.
func padOf(file []lines.Line) []lines.Line {
	end := file[len(file)-1].End
	room := -1 - len(end)
	for _, l := range file {
		room += len(l.Text) + len(l.End)
	}
	return []lines.Line{{Text: "#" + strings.Repeat("a", max(0, room)), End: end}}
}
