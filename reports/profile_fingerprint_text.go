package reports

import (
	"cmp"
	"io"
	"strings"

	"github.com/repcheck/repcheck/conformance"
)

// FingerprintText writes how much of the subjects' answers is predicted, what
// is missed where it is less than 99 percent, and the tree of their distances;
// of one subject, or of all with Verbose, also the evidence for each deviation.
// o.Failures has no meaning here.
func FingerprintText(w io.Writer, r *conformance.Fingerprints, o TextOptions) error {
	p := newPage(w, max(cmp.Or(o.Width, defaultWidth), leastWidth), o.Color)
	p.text("", "  ", bold, fingerprintHeading(r))
	p.text("", "", dim, fingerprintNote)
	if len(r.Subjects) > 1 {
		p.line()
		head, rows := fingerprintsTable(r)
		scanTable(p, head, rows)
		p.text("", "", plain, fingerprintsCount(r))
		treeText(p, r)
	}
	full := len(r.Subjects) == 1 || o.Verbose
	for _, s := range byShare(r) {
		if full || !reached(s.Held) {
			p.line()
			fingerprintText(p, r, s, full, o.Verbose)
		}
	}
	return p.close()
}

func treeText(p *page, r *conformance.Fingerprints) {
	lines := treeLines(r)
	if len(lines) == 0 {
		return
	}
	p.line()
	p.line(bold.of("Who answers like whom"))
	for _, line := range lines {
		p.line(plain.of(line))
	}
	if len(r.Lineages) > 0 {
		p.line()
	}
	for i := range r.Lineages {
		p.text("", "  ", plain, lineageLine(&r.Lineages[i]))
	}
}

// fingerprintText writes one subject: in full, or only what is missed.
func fingerprintText(p *page, r *conformance.Fingerprints, s *conformance.Fingerprint, full, verbose bool) {
	p.text("", "  ", bold, strings.TrimSpace(s.Name+" "+s.Version))
	if full {
		p.text("", "  ", plain, fingerprintSummary(r, s))
		for _, line := range fingerprintAsides(s) {
			p.text("", "  ", yellow, line)
		}
		deviationsText(p, s)
	}
	if verbose || !reached(s.Held) {
		gapsText(p, s, full)
	}
}

func deviationsText(p *page, s *conformance.Fingerprint) {
	if len(s.Deviations) == 0 {
		p.text("", "", plain, "It deviates from RFC 9309 at no point.")
		return
	}
	p.line()
	head, rows := deviationRows(s)
	widths := columnWidths(append([][]string{head}, rows...))
	for i, row := range append([][]string{head}, rows...) {
		st := plain
		if i == 0 {
			st = bold
		}
		line := pad(row[0], widths[0]) + gap + pad(row[1], widths[1])
		for column := 2; column < 4; column++ {
			line += gap + strings.Repeat(" ", widths[column]-width(row[column])) + row[column]
		}
		p.line(st.of(line + gap + row[4]))
	}
	p.text("", "", dim, deviationNote)
}

// gapsText writes the groups of missed answers.
func gapsText(p *page, s *conformance.Fingerprint, all bool) {
	if len(s.Missed) == 0 {
		return
	}
	p.line(yellow.of(missedTitle(s)))
	for i := range s.Gaps {
		if i == shownGaps && !all {
			p.text("  ", "", dim, "… and "+count(len(s.Gaps)-i, "more group")+": --verbose shows all")
			return
		}
		g := &s.Gaps[i]
		p.text("  ", "  ", plain, gapTitle(g))
		for k := range g.Witnesses {
			if k > 0 && !all {
				break
			}
			p.line(dim.of("    " + missedLine(&g.Witnesses[k])))
		}
	}
}
