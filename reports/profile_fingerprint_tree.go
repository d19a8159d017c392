package reports

import (
	"errors"
	"fmt"
	"io"

	"github.com/repcheck/repcheck/conformance"
)

// FingerprintNewick writes the tree of distances in the Newick notation, which
// programs that draw trees read: one line. It is an error if there are fewer
// than two subjects.
func FingerprintNewick(w io.Writer, r *conformance.Fingerprints) error {
	if r.Tree == nil {
		return errors.New("a tree needs two parsers at the least")
	}
	_, err := fmt.Fprintln(w, r.Tree.Newick)
	return err
}

// treeLines draws the tree of distances: each join as its distance over its two
// branches, the farthest on top.
func treeLines(r *conformance.Fingerprints) []string {
	if r.Tree == nil || len(r.Tree.Merges) == 0 {
		return nil
	}
	var lines []string
	var draw func(node int, first, rest string)
	draw = func(node int, first, rest string) {
		if node < len(r.Subjects) {
			lines = append(lines, first+r.Subjects[node].Name)
			return
		}
		m := r.Tree.Merges[node-len(r.Subjects)]
		lines = append(lines, first+apart(m.Distance))
		draw(m.One, rest+"├─ ", rest+"│  ")
		draw(m.Other, rest+"└─ ", rest+"   ")
	}
	draw(len(r.Subjects)+len(r.Tree.Merges)-1, "", "")
	return lines
}
