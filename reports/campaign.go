package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

const (
	// mostListed is the number of findings listed after a campaign.
	mostListed = 20
	// mostTitle is the width of a finding's title on a page. It is bounded
	// because the message of a crash may be long.
	mostTitle = 200
)

// Campaign reports on a campaign: totals, parsers, and the findings of its store
// in dir.
func Campaign(r *fuzz.CampaignResult, findings []fuzz.Finding, dir string) doc.Document {
	p := &r.CampaignProgress
	d := doc.Document{title(fmt.Sprintf("%s in %s, %s answers, %s a second", count(p.Next, "input"), duration(p.Elapsed),
		thousands(p.Tally.Answers), thousands(int64(p.Rate()))))}
	d = append(append(d, campaignTotals(p)...), campaignSubjects(p))
	d = append(d, findingsTable(findings[:min(len(findings), mostListed)])...)
	if more := len(findings) - mostListed; more > 0 {
		d = append(d, note("… and %d more", more))
	}
	return append(d, note("%s in %s. See all: repcheck findings list --dir %[2]s; one: repcheck findings show ID --dir %[2]s",
		count(len(findings), "finding"), shellWord(dir)))
}

// CampaignProgress reports the progress of a campaign. Parsers that need
// attention come first.
func CampaignProgress(p *fuzz.CampaignProgress) doc.Document {
	if p.Elapsed == 0 {
		return doc.Document{title(CampaignLine(p))}
	}
	left := ""
	if p.Left > 0 {
		left = ", " + duration(p.Left) + " left"
	}
	d := doc.Document{title(fmt.Sprintf("%s%s   %s   %s answers   %s/s", duration(p.Elapsed), left, count(p.Next, "input"),
		thousands(p.Tally.Answers), thousands(int64(p.Rate()))))}
	return append(append(d, campaignTotals(p)...), campaignSubjects(p))
}

// CampaignLine returns the progress of a campaign in one line.
func CampaignLine(p *fuzz.CampaignProgress) string {
	if p.Elapsed == 0 {
		return fmt.Sprintf("taking fingerprints: %d of %d", p.Fingerprints, len(p.Subjects))
	}
	t := &p.Tally
	return fmt.Sprintf("%s  %s, %s answers, %s/s; %s, %d new; %s of the deviations explained; %s, %s, %s",
		duration(p.Elapsed), count(p.Next, "input"), thousands(t.Answers), thousands(int64(p.Rate())),
		count(findingsMet(p), "finding"), len(t.New), percentOf(t.Explained()),
		count(t.Crashes, "crash"), count(t.Timeouts, "timeout"), count(p.Clusters[fuzz.UnexplainedAnswer], "unexplained finding"))
}

func findingsMet(p *fuzz.CampaignProgress) (n int) {
	for _, met := range p.Clusters {
		n += met
	}
	return n
}

// campaignTotals counts the answers by outcome.
func campaignTotals(p *fuzz.CampaignProgress) doc.Document {
	t := &p.Tally
	unexplained := doc.Plain
	if p.Clusters[fuzz.UnexplainedAnswer] > 0 {
		unexplained = doc.Warn
	}
	var kinds []string
	for _, k := range fuzz.Kinds {
		if n := p.Clusters[k]; n > 0 {
			kinds = append(kinds, fmt.Sprintf("%s %d", k, n))
		}
	}
	d := doc.Document{
		doc.P("disagreements %s of %s queries; %s answers deviate from the reference", thousands(t.Disagreements), thousands(t.Queries), thousands(t.Deviations)),
		doc.Para{Text: doc.T("explained     ").And(tone(doc.Strong, percentOf(t.Explained())),
			doc.T(": confirmed by experiments %s, proposed but not tested %s; refuted %s, unexplained ", shareOf(t.Confirmed, t.Deviations), shareOf(t.Proposed, t.Deviations), shareOf(t.Refuted, t.Deviations)),
			doc.In(unexplained, "%s", shareOf(t.Unexplained, t.Deviations)), doc.T(" (%s of %s not minimized)", thousands(t.Unseen), thousands(t.Unexplained)))},
		doc.P("findings      %d, new %d: %s", findingsMet(p), len(t.New), strings.Join(kinds, ", ")),
	}
	if t.Unsteady > 0 {
		d = append(d, doc.P("order-dependent  %s that depend on earlier queries; they are not findings", count(t.Unsteady, "answer")))
	}
	return d
}

