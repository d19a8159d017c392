package reports

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/fuzz"
)

// CampaignLine tells how far a campaign is in one line.
func CampaignLine(p *fuzz.CampaignProgress) string {
	if p.Elapsed == 0 {
		return fmt.Sprintf("taking fingerprints: %d of %d", p.Fingerprints, len(p.Subjects))
	}
	t := &p.Tally
	return fmt.Sprintf("%s  %s, %s answers, %s/s; %s, %d new; %s of the deviations explained; %s, %s, %s",
		scanTime(p.Elapsed), countOf(int64(p.Next), "input", "inputs"), thousands(int64(t.Answers)), thousands(int64(p.Rate())),
		countOf(int64(findingsMet(p)), "finding", "findings"), len(t.New), percentOf(t.Explained()),
		countOf(int64(t.Crashes), "crash", "crashes"), countOf(int64(t.Timeouts), "timeout", "timeouts"), count(p.Clusters[fuzz.UnexplainedAnswer], "unexplained finding"))
}

func findingsMet(p *fuzz.CampaignProgress) (n int) {
	for _, met := range p.Clusters {
		n += met
	}
	return n
}

// percentOf rounds down: what is not all is never 100 %.
func percentOf(share float64) string {
	if share >= 1 {
		return "100 %"
	}
	return fmt.Sprintf("%.1f %%", float64(int(share*1000))/10)
}

// CampaignScreen writes a page of at most height lines that shows how far a
// campaign is; the subjects that need a look come first.
func CampaignScreen(w io.Writer, p *fuzz.CampaignProgress, width, height int, o TextOptions) error {
	page := newPage(w, max(width, leastWidth), o.Color)
	if p.Elapsed == 0 {
		page.line(bold.of(CampaignLine(p)))
		return page.close()
	}
	left := ""
	if p.Left > 0 {
		left = ", " + scanTime(p.Left) + " left"
	}
	page.line(bold.of(fmt.Sprintf("%s%s", scanTime(p.Elapsed), left)),
		plain.of(fmt.Sprintf("   %s   %s answers   ", countOf(int64(p.Next), "input", "inputs"), thousands(int64(p.Tally.Answers)))),
		bold.of(thousands(int64(p.Rate()))+"/s"))
	for _, line := range campaignTotals(p) {
		page.line(line...)
	}
	page.line()
	head, rows := campaignSubjects(p)
	room := height - 5 - len(campaignTotals(p))
	if len(rows) > room && room > 1 {
		rows = append(rows[:room-1], []string{fmt.Sprintf("… %d more", len(rows)-room+1)})
		rows[room-1] = append(rows[room-1], make([]string, len(head)-1)...)
	}
	scanTable(page, head, rows)
	return page.close()
}

// campaignTotals say what came of all answers.
func campaignTotals(p *fuzz.CampaignProgress) [][]span {
	t := &p.Tally
	unexplained := plain
	if p.Clusters[fuzz.UnexplainedAnswer] > 0 {
		unexplained = yellow
	}
	lines := [][]span{
		{plain.of(fmt.Sprintf("disagreements %s of %s queries; %s answers deviate from the reference", thousands(int64(t.Disagreements)), thousands(int64(t.Queries)), thousands(int64(t.Deviations))))},
		{plain.of("explained     "), bold.of(percentOf(t.Explained())), plain.of(fmt.Sprintf(": by fingerprints %s, by other choices %s; by none ", shareOf(t.ByFingerprint, t.Deviations), shareOf(t.ByOthers, t.Deviations))),
			unexplained.of(fmt.Sprintf("%s (%s not minimized)", thousands(int64(t.Unexplained)), thousands(int64(t.Unseen))))},
		{plain.of(fmt.Sprintf("findings      %d, new %d: ", findingsMet(p), len(t.New))), plain.of(kindsLine(p.Clusters))},
	}
	if t.Unsteady > 0 {
		lines = append(lines, []span{plain.of(fmt.Sprintf("order-dependent  %s that depend on earlier queries; they are not findings", countOf(int64(t.Unsteady), "answer", "answers")))})
	}
	return lines
}

func shareOf(n, of int) string {
	if of == 0 {
		return "none"
	}
	return percentOf(float64(n) / float64(of))
}

func kindsLine(clusters map[fuzz.Kind]int) string {
	var parts []string
	for _, k := range fuzz.Kinds {
		if n := clusters[k]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", k, n))
		}
	}
	return strings.Join(parts, ", ")
}

