package reports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// A StateRow holds the results of one parser in a run of the suite and in a scan
// of real files.
type StateRow struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Language string `json:"language"`
	Lineage  string `json:"lineage"`
	// Must, Text and Should count checks; they are nil if the run did not include the
	// parser.
	Must   *conformance.Tally `json:"must,omitempty"`
	Text   *conformance.Tally `json:"text,omitempty"`
	Should *conformance.Tally `json:"should,omitempty"`
	// Scan is nil if the scan did not include the parser.
	Scan *StateScan `json:"scan,omitempty"`
	// Lost is the reason why the parser stopped answering.
	Lost string `json:"lost,omitempty"`
}

// A StateScan holds the answers of one parser to natural queries about real files.
type StateScan struct {
	// Differing counts the answers, out of Compared, that differ from the
	// reference's. Compared is 0 for the reference itself, and if the scan did
	// not include it.
	Differing int64 `json:"differing"`
	Compared  int64 `json:"compared"`
	// Crashes and Hangs count answers; Slow counts files that took more than a
	// second.
	Crashes int64 `json:"crashes"`
	Hangs   int64 `json:"hangs"`
	Slow    int64 `json:"slow"`
}

// stateRows joins run and scan by the parsers' names: first the parsers of the
// run, in its order, then those that only the scan has. The notes describe where
// the two do not match.
func stateRows(s *FindingsSources) (rows []StateRow, notes []string) {
	at := map[string]int{}
	row := func(info *spec.SubjectInfo) *StateRow {
		i, ok := at[info.Name]
		if !ok {
			i = len(rows)
			at[info.Name] = i
			rows = append(rows, StateRow{Name: doc.Printable(info.Name), Version: doc.Printable(info.Version), Language: doc.Printable(info.Language),
				Lineage: doc.Printable(cmp.Or(info.Lineage, info.Name))})
		}
		return &rows[i]
	}
	if s.Run != nil {
		for i := range s.Run.Subjects {
			subject := &s.Run.Subjects[i]
			to := row(&subject.SubjectInfo)
			must, text, should := subject.Levels[spec.Must], subject.Levels[spec.Text], subject.Levels[spec.Should]
			to.Must, to.Text, to.Should, to.Lost = &must, &text, &should, doc.OneLine(subject.Lost)
		}
		if s.Run.CaseSet != s.Data.Hash {
			notes = append(notes, fmt.Sprintf("The suite ran with the case set %s; points and requirements are explained from %s.", doc.Printable(s.Run.CaseSet), s.Data.Hash))
		}
	}
	if s.Scan == nil {
		return rows, notes
	}
	if s.Scan.Natural == nil {
		notes = append(notes, "The scan asked no natural queries, so it says nothing about real files.")
		return rows, notes
	}
	differing := scanDiffering(s.Scan.Natural)
	for i := range s.Scan.Subjects {
		subject := &s.Scan.Subjects[i]
		to := row(&subject.SubjectInfo)
		if to.Version != doc.Printable(subject.Version) {
			notes = append(notes, fmt.Sprintf("%s was %s in the suite and %s on real files.", to.Name, to.Version, doc.Printable(subject.Version)))
		}
		scan := differing[subject.Name]
		verdicts := s.Scan.Natural.Answers[i].Verdicts
		scan.Crashes, scan.Hangs, scan.Slow = verdicts[spec.Crash], verdicts[spec.Timeout], subject.Slow
		to.Scan = &scan
		to.Lost = cmp.Or(to.Lost, doc.OneLine(subject.Lost))
	}
	return rows, notes
}

// scanDiffering compares each parser with the reference, by name.
func scanDiffering(q *fuzz.ScanQueries) map[string]StateScan {
	of := map[string]StateScan{}
	for _, p := range q.Pairs {
		switch reference := "reference"; reference {
		case p.A:
			of[p.B] = StateScan{Differing: p.Differing, Compared: p.Queries}
		case p.B:
			of[p.A] = StateScan{Differing: p.Differing, Compared: p.Queries}
		}
	}
	return of
}

