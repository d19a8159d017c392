package reports

import (
	"fmt"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// widestCauses is the width at which the choices of a table row are cut.
const widestCauses = 44

// A causeTable shows the choices that explain failures.
type causeTable struct {
	doc.Table
	data *spec.Data
	// unexpected and known report whether there are such failures, each of which has
	// a column.
	unexpected, known bool
	explained         map[string]bool // choices whose meaning is in the table
}

func newCauseTable(subjects []conformance.SubjectResult, data *spec.Data) *causeTable {
	t := &causeTable{Table: doc.Table{Columns: []doc.Column{{Head: "choice", Most: widestCauses}}, Keys: 1}, data: data, explained: map[string]bool{}}
	for i := range subjects {
		for _, c := range subjects[i].Causes {
			t.known, t.unexpected = t.known || c.Known > 0, t.unexpected || c.Known < c.Failures
		}
	}
	if t.unexpected {
		t.Columns = append(t.Columns, doc.Column{Head: "unexpected", Right: true})
	}
	if t.known {
		t.Columns = append(t.Columns, doc.Column{Head: "known", Right: true})
	}
	t.Columns = append(t.Columns, doc.Column{Head: "meaning", Rest: true, Wrap: true})
	return t
}

// add adds the choices of a subject that has failures.
func (t *causeTable) add(s *conformance.SubjectResult, failures int) {
	heading := fmt.Sprintf("%s: %s %d of %s", s.Name, countOf(len(s.Causes), "choice explains", "choices explain"), s.Explained, count(failures, "failure"))
	if len(s.Causes) == 0 {
		heading = fmt.Sprintf("%s: no choice explains its %s", s.Name, count(failures, "failure"))
	}
	t.Rows = append(t.Rows, row(heading))
	for _, c := range s.Causes {
		cells := row(c.String())
		if t.unexpected {
			cells = append(cells, row(c.Failures-c.Known)...)
		}
		if t.known {
			cells = append(cells, row(c.Known)...)
		}
		means := choiceMeans(t.data, c.Choice)
		if t.explained[c.Choice] {
			means = ""
		}
		t.explained[c.Choice] = true
		t.Rows = append(t.Rows, append(cells, tone(doc.Faint, means)))
	}
}

// causes shows, for each subject, the choices that explain its failures, and then the
// failures that no choice explains.
func (d *digest) causes(data *spec.Data, o Options) doc.Document {
	t := newCauseTable(d.Subjects, data)
	if !t.known && !t.unexpected {
		return nil
	}
	var others, rest []doc.Item
	for i := range d.subjects {
		s := &d.subjects[i]
		failures := s.Checks[conformance.Fail] + s.Checks[conformance.Known] + s.Checks[conformance.Broken]
		if failures == 0 {
			continue
		}
		t.add(s.SubjectResult, failures)
		if len(s.OtherChoices) > 0 {
			others = append(others, doc.Item{Text: tone(doc.Plain, s.Name+": "+strings.Join(s.OtherChoices, ", "))})
		}
		if item, ok := s.unexplained(o); ok {
			rest = append(rest, item)
		}
	}
	report := doc.Document{section("Choices that explain failures"), t.Table}
	about := "A parser that differs from %s only in these choices gives the same wrong answers. A failure that needs several choices counts for each. The meaning of a choice is shown once."
	report = append(report, note(about, d.Interpretation))
	if data != nil && len(data.Cases) > len(d.Cases) {
		report = append(report, note("The evidence is the answers to the %s of this run alone: others may refute a choice.", count(len(d.Cases), "case")))
	}
	report = append(report, titled("Choices that only cases on open questions show", others)...)
	return append(report, titled("Failures that no choice explains", rest)...)
}

// unexplained lists the failures that no choice explains, the unexpected ones first.
func (s *subjectDigest) unexplained(o Options) (doc.Item, bool) {
	var lines []doc.Item
	var names []string
	for _, failures := range [][]failure{s.unexpected, s.known} {
		for i := range failures {
			f, named := &failures[i], false
			for k := range f.checks {
				if check := &f.checks[k]; len(check.Causes) == 0 {
					lines = append(lines, checkLine(f.c, check, said(f.c.Level, check)))
					if !named {
						names, named = append(names, f.c.ID), true
					}
				}
			}
		}
	}
	if len(lines) == 0 {
		return doc.Item{}, false
	}
	head := fmt.Sprintf("%s: %s in %s", s.Name, count(len(lines), "failure"), count(len(names), "case"))
	if o.Verbose {
		return doc.Item{Text: tone(doc.Strong, head), Body: list(lines)}, true
	}
	shown, _ := first(names, mostFailures, o)
	text := head + ": " + strings.Join(shown, ", ")
	if len(shown) < len(names) {
		text += ", … (--verbose lists them)"
	}
	return doc.Item{Text: tone(doc.Warn, text)}, true
}

// choiceMeans returns the question of the point and the answer that a choice in the
// form "point=choice" gives, "" if it is unknown.
func choiceMeans(d *spec.Data, choice string) string {
	id, choice, _ := strings.Cut(choice, "=")
	if d == nil {
		return ""
	}
	if p := d.Point(id); p != nil && p.Choice(choice) != nil {
		return doc.OneLine(p.Question + " " + p.Choice(choice).Means)
	}
	return ""
}

// explainedBy names the choices that explain the failure, with the meaning if there is
// one choice; empty if there are none.
func explainedBy(check *conformance.Check, d *spec.Data) string {
	if len(check.Causes) == 0 {
		return ""
	}
	line := "explained by " + strings.Join(check.Causes, " with ")
	if means := choiceMeans(d, check.Causes[0]); len(check.Causes) == 1 && means != "" {
		line += ": " + means
	}
	return line
}