// campaignSubjects returns the table of parsers. Those that need attention come
// first; the others are sorted by how often they deviate.
func campaignSubjects(p *fuzz.CampaignProgress) doc.Table {
	subjects := slices.Clone(p.Subjects)
	deviates := func(s *fuzz.CampaignSubject) float64 {
		return float64(s.Tally.Deviations) / float64(max(1, s.Tally.Answers))
	}
	slices.SortStableFunc(subjects, func(a, b fuzz.CampaignSubject) int {
		return cmp.Or(-cmp.Compare(len(a.Lost), len(b.Lost)), -cmp.Compare(a.Tally.Unexplained, b.Tally.Unexplained),
			-cmp.Compare(a.Tally.Crashes+a.Tally.Timeouts, b.Tally.Crashes+b.Tally.Timeouts), -cmp.Compare(deviates(&a), deviates(&b)))
	})
	t := doc.Table{Columns: columns(1, "parser", "asked", "answers", "deviates", "explained", "unexplained", "crash", "timeout", "slow", "refuses"), Keys: 1}
	ill := slices.ContainsFunc(subjects, func(s fuzz.CampaignSubject) bool { return subjectState(&s) != "" })
	if ill {
		t.Columns = append(t.Columns, doc.Column{Head: "state", Rest: true})
	}
	for i := range subjects {
		s := &subjects[i]
		asked := "100 %"
		if int(s.Inputs) < p.Tally.Inputs {
			asked = shareOf(int(s.Inputs), p.Tally.Inputs)
		}
		cells := row(s.Name, asked, s.Tally.Answers, shareOf(s.Tally.Deviations, s.Tally.Answers), percentOf(s.Tally.Explained()),
			s.Tally.Unexplained, s.Tally.Crashes, s.Tally.Timeouts, s.Slow, s.Tally.Refusals)
		for k, cell := range cells[5:] {
			if cell.String() == "0" {
				cells[5+k] = tone(doc.Faint, "·")
			}
		}
		if ill {
			cells = append(cells, tone(doc.Warn, subjectState(s)))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// subjectState describes what is wrong with a parser. It returns "" if nothing
// is.
func subjectState(s *fuzz.CampaignSubject) string {
	switch {
	case s.Lost != "":
		return "lost: " + s.Lost
	case s.Resting:
		return "paused after a slow file"
	case s.Unfingerprinted:
		return "no fingerprint in time"
	}
	return ""
}

// percentOf formats a share in percent, rounded down, so that 100 % means all.
func percentOf(share float64) string {
	if share >= 1 {
		return "100 %"
	}
	return fmt.Sprintf("%.1f %%", float64(int(share*1000))/10)
}

func shareOf(n, of int) string {
	if of == 0 {
		return "none"
	}
	return percentOf(float64(n) / float64(of))
}

// mostOfLineage bounds the findings of one kind about one lineage in a brief list, so
// that those about forty parsers are a few screens.
const mostOfLineage = 5

// FindingsList lists findings, one per row. A brief list has the first of each kind
// about each lineage, and says how many it leaves out.
func FindingsList(findings []fuzz.Finding, brief bool) doc.Document {
	shown := findings
	if brief {
		type about struct {
			kind    fuzz.Kind
			lineage string
		}
		seen := map[about]int{}
		shown = slices.DeleteFunc(slices.Clone(findings), func(f fuzz.Finding) bool {
			seen[about{f.Kind, f.Lineage}]++
			return seen[about{f.Kind, f.Lineage}] > mostOfLineage
		})
	}
	d := findingsTable(shown)
	if left := len(findings) - len(shown); left > 0 {
		d = append(d, note("… and %s more: of each kind, this list has %d about parsers that share code. --parser, --kind and --point list all that they select.", thousands(int64(left)), mostOfLineage))
	}
	return append(d, note("%s; repcheck findings show ID shows one", count(len(findings), "finding")))
}

func findingsTable(findings []fuzz.Finding) doc.Document {
	if len(findings) == 0 {
		return nil
	}
	t := doc.Table{Columns: columns(1, "ID", "answers", "tested"), Keys: 3}
	t.Columns = append(t.Columns, doc.Column{Head: "finding", Most: widestFinding}, doc.Column{Head: "witness", Rest: true})
	for i := range findings {
		f := &findings[i]
		style := doc.Warn
		if f.Kind == fuzz.Disagreement {
			style = doc.Plain
		}
		t.Rows = append(t.Rows, row(f.ID(), f.Count(), experiments(f), tone(style, doc.OneLine(f.Title())), doc.C(oneLine(f.Witness))))
	}
	return doc.Document{t}
}

// widestFinding leaves room for the witness in a list of findings.
const widestFinding = 44

// experiments says how many experiments confirmed the cause of a finding, or that
// they refuted one.
func experiments(f *fuzz.Finding) string {
	switch {
	case len(f.Experiments) > 0:
		return strconv.Itoa(len(f.Experiments))
	case len(f.Refuted) > 0:
		return "refuted"
	case f.Kind == fuzz.Disagreement:
		return "none"
	}
	return ""
}

// oneLine shows a query and its file in one line.
func oneLine(w fuzz.Witness) string {
	return spec.ProbeID(w.Probe) + "  " + strings.ReplaceAll(strings.TrimSpace(spec.EncodeOctets(w.Robots)), "\n", " ⏎ ")
}
