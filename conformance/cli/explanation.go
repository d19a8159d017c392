package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

const (
	// maxRules is the number of rules shown for a crawler.
	maxRules = 40
	// maxHeaders is the number of user-agent lines named for a crawler.
	maxHeaders = 10
	// widestRule is the width at which a rule is cut in a table. The file below
	// shows more of it.
	widestRule = 50
)

// An explanation shows why the reference answers one query as it does.
type explanation struct {
	robots []byte
	probe  spec.Probe
}

// interpreted is the reference's answer under one interpretation.
type interpreted struct {
	Interpretation string       `json:"interpretation"`
	Verdict        spec.Verdict `json:"verdict"`
	Why            string       `json:"why"`
}

func (x *explanation) interpretations() []interpreted {
	var all []interpreted
	for _, name := range spec.Interpretations {
		trace := x.trace(name)
		all = append(all, interpreted{name, verdictOf(trace), trace.Why()})
	}
	return all
}

func (x *explanation) trace(interpretation string) *reference.Trace {
	in, err := reference.Named(interpretation)
	if err != nil {
		panic(err) // flags were checked before
	}
	trace := reference.New(in).Parse(x.robots).Rules(x.probe.Agent).Explain(x.probe.URL)
	return &trace
}

func verdictOf(t *reference.Trace) spec.Verdict {
	switch {
	case t.Refused != "":
		return spec.Reject
	case t.Decision.Allow:
		return spec.Allow
	}
	return spec.Disallow
}

// decidingLine returns the line of the deciding rule, 0 if there is none.
func decidingLine(t *reference.Trace) int {
	if t.Decision.Rule == nil {
		return 0
	}
	return t.Decision.Rule.Line()
}

// query describes the query.
func (x *explanation) query() doc.Text {
	return doc.C(spec.EncodeInline(x.probe.Agent)).And(doc.T(" asks for "), doc.C(spec.EncodeInline(x.probe.URL)))
}

// report shows one interpretation in full, and the answers under the others.
func (x *explanation) report(interpretation string) doc.Document {
	trace := x.trace(interpretation)
	report := doc.Document{doc.Heading{Level: 2, Text: doc.T("Under %s: %s, as %s", interpretation, verdictOf(trace), trace.Why())}}
	if len(trace.HeaderLines) > 0 {
		whose := "The groups that name the crawler"
		if trace.Source == reference.SourceStar {
			whose = "No group names the crawler; the groups for *"
		}
		report = append(report, doc.P("%s begin at %s.", whose, lineList(trace.HeaderLines)))
	}
	report = append(report, doc.Para{Text: doc.T("The URL is compared as ").And(doc.C(spec.EncodeInline(trace.Path)))})
	report = append(report, rulesReport(trace)...)
	var others []doc.Item
	for _, in := range x.interpretations() {
		others = append(others, doc.Item{Text: doc.T("%s: %s, as %s", in.Interpretation, in.Verdict, in.Why)})
	}
	return append(report, doc.NewListing(spec.EncodeOctets(x.robots), decidingLine(trace)), doc.List{Items: others})
}

// rulesReport shows the rules that apply to the crawler. Matching rules come
// first.
func rulesReport(trace *reference.Trace) doc.Document {
	if len(trace.Considered) == 0 {
		return nil
	}
	t := doc.Table{Columns: []doc.Column{{Head: "line", Right: true}, {Head: "rule"}, {Head: "bytes", Right: true}, {Head: "matches"}}}
	for _, c := range trace.Considered[:min(len(trace.Considered), maxRules)] {
		mark, tone, matches, name := "", doc.Plain, "no", "disallow "
		if c.Matches {
			matches = "yes"
		}
		if c.Rule.Line() == decidingLine(trace) {
			mark, tone = "→ ", doc.Strong
		}
		if c.Rule.Allow() {
			name = "allow "
		}
		rule := doc.Cut(name+spec.EncodeInline(c.Rule.Compared()), widestRule)
		t.Rows = append(t.Rows, doc.Row{doc.In(tone, "%s%d", mark, c.Rule.Line()), {{S: rule, Tone: tone, Code: true}}, doc.In(tone, "%d", c.Octets), doc.In(tone, "%s", matches)})
	}
	report := doc.Document{t}
	if more := len(trace.Considered) - maxRules; more > 0 {
		report = append(report, doc.P("… and %d more", more))
	}
	return report
}

func lineList(lines []int) string {
	words := make([]string, min(len(lines), maxHeaders))
	for i := range words {
		words[i] = strconv.Itoa(lines[i])
	}
	list := strings.Join(words, ", ")
	switch {
	case len(lines) == 1:
		return "line " + list
	case len(lines) > maxHeaders:
		list += " …"
	}
	return fmt.Sprintf("lines %s", list)
}
