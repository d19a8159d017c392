package reports

import (
	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

const (
	// mostFailures is the number of failures shown in full for each subject:
	// enough to see a pattern, few enough to fit every subject on a screen.
	mostFailures = 5
	// shortDetail bounds the lines of a subject's own message, which may be a
	// stack trace.
	shortDetail = 8
	// widestAgent and widestURL are the widths at which agents and URLs are cut
	// within a sentence.
	widestAgent = 32
	widestURL   = 60
)

// failuresReport shows the failures of one subject in full, or the first few of
// them.
func failuresReport(title string, failures []failure, d *spec.Data, o Options) doc.Document {
	var all []doc.Item
	for i := range failures {
		if i == mostFailures && !o.Verbose {
			break
		}
		all = append(all, failures[i].item(d, o.Verbose))
	}
	report := titled(title, all)
	if more := len(failures) - len(all); more > 0 {
		report = append(report, doc.P("… and %s of %s: --verbose shows all", count(more, "further case"), failures[0].subject))
	}
	return report
}

// item shows the failure: the case with its file, and each query with the answer
// and the reason.
func (f *failure) item(d *spec.Data, verbose bool) doc.Item {
	body := paras(doc.Plain, f.c.Rationale)
	if verbose {
		for _, id := range f.c.Requirements {
			if text := requirementText(d, id); text != "" {
				body = append(body, doc.Para{Text: tone(doc.Faint, id+": "+text)})
			}
		}
	}
	if f.excused != "" && f.status >= conformance.Fail {
		body = append(body, doc.Para{Text: tone(doc.Warn, f.excused)})
	}
	if f.c.Robots != "" || f.empty() {
		body = append(body, doc.NewListing(f.c.Robots, f.deciding()...))
	}
	var checks []doc.Item
	for i := range f.checks {
		checks = append(checks, f.checkItem(i, verbose))
	}
	body = append(body, list(checks)...)
	place := doc.C(f.c.Pos).And(doc.T(" · "), doc.C(f.explainCommand()))
	return doc.Item{Mark: f.mark(), Text: tone(f.tone(), f.title()), Body: append(body, doc.Para{Text: place})}
}

// checkItem shows one check: the query, the answer and the reason.
func (f *failure) checkItem(i int, verbose bool) doc.Item {
	check := &f.checks[i]
	most := shortDetail
	if verbose {
		most = 0
	}
	var body doc.Document
	if first, rest := shownLines(check.Got.Detail, doc.Plain, most); first != nil {
		body = append(doc.Document{doc.Para{Text: first}}, rest...)
	}
	lines := []string{because(check), listedAs(check)}
	if f.before != nil {
		lines = append(lines, wasSaid(&f.before[i]))
	}
	query := doc.C(doc.Cut(spec.EncodeInline(check.Agent), widestAgent)).And(doc.T(", "), doc.C(doc.CutMiddle(spec.EncodeInline(check.URL), widestURL)))
	return doc.Item{Text: query.And(doc.T(": "), tone(f.tone(), said(f.c.Level, check))), Body: append(body, paras(doc.Plain, lines...)...)}
}
