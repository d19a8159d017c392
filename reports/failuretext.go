package reports

import (
	"fmt"
	"strconv"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

const (
	// defaultFailures is how many failures of a subject are shown in full:
	// enough to see a pattern, few enough for every subject to be on screen.
	defaultFailures = 5
	// shortDetail bounds what is shown of a subject's own words, which may be
	// a stack trace.
	shortDetail = 8
	// widestAgent is where an agent is cut in a sentence: the URL needs the
	// room more.
	widestAgent = 32
	// leastURL is the room below which a URL gets a line of its own.
	leastURL = 24
)

// failuresText writes failures of one subject in full, or the first of them.
func failuresText(p *page, failures []failure, d *spec.Data, most int, verbose bool) {
	for i := range failures {
		if i == most && !verbose {
			p.line(plain.of(fmt.Sprintf("… and %s of %s: --verbose shows all", count(len(failures)-i, "further case"), failures[i].subject)))
			p.line()
			break
		}
		failureText(p, &failures[i], d, verbose)
		p.line()
	}
}

// failureText writes one failure.
func failureText(p *page, f *failure, d *spec.Data, verbose bool) {
	title := wrap(f.title(), p.width-4)
	p.line(f.style().of(f.mark()+" "), bold.of(title[0]))
	for _, line := range title[1:] {
		p.line(bold.of("    " + line))
	}
	p.text("  ", "", plain, f.c.Rationale)
	if verbose {
		for _, id := range f.c.Requirements {
			if text := requirementText(d, id); text != "" {
				p.text("  ", "  ", dim, id+": "+text)
			}
		}
	}
	if f.excused != "" && f.status >= conformance.Fail {
		p.text("  ", "", yellow, f.excused)
	}
	listingText(p, f)
	for i := range f.checks {
		checkText(p, f, &f.checks[i], verbose)
		if f.before != nil {
			p.text("  ", "  ", plain, wasSaid(&f.before[i]))
		}
	}
	p.line(dim.of("  " + f.c.Pos + " · " + f.explainCommand()))
}

// listingText writes the file with its lines numbered and the deciding ones
// marked.
func listingText(p *page, f *failure) {
	lines := listing(f.c.Robots, f.deciding())
	digits := 2
	for _, l := range lines {
		digits = max(digits, len(strconv.Itoa(l.number)))
	}
	for _, l := range lines {
		switch {
		case l.gap > 0:
			p.line(dim.of(fmt.Sprintf("     %*s  %s left out", digits, "⋮", count(l.gap, "line"))))
		case l.deciding:
			p.line(bold.of(fmt.Sprintf("   → %*d  %s", digits, l.number, l.text)))
		default:
			p.line(dim.of(fmt.Sprintf("     %*d  ", digits, l.number)), plain.of(l.text))
		}
	}
	if f.empty() {
		p.line(dim.of("      (the file is empty)"))
	}
}

// checkText writes one check: the query, the answer and the reason.
func checkText(p *page, f *failure, check *conformance.Check, verbose bool) {
	front, back := "  "+cut(spec.EncodeInline(check.Agent), widestAgent)+", ", said(f.c.Level, check)
	url := spec.EncodeInline(check.URL)
	if room := p.width - width(front) - width(": "+back); room >= min(leastURL, width(url)) {
		p.line(plain.of(front+cutMiddle(url, room)), f.style().of(": "+back))
	} else {
		p.line(plain.of(front + cutMiddle(url, p.width-width(front)-1) + ":"))
		p.text("    ", "", f.style(), back)
	}
	details := detailLines(check)
	for i, line := range details {
		if i == shortDetail && !verbose {
			p.line(dim.of(fmt.Sprintf("    … and %s more", count(len(details)-i, "line"))))
			break
		}
		if i == 0 {
			p.text("    ", "", plain, line)
		} else {
			p.line(dim.of("      " + line))
		}
	}
	if why := because(check); why != "" {
		p.text("  ", "  ", plain, why)
	}
	if listed := listedAs(check); listed != "" {
		p.text("  ", "  ", plain, listed)
	}
}
