package reports

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/repcheck/repcheck/conformance"
)

// FingerprintMarkdown writes what [FingerprintText] does as GitHub Flavored
// Markdown, every subject in full.
func FingerprintMarkdown(w io.Writer, r *conformance.Fingerprints) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "## Fingerprints\n\n%s\n\n%s\n\n", md(fingerprintHeading(r)), md(fingerprintNote))
	if len(r.Subjects) > 1 {
		head, rows := fingerprintsTable(r)
		mdTable(out, head, 1, mdCells(rows))
		fmt.Fprintf(out, "%s\n\n", md(fingerprintsCount(r)))
		if lines := treeLines(r); len(lines) > 0 {
			fmt.Fprint(out, "### Who answers like whom\n\n")
			mdBlock(out, "", strings.Join(lines, "\n")+"\n")
			fmt.Fprint(out, "\n")
			mdBlock(out, "", r.Tree.Newick+"\n")
			fmt.Fprint(out, "\n")
		}
		for i := range r.Lineages {
			fmt.Fprintf(out, "- %s\n", md(lineageLine(&r.Lineages[i])))
		}
		if len(r.Lineages) > 0 {
			fmt.Fprint(out, "\n")
		}
	}
	for _, s := range byShare(r) {
		fingerprintMarkdown(out, r, s)
	}
	return out.Flush()
}

func fingerprintMarkdown(w io.Writer, r *conformance.Fingerprints, s *conformance.Fingerprint) {
	fmt.Fprintf(w, "## %s\n\n%s\n\n", md(strings.TrimSpace(s.Name+" "+s.Version)), md(fingerprintSummary(r, s)))
	for _, line := range fingerprintAsides(s) {
		fmt.Fprintf(w, "%s\n\n", md(line))
	}
	if len(s.Deviations) > 0 {
		head, rows := deviationRows(s)
		mdTable(w, head, 5, mdCells(rows))
		fmt.Fprintf(w, "%s\n\n", md(deviationNote))
	}
	if len(s.Missed) == 0 || reached(s.Held) {
		return
	}
	fmt.Fprintf(w, "### %s\n\n", mdSentence(missedTitle(s)))
	for i := range s.Gaps {
		g := &s.Gaps[i]
		fmt.Fprintf(w, "- %s\n", md(gapTitle(g)))
		for k := range g.Witnesses {
			m := &g.Witnesses[k]
			fmt.Fprintf(w, "  - %s\n", md(missedLine(m)))
			if m.Robots != "" {
				mdBlock(w, "    ", m.Robots)
			}
		}
	}
	fmt.Fprint(w, "\n")
}