// stateTable returns the table of parsers, or nothing if there are none.
func stateTable(rows []StateRow) doc.Document {
	if rows == nil {
		return nil
	}
	t := doc.Table{Columns: columns(4, "parser", "version", "language", "lineage", "MUST", "text", "SHOULD", "differs %", "crashes", "timeouts", "slow"), Keys: 1}
	for c := range 4 {
		t.Columns[c].Most = widestName
	}
	var lost []string
	for i := range rows {
		r := &rows[i]
		cells := row(r.Name, r.Version, r.Language, r.Lineage)
		for _, tally := range []*conformance.Tally{r.Must, r.Text, r.Should} {
			if tally == nil {
				tally = &conformance.Tally{}
			}
			cells = append(cells, tone(doc.Plain, passes(*tally)))
		}
		if s := r.Scan; s != nil {
			cells = append(cells, row(percent(s.Differing, s.Compared), thousands(s.Crashes), thousands(s.Hangs), thousands(s.Slow))...)
		} else {
			cells = append(cells, row("–", "–", "–", "–")...)
		}
		t.Rows = append(t.Rows, cells)
		if r.Lost != "" {
			lost = append(lost, r.Name+" was lost: "+r.Lost)
		}
	}
	d := append(doc.Document{section("Parsers"), t}, paras(doc.Bad, lost...)...)
	return append(d, paras(doc.Faint, "MUST, text and SHOULD: checks of the suite passed, of those scored; text are definitions, grammar and examples, which have no keyword. The other columns are about natural queries to real files: differs is the percentage of answers that are not the reference's; crashes and timeouts count answers, slow counts files that took more than a second.")...)
}

// findingsSources describes the sources of the report, and returns the date of
// the latest one.
func findingsSources(findings []fuzz.Finding, s *FindingsSources) (sources []FindingsSource, latest time.Time) {
	seen := func(t time.Time) {
		if t = t.UTC(); t.After(latest) {
			latest = t
		}
	}
	add := func(name, text string) { sources = append(sources, FindingsSource{name, text}) }
	add("Report", fmt.Sprintf("repcheck %s, case set %s", cmp.Or(doc.Printable(s.Version), "of no version"), s.Data.Hash))
	if r := s.Run; r != nil {
		seen(r.Started)
		text := fmt.Sprintf("repcheck %s, %s, case set %s under %s, %s", doc.Printable(r.Version), minute(r.Started), doc.Printable(r.CaseSet), doc.Printable(r.Interpretation), cases(r))
		if r.Set != "" {
			text += ", judged by the frozen set " + doc.Printable(r.Set)
		}
		add("Suite", text)
	}
	if r := s.Scan; r != nil {
		seen(r.Started)
		add("Real files", doc.Printable(minute(r.Started)+", "+scanHeading(r)+". "+strings.Join(append(scanNotes(r), scanNatural(r)...), " ")))
	}
	if len(findings) > 0 {
		first, last := findings[0].First, findings[0].Last
		for i := range findings {
			if f := &findings[i]; f.First.Before(first) {
				first = f.First
			}
			if f := &findings[i]; f.Last.After(last) {
				last = f.Last
			}
		}
		seen(last)
		text := fmt.Sprintf("%s, seen from %s to %s", count(len(findings), "finding"), minute(first), minute(last))
		if seeds := seedsOf(findings); s.Campaign == nil && len(seeds) > 0 {
			text += fmt.Sprintf(", seeds %v", seeds)
		}
		add("Fuzzing", text)
	}
	if c := s.Campaign; c != nil {
		add("Campaign", fmt.Sprintf("seed %d, %s, %s answers of %s, of which %s deviate from the reference", c.Seed, countOf(int64(c.Inputs), "input", "inputs"),
			thousands(int64(c.Tally.Answers)), count(len(c.Subjects), "parser"), thousands(int64(c.Tally.Deviations))))
	}
	return sources, latest
}

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// scanNatural returns the headline about natural queries.
func scanNatural(r *fuzz.ScanResult) []string {
	if r.Natural == nil {
		return nil
	}
	return []string{count(r.Natural.Queries, "natural query") + " to each parser. " + scanHeadline(r, r.Natural)}
}

// seedsOf returns the seeds of the campaigns that made the findings.
func seedsOf(findings []fuzz.Finding) []uint64 {
	seeds := map[uint64]bool{}
	for i := range findings {
		if seed := findings[i].Seed; seed != 0 {
			seeds[seed] = true
		}
	}
	return slices.Sorted(maps.Keys(seeds))
}
