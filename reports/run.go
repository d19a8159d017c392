package reports

import (
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// Run reports on a run of the suite. The news comes first: lost parsers,
// unexpected failures with their files, and fixed failures. Then come the known
// failures, the matrix of requirements and parsers, the totals, and the verdict.
// The texts of requirements come from d, which may be nil.
//
// Unless o.Verbose is set, the report is short: it shows at most five unexpected
// and five fixed cases of each parser, one line about the known failures, and
// only the requirements that a parser fails.
func Run(r *conformance.Result, d *spec.Data, o Options) doc.Document {
	report := doc.Document{summary(verdict(r), r.Failed() || r.Lost()), doc.Para{Text: tone(doc.Strong, heading(r))}}
	report = append(report, newNews(r).report(d, o)...)
	report = append(report, matrixReport(r, d, o)...)
	if len(r.Subjects) > 0 {
		report = append(report, section("Totals"))
		report = append(report, countsTable(r)...)
		report = append(report, levelsTable(r)...)
	}
	report = append(report, titled("Adapter faults", remarkItems(remarks(r, o.Verbose), false))...)
	return append(report, titled("Notes", append(items(doc.Plain, r.Notes), items(doc.Plain, asides(r))...))...)
}

// summary returns the sentence that sums up a report. It is the title, and the
// last line in text.
func summary(s string, bad bool) doc.Heading {
	t := doc.Good
	if bad {
		t = doc.Bad
	}
	return doc.Heading{Level: 1, Text: tone(t, s), Last: true}
}

// titled returns a list under a heading, or nothing if the list is empty.
func titled(title string, items []doc.Item) doc.Document {
	if len(items) == 0 {
		return nil
	}
	return doc.Document{section(title), doc.List{Items: items}}
}

// firstItems is like titled, with at most that many items unless all is set.
func firstItems(title string, items []doc.Item, most int, all bool) doc.Document {
	if more := len(items) - most; more > 0 && !all {
		items = append(items[:most:most], doc.Item{Text: doc.T("… and %d more: --verbose shows all", more)})
	}
	return titled(title, items)
}

// shownLines splits a text. The first line is a sentence; the rest, such as a
// stack trace, is shown unchanged, at most that many lines, 0 for all.
func shownLines(s string, t doc.Tone, most int) (first doc.Text, rest doc.Document) {
	lines := textLines(s)
	if len(lines) == 0 {
		return nil, nil
	}
	if more := len(lines) - most; more > 0 && most > 0 {
		lines = append(lines[:most:most], "… and "+count(more, "more line"))
	}
	if len(lines) > 1 {
		rest = doc.Document{doc.Code{Text: strings.Join(lines[1:], "\n")}}
	}
	return tone(t, lines[0]), rest
}

// textLines returns the lines of a text to be shown unchanged. Their length is
// bounded, and an empty text has none.
func textLines(s string) []string {
	s = strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
	if s == "" {
		return nil
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = doc.Cut(lines[i], longestText)
	}
	return lines
}
