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
	// mostState is the maximum size of [State] as Markdown, in bytes: a code host
	// shows such a page at once, and a person can scroll through it.
	mostState = 60_000
	// mostStateLines and mostStateCommand bound the lines of a witness and the
	// width of its command on that page.
	mostStateLines, mostStateCommand = 12, 700
)

// State reports the parsers, the behaviours that matter most, at most the number
// most, and in brief the behaviours of each parser, on one page. The page has at most
// 60,000 bytes of Markdown, so it has fewer of the first behaviours if they are long. The fingerprints in the record of the
// campaign, which may be nil, show which parsers make a choice.
func State(r *FindingsReport, campaign *fuzz.CampaignRecord, most int) doc.Document {
	d := findingsHead(r)
	d = append(d, section("The behaviours that matter most"))
	d = append(d, paras(doc.Faint, "A behaviour is a choice of parsers that deviates from RFC 9309. They are ordered by the number of real files on which the choice matters times the number of lineages that take it; parsers that share code are one lineage. A parser takes a choice if its fingerprint has it. The queries about real files are natural: URLs and crawlers as they occur.")...)
	end := append(failuresTable(r, most), section("The rest"))
	end = append(append(end, paras(doc.Plain, "This page is a summary. The following command makes it again, and every finding with its witness as a page for a browser. CORPUS is a collection of real files, and may be left out.")...),
		doc.Code{Text: "make state TIME=10m CORPUS=robots.jsonl.gz", Shell: true})
	fingerprints := fingerprintsOf(campaign)
	var without []string
	for _, a := range r.Asked {
		if len(fingerprints[a.Name]) == 0 && a.Name != "reference" {
			without = append(without, a.Name)
		}
	}
	if without != nil {
		d = append(d, paras(doc.Warn, "These parsers have no fingerprint yet, and are listed where the choice explains their answer about the file below, which may be a coincidence: "+strings.Join(without, ", ")+".")...)
	}
	all := mattering(r, fingerprints)
	end = append(parserBehaviours(r, slices.Clone(all)), end...)
	room := mostState - markdownSize(d) - markdownSize(end)
	left := 0
	for i := range all {
		blocks := all[i].blocks(i + 1)
		if room -= markdownSize(blocks); i >= most || room < 0 {
			left = len(all) - i
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
	d.Markdown(&b) // a buffer returns no errors
	return b.Len()
}

// fingerprintsOf returns the deviations of each parser from RFC 9309, by name.
func fingerprintsOf(campaign *fuzz.CampaignRecord) map[string]fuzz.Cause {
	of := map[string]fuzz.Cause{}
	if campaign != nil {
		for _, s := range campaign.Subjects {
			of[doc.Printable(s.Name)] = s.Fingerprint
		}
	}
	return of
}

// A behaviour is a finding that one choice explains.
type behaviour struct {
	*Cluster
	// parsers are those that make the choice; lineages counts their lineages.
	parsers  []string
	lineages int
}

// mattering returns the behaviours, sorted by the number of real files and
// lineages that they affect.
func mattering(r *FindingsReport, fingerprints map[string]fuzz.Cause) []behaviour {
	var all []behaviour
	known := map[string]bool{}
	for i := range r.Clusters {
		b := behaviour{Cluster: &r.Clusters[i]}
		if b.Kind != fuzz.Disagreement || len(b.Choices) != 1 {
			continue
		}
		// Of the findings with one choice, the first is shown: its witness shows
		// the choice for any lineage.
		choice := b.choice()
		if known[choice] {
			continue
		}
		known[choice] = true
		lineages := map[string]bool{}
		for _, a := range r.Asked {
			takes := slices.ContainsFunc(fingerprints[a.Name], func(c fuzz.Change) bool { return c.String() == choice })
			if len(fingerprints[a.Name]) == 0 {
				takes = slices.ContainsFunc(b.Said, func(said ClusterSaid) bool { return said.Subject == a.Name && slices.Contains(said.Causes, choice) })
			}
			if takes {
				b.parsers = append(b.parsers, a.Name)
				lineages[a.Lineage] = true
			}
		}
		if b.lineages = len(lineages); b.lineages > 0 {
			all = append(all, b)
		}
	}
	concerns := func(b behaviour) int64 {
		if b.Wild == nil {
			return 0
		}
		return b.Wild.Files * int64(b.lineages)
	}
	slices.SortStableFunc(all, func(a, b behaviour) int {
		return cmp.Or(cmp.Compare(concerns(b), concerns(a)), b.lineages-a.lineages, b.Answers-a.Answers)
	})
	return all
}

// choice returns the choice, such as "tie=first".
func (c behaviour) choice() string { return c.Choices[0].Point + "=" + c.Choices[0].Choice }

// blocks shows a behaviour in brief.
func (c behaviour) blocks(rank int) doc.Document {
	choice := &c.Choices[0]
	heading := doc.Heading{Level: 3, Text: tone(doc.Plain, fmt.Sprintf("%d. %s", rank, c.choice()))}
	who := fmt.Sprintf("Taken by %s of %s: %s.", count(len(c.parsers), "parser"), count(c.lineages, "lineage"), doc.CutMiddle(strings.Join(c.parsers, ", "), 2*mostPhrase))
	if c.Wild != nil {
		who += " It changes an answer " + c.Wild.String() + "."
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

// requirementLinks names the requirements that the point of a choice affects.
func (c *ClusterChoice) requirementLinks() (t doc.Text) {
	for i, q := range c.Requirements {
		if i > 0 {
			t = t.And(doc.T(", "))
		}
		t = t.And(q.Place.link(), doc.T(" ("), Place{q.Section, q.URL}.link(), doc.T(")"))
	}
	return t
}

// failuresTable lists the most frequent crashes and timeouts, one for each
// lineage.
func failuresTable(r *FindingsReport, most int) doc.Document {
	var all []*Cluster
	for i := range r.Clusters {
		if c := &r.Clusters[i]; c.Kind == fuzz.CrashFound || c.Kind == fuzz.TimeoutFound {
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
