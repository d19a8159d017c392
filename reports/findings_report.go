package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports/doc"
)

const (
	// mostSets is the number of sets of several choices that are listed. The sets
	// left out are those that occurred least.
	mostSets = 100
	// mostAlike is the number of crashes, and of refusals, shown for one parser.
	// There may be many, because their messages usually contain a part of the
	// file.
	mostAlike = 5
	// mostPhrase bounds the length, in characters, of every text that comes from
	// a parser or a file.
	mostPhrase = 300
)

// kindHeadings are the headings of the findings of each kind.
var kindHeadings = map[fuzz.Kind]string{
	fuzz.UnexplainedAnswer: "No choice explains it",
	fuzz.CrashFound:        "Crashes",
	fuzz.TimeoutFound:      "Timeouts",
	fuzz.SlowFound:         "Slow on one file",
	fuzz.Disagreement:      "One choice explains it",
	fuzz.RefusalFound:      "Refusals",
}

// Findings reports on a folder of findings: its sources, the parsers, each
// finding with its witness, and the sets of several choices, one line each.
func Findings(r *FindingsReport, o Options) doc.Document {
	d := findingsHead(r)
	d = append(d, section(r.total()))
	var contents []doc.Item
	var body doc.Document
	add := func(id, heading string, blocks doc.Document) {
		contents = append(contents, doc.Item{Text: doc.Link(heading, "#"+id)})
		body = append(append(body, doc.Heading{Level: 2, Text: tone(doc.Plain, heading), ID: id}), blocks...)
	}
	several := r.several()
	for _, kind := range fuzz.Kinds {
		if clusters, heading := r.ofKind(kind, o); len(clusters) > 0 {
			var details doc.Document
			for _, c := range clusters {
				details = append(details, c.details(several))
			}
			add("kind-"+string(kind), heading, details)
		}
	}
	if len(r.Sets) > 0 {
		add("sets", fmt.Sprintf("Several choices explain it (%d)", len(r.Sets)), findingSets(r, o))
	}
	d = append(d, list(contents)...)
	if len(r.Asked) > 0 {
		d = append(d, doc.Details{Title: doc.T("Which parsers answered"), Body: list(items(doc.Plain, r.askedLines()))})
	}
	return append(d, body...)
}

// findingsHead returns the title, the sources of the report, and the parsers.
func findingsHead(r *FindingsReport) doc.Document {
	heading := r.Title
	if !r.Date.IsZero() {
		heading += ", " + r.Date.Format("2006-01-02")
	}
	d := doc.Document{title(heading)}
	var sources []doc.Item
	for _, s := range r.Sources {
		sources = append(sources, doc.Item{Text: tone(doc.Strong, s.Name).And(tone(doc.Plain, ": "+s.Text))})
	}
	d = append(d, list(sources)...)
	d = append(d, paras(doc.Warn, r.Notes...)...)
	return append(d, stateTable(r.State)...)
}

// total counts the findings by kind.
func (r *FindingsReport) total() string {
	n := 0
	var parts []string
	for _, k := range r.Kinds {
		n += k.Findings
		parts = append(parts, fmt.Sprintf("%s %d", k.Kind, k.Findings))
	}
	if n == 0 {
		return "No findings"
	}
	return count(n, "finding") + ": " + strings.Join(parts, ", ")
}

// ofKind returns the findings of a kind that are shown, and their heading. For
// each lineage, only the crashes and refusals that occurred most are shown.
func (r *FindingsReport) ofKind(kind fuzz.Kind, o Options) (clusters []*Cluster, heading string) {
	for i := range r.Clusters {
		if r.Clusters[i].Kind == kind {
			clusters = append(clusters, &r.Clusters[i])
		}
	}
	heading = fmt.Sprintf("%s (%d)", kindHeadings[kind], len(clusters))
	if o.Verbose || kind != fuzz.CrashFound && kind != fuzz.RefusalFound {
		return clusters, heading
	}
	all := len(clusters)
	slices.SortStableFunc(clusters, func(a, b *Cluster) int { return b.Answers - a.Answers })
	seen := map[string]int{}
	clusters = slices.DeleteFunc(clusters, func(c *Cluster) bool {
		lineages := strings.Join(c.Lineages, " ")
		seen[lineages]++
		return seen[lineages] > mostAlike
	})
	if n := all - len(clusters); n > 0 {
		heading += fmt.Sprintf(", of each parser the %d met most; --verbose shows the other %d", mostAlike, n)
	}
	return clusters, heading
}

// findingSets lists the findings that only several choices explain.
func findingSets(r *FindingsReport, o Options) doc.Document {
	d := paras(doc.Faint, "Each line is one set of choices that together explain an answer. Most are choices shown above that meet in one file, and some are coincidences.")
	shown, more := r.Sets, ""
	if n := len(shown) - mostSets; n > 0 && !o.Verbose {
		shown, more = shown[:mostSets], fmt.Sprintf("… and %s more: --verbose shows all.", thousands(int64(n)))
	}
	var lines []doc.Item
	for i := range shown {
		s := &shown[i]
		lines = append(lines, doc.Item{Text: doc.C(s.ID).And(tone(doc.Plain, "  "+s.Title+"; "), tone(doc.Faint, metLine(s.Answers, s.Beyond, s.Lineages)))})
	}
	return append(append(d, list(lines)...), paras(doc.Faint, more)...)
}

// metLine says how often a finding occurred, and for which lineages.
func metLine(answers, beyond int, lineages []string) string {
	s := countOf(int64(answers), "answer", "answers")
	if beyond > 0 {
		s += fmt.Sprintf(" (%s beyond the fingerprints)", thousands(int64(beyond)))
	}
	return doc.CutMiddle(fmt.Sprintf("%s of %s: %s", s, count(len(lineages), "lineage"), strings.Join(lineages, ", ")), mostPhrase)
}

// askedLines lists the parsers with their versions.
func (r *FindingsReport) askedLines() []string {
	var lines []string
	for _, a := range r.Asked {
		line := a.Name
		if a.Lineage != a.Name {
			line += " (of " + a.Lineage + ")"
		}
		lines = append(lines, doc.CutMiddle(strings.TrimSpace(line+" "+strings.Join(a.Versions, ", ")), mostPhrase))
	}
	return lines
}

// several returns the parsers of which more than one version answered. Their
// answers are shown with the version.
func (r *FindingsReport) several() map[string]bool {
	names := map[string]bool{}
	for _, a := range r.Asked {
		if len(a.Versions) > 1 {
			names[a.Name] = true
		}
	}
	return names
}
