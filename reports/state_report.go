package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports/doc"
)

const (
	// mostState is the size of [State] as Markdown, in bytes: a code host shows
	// such a page at once, and a person scrolls through it.
	mostState = 60_000
	// mostStateLines and mostStateCommand bound what is shown of a witness there.
	mostStateLines, mostStateCommand = 12, 400
)

// State reports the parsers and the most behaviours that matter most, on one page
// of at most 60,000 bytes of Markdown: fewer behaviours if they are long.
func State(r *FindingsReport, most int) doc.Document {
	d := findingsHead(r)
	d = append(d, section("The behaviours that matter most"))
	d = append(d, paras(doc.Faint, "A behaviour is a choice of parsers that deviates from RFC 9309. They are ordered by the number of real files on which the choice matters times the number of lineages that take it; parsers that share code are one lineage.")...)
	end := append(failuresTable(r, most), section("The rest"))
	end = append(append(end, paras(doc.Plain, "This page is a summary. The following command makes it again, and every finding with its witness as a page for a browser. CORPUS is a collection of real files, and may be left out.")...),
		doc.Code{Text: "make state TIME=10m CORPUS=robots.jsonl.gz", Shell: true})
	room := mostState - markdownSize(d) - markdownSize(end)
	left := 0
	for i, c := range mattering(r) {
		blocks := c.behaviour(i + 1)
		if room -= markdownSize(blocks); i >= most || room < 0 {
			left = len(mattering(r)) - i
			break
		}
		d = append(d, blocks...)
	}
	if left > 0 {
		d = append(d, paras(doc.Faint, fmt.Sprintf("… and %s more.", count(left, "behaviour")))...)
	}
	return append(d, end...)
}

func markdownSize(d doc.Document) int {
	var b bytes.Buffer
	d.Markdown(&b) // a buffer has no errors
	return b.Len()
}

// mattering are the findings that one choice explains, those first that concern
// most real files and lineages.
func mattering(r *FindingsReport) []*Cluster {
	var all []*Cluster
	for i := range r.Clusters {
		if c := &r.Clusters[i]; c.Kind == fuzz.Disagreement && len(c.Choices) == 1 {
			all = append(all, c)
		}
	}
	concerns := func(c *Cluster) int64 {
		if c.Wild == nil {
			return 0
		}
		return c.Wild.Files * int64(len(c.Lineages))
	}
	slices.SortStableFunc(all, func(a, b *Cluster) int {
		return cmp.Or(cmp.Compare(concerns(b), concerns(a)), len(b.Lineages)-len(a.Lineages), b.Answers-a.Answers)
	})
	return all
}

// behaviour shows a finding that one choice explains, in short.
func (c *Cluster) behaviour(rank int) doc.Document {
	choice := &c.Choices[0]
	heading := doc.Heading{Level: 3, Text: tone(doc.Plain, fmt.Sprintf("%d. %s", rank, doc.CutMiddle(c.Title, mostPhrase)))}
	who := fmt.Sprintf("%s: %s.", count(len(c.Lineages), "lineage"), doc.CutMiddle(strings.Join(c.Lineages, ", "), mostPhrase))
	who = "Taken by " + who
	if c.Wild != nil {
		who = "It matters " + c.Wild.String() + ". " + who
	}
	d := doc.Document{heading, doc.Para{Text: choice.Place.link().And(tone(doc.Plain, ": "+choice.Question+" "), tone(doc.Strong, choice.Choice), tone(doc.Plain, ": "+choice.Means+" RFC 9309 is read as "),
		tone(doc.Strong, choice.Reads), tone(doc.Plain, ": "+choice.ReadsMeans))}}
	if requirements := choice.requirementLinks(); len(requirements) > 0 {
		d = append(d, doc.Para{Text: requirements})
	}
	d = append(d, paras(doc.Plain, who)...)
	for _, b := range c.witness() {
		if l, ok := b.(doc.Listing); ok {
			b = doc.Listing{Lines: l.Lines[:min(len(l.Lines), mostStateLines)]}
		}
		d = append(d, b)
	}
	if doc.Width(c.Command) <= mostStateCommand {
		d = append(d, doc.Code{Text: c.Command, Shell: true})
	}
	return d
}

// requirementLinks names the requirements that the point of a choice touches.
func (c *ClusterChoice) requirementLinks() (t doc.Text) {
	for i, q := range c.Requirements {
		if i > 0 {
			t = t.And(doc.T(", "))
		}
		t = t.And(q.Place.link(), doc.T(" ("), Place{q.Section, q.URL}.link(), doc.T(")"))
	}
	return t
}

// failuresTable lists the crashes and timeouts that were met most, one of each
// lineage.
func failuresTable(r *FindingsReport, most int) doc.Document {
	var all []*Cluster
	for i := range r.Clusters {
		if c := &r.Clusters[i]; c.Kind == fuzz.CrashFound || c.Kind == fuzz.HangFound {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b *Cluster) int { return b.Answers - a.Answers })
	seen := map[string]bool{}
	t := doc.Table{Columns: columns(1, "kind", "answers"), Keys: 2}
	t.Columns = append(t.Columns, doc.Column{Head: "finding", Rest: true, Wrap: true})
	for _, c := range all {
		key := string(c.Kind) + strings.Join(c.Lineages, " ")
		if !seen[key] && len(t.Rows) < most {
			seen[key] = true
			t.Rows = append(t.Rows, row(string(c.Kind), thousands(int64(c.Answers)), doc.CutMiddle(c.Title, mostTitle)))
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return append(doc.Document{section("Crashes and timeouts"), t}, paras(doc.Faint, "Of each lineage the one that was met most.")...)
}
