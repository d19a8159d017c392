package reports

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
)

// ErrNoTree is the error for a tree of fewer than two parsers.
var ErrNoTree = errors.New("a tree needs at least two parsers")

// Newick writes the tree of distances on one line in the Newick
// notation, which tree-drawing programs read. It returns ErrNoTree if there are
// fewer than two parsers.
func Newick(w io.Writer, r *conformance.Profiles) error {
	if r.Tree == nil {
		return ErrNoTree
	}
	_, err := fmt.Fprintln(w, r.Tree.Newick)
	return err
}

// tree draws the tree of distances: each join is its distance above
// its two branches, the widest on top. It also says whether the parsers of a
// lineage are each other's nearest. Verbose adds the tree in the Newick notation.
func tree(r *conformance.Profiles, o Options) doc.Document {
	if r.Tree == nil || len(r.Tree.Merges) == 0 {
		return nil
	}
	var b strings.Builder
	var draw func(node int, first, rest string)
	draw = func(node int, first, rest string) {
		if node < len(r.Subjects) {
			b.WriteString(first + r.Subjects[node].Name + "\n")
			return
		}
		m := r.Tree.Merges[node-len(r.Subjects)]
		b.WriteString(first + apart(m.Distance) + "\n")
		draw(m.One, rest+"├─ ", rest+"│  ")
		draw(m.Other, rest+"└─ ", rest+"   ")
	}
	draw(len(r.Subjects)+len(r.Tree.Merges)-1, "", "")
	var lines []string
	for i := range r.Lineages {
		lines = append(lines, lineageLine(&r.Lineages[i]))
	}
	d := doc.Document{section("Which parsers answer alike"), doc.Code{Text: b.String()}}
	if o.Verbose {
		d = append(d, doc.Code{Text: r.Tree.Newick})
	}
	return append(d, list(items(doc.Plain, lines))...)
}

// lineageLine says whether the parsers of a lineage are each other's nearest.
func lineageLine(l *conformance.LineageDistance) string {
	s := fmt.Sprintf("%s (%s): at most %s from each other", l.Lineage, strings.Join(l.Subjects, ", "), apart(l.Widest))
	if l.Outside == "" {
		return s
	}
	s += fmt.Sprintf(", at least %s from any other (%s from %s)", apart(l.Nearest), l.Inside, l.Outside)
	if !l.Together() {
		s += ": not nearer to each other than to others"
	}
	return s
}