// campaignSubjects is the table of the subjects: those that need a look first,
// the others by how often they deviate.
func campaignSubjects(p *fuzz.CampaignProgress) (head []string, rows [][]string) {
	subjects := slices.Clone(p.Subjects)
	deviates := func(s *fuzz.CampaignSubject) float64 {
		return float64(s.Tally.Deviations) / float64(max(1, s.Tally.Answers))
	}
	slices.SortStableFunc(subjects, func(a, b fuzz.CampaignSubject) int {
		return cmp.Or(-cmp.Compare(len(a.Lost), len(b.Lost)), -cmp.Compare(a.Tally.Unexplained, b.Tally.Unexplained),
			-cmp.Compare(a.Tally.Crashes+a.Tally.Timeouts, b.Tally.Crashes+b.Tally.Timeouts), -cmp.Compare(deviates(&a), deviates(&b)))
	})
	head = []string{"parser", "asked", "answers", "deviates", "explained", "unexplained", "crash", "timeout", "slow", "refuses"}
	ill := slices.ContainsFunc(subjects, func(s fuzz.CampaignSubject) bool { return subjectState(&s) != "" })
	if ill {
		head = append(head, "state")
	}
	for _, s := range subjects {
		t := &s.Tally
		asked := "100 %"
		if int(s.Inputs) < p.Tally.Inputs {
			asked = shareOf(int(s.Inputs), p.Tally.Inputs)
		}
		row := []string{s.Name, asked, thousands(int64(t.Answers)), shareOf(t.Deviations, t.Answers), percentOf(t.Explained()),
			blankZero(t.Unexplained), blankZero(t.Crashes), blankZero(t.Timeouts), blankZero(s.Slow), blankZero(t.Refusals)}
		if ill {
			row = append(row, subjectState(&s))
		}
		rows = append(rows, row)
	}
	return head, rows
}

// subjectState says what is the matter with a subject, "" if nothing is.
func subjectState(s *fuzz.CampaignSubject) string {
	switch {
	case s.Lost != "":
		return "lost: " + s.Lost
	case s.Resting:
		return "rests after a slow file"
	case s.Unfingerprinted:
		return "no fingerprint in time"
	}
	return ""
}

func blankZero(n int) string {
	if n == 0 {
		return "·"
	}
	return thousands(int64(n))
}

// CampaignText writes what came of a campaign for a person at a terminal:
// totals, subjects, and the findings of its store in dir.
func CampaignText(w io.Writer, r *fuzz.CampaignResult, findings []fuzz.Finding, dir string, o TextOptions) error {
	p := newPage(w, max(cmp.Or(o.Width, 120), leastWidth), o.Color)
	p.line(bold.of(fmt.Sprintf("%s in %s, %s answers, %s a second", countOf(int64(r.Next), "input", "inputs"), scanTime(r.Elapsed),
		thousands(int64(r.Tally.Answers)), thousands(int64(r.Rate())))))
	for _, line := range campaignTotals(&r.CampaignProgress) {
		p.line(line...)
	}
	p.line()
	head, rows := campaignSubjects(&r.CampaignProgress)
	scanTable(p, head, rows)
	p.line()
	for i := range findings {
		if i == defaultClusters {
			p.line(dim.of(fmt.Sprintf("… and %d more", len(findings)-i)))
			break
		}
		findingLines(p, &findings[i])
	}
	p.text("", "  ", dim, fmt.Sprintf("%s in %s. See all: repcheck findings list --dir %s; one: repcheck findings show ID --dir %s", count(len(findings), "finding"), dir, dir, dir))
	return p.close()
}

// defaultClusters is how many findings are listed after a campaign.
const defaultClusters = 20

// findingLines writes a finding in two lines.
func findingLines(p *page, f *fuzz.Finding) {
	st := plain
	if f.Kind != fuzz.Disagreement {
		st = yellow
	}
	p.line(dim.of(f.ID()+"  "), st.of(f.Title()))
	lineages := f.Lineages()
	p.line(dim.of(fmt.Sprintf("%14s%s, %s, %s: %s", "", countOf(int64(f.Count()), "answer", "answers"),
		count(f.Witness.Lines(), "line"), count(len(lineages), "lineage"), strings.Join(lineages, " "))))
}

// FindingsList writes the findings, two lines each.
func FindingsList(w io.Writer, findings []fuzz.Finding, o TextOptions) error {
	p := newPage(w, max(cmp.Or(o.Width, 120), leastWidth), o.Color)
	for i := range findings {
		findingLines(p, &findings[i])
	}
	p.line(dim.of(count(len(findings), "finding") + "; repcheck findings show ID shows one"))
	return p.close()
}
