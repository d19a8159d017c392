package reports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/spec"
)

// A StateRow is what a run of the suite and a scan of real files say of one
// parser.
type StateRow struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Language string `json:"language"`
	Lineage  string `json:"lineage"`
	// Must and Should count checks, nil if there was no run of it.
	Must   *conformance.Tally `json:"must,omitempty"`
	Should *conformance.Tally `json:"should,omitempty"`
	// Scan is nil if no real files were put to it.
	Scan *StateScan `json:"scan,omitempty"`
	// Lost says why it could answer no more.
	Lost string `json:"lost,omitempty"`
}

// A StateScan is what one parser did on real files.
type StateScan struct {
	// Differing of Compared answers are not the reference's; Compared is 0 if
	// the reference was not asked, and of the reference.
	Differing int64 `json:"differing"`
	Compared  int64 `json:"compared"`
	// Crashes and Hangs count answers, Slow files that took more than a second.
	Crashes int64 `json:"crashes"`
	Hangs   int64 `json:"hangs"`
	Slow    int64 `json:"slow"`
}

// stateRows joins run and scan by the parsers' names: those of the run in its
// order, then those of the scan alone. The notes say where the two do not fit.
func stateRows(s *FindingsSources) (rows []StateRow, notes []string) {
	at := map[string]int{}
	row := func(info *spec.SubjectInfo) *StateRow {
		i, ok := at[info.Name]
		if !ok {
			i = len(rows)
			at[info.Name] = i
			rows = append(rows, StateRow{Name: printable(info.Name), Version: printable(info.Version), Language: printable(info.Language),
				Lineage: printable(cmp.Or(info.Lineage, info.Name))})
		}
		return &rows[i]
	}
	if s.Run != nil {
		for i := range s.Run.Subjects {
			subject := &s.Run.Subjects[i]
			to := row(&subject.SubjectInfo)
			must, should := subject.Levels[spec.Must], subject.Levels[spec.Should]
			to.Must, to.Should, to.Lost = &must, &should, oneLine(subject.Lost)
		}
		if s.Run.CaseSet != s.Data.Hash {
			notes = append(notes, fmt.Sprintf("The suite ran with the case set %s; points and requirements are explained from %s.", printable(s.Run.CaseSet), s.Data.Hash))
		}
	}
	if s.Scan == nil {
		return rows, notes
	}
	differing := scanDiffering(s.Scan)
	for i := range s.Scan.Subjects {
		subject := &s.Scan.Subjects[i]
		to := row(&subject.SubjectInfo)
		if to.Version != printable(subject.Version) {
			notes = append(notes, fmt.Sprintf("%s was %s in the suite and %s on real files.", to.Name, to.Version, printable(subject.Version)))
		}
		scan := differing[subject.Name]
		scan.Crashes, scan.Hangs, scan.Slow = subject.Verdicts[spec.Crash], subject.Verdicts[spec.Timeout], subject.Slow
		to.Scan = &scan
		to.Lost = cmp.Or(to.Lost, oneLine(subject.Lost))
	}
	return rows, notes
}

// scanDiffering compares everybody with the reference, by name.
func scanDiffering(r *fuzz.ScanResult) map[string]StateScan {
	of := map[string]StateScan{}
	for _, p := range r.Pairs {
		switch reference := "reference"; reference {
		case p.A:
			of[p.B] = StateScan{Differing: p.Differing, Compared: p.Queries}
		case p.B:
			of[p.A] = StateScan{Differing: p.Differing, Compared: p.Queries}
		}
	}
	return of
}

// stateNote explains stateTable.
const stateNote = "MUST and SHOULD: checks of the suite passed, of those scored. The rest is of real files: differs is the percentage of answers that are not the reference's; crashes and hangs are counted in answers, slow in files that took more than a second."

// stateTable is the table of the parsers: a heading, and a row for each. The
// first four columns are names, the others numbers.
func stateTable(rows []StateRow) (head []string, table [][]string) {
	head = []string{"parser", "version", "language", "lineage", "MUST", "SHOULD", "differs %", "crashes", "hangs", "slow"}
	for i := range rows {
		r := &rows[i]
		line := []string{r.Name, r.Version, r.Language, r.Lineage, tallyCell(r.Must), tallyCell(r.Should)}
		if r.Scan == nil {
			line = append(line, "–", "–", "–", "–")
		} else {
			line = append(line, percent(r.Scan.Differing, r.Scan.Compared), thousands(r.Scan.Crashes), thousands(r.Scan.Hangs), thousands(r.Scan.Slow))
		}
		table = append(table, line)
	}
	return head, table
}

func tallyCell(t *conformance.Tally) string {
	if t == nil {
		return "–"
	}
	return passes(*t)
}

// lostLines say which parsers were lost.
func lostLines(rows []StateRow) (lines []string) {
	for i := range rows {
		if rows[i].Lost != "" {
			lines = append(lines, rows[i].Name+" was lost: "+rows[i].Lost)
		}
	}
	return lines
}

// findingsSources says what the report was made of, and when the latest of it
// was.
func findingsSources(findings []fuzz.Finding, s *FindingsSources) (sources []FindingsSource, latest time.Time) {
	seen := func(t time.Time) {
		if t = t.UTC(); t.After(latest) {
			latest = t
		}
	}
	add := func(name, text string) { sources = append(sources, FindingsSource{name, text}) }
	add("Report", fmt.Sprintf("repcheck %s, case set %s", cmp.Or(printable(s.Version), "of no version"), s.Data.Hash))
	if r := s.Run; r != nil {
		seen(r.Started)
		text := fmt.Sprintf("repcheck %s, %s, case set %s under %s, %s", printable(r.Version), minute(r.Started), printable(r.CaseSet), printable(r.Interpretation), cases(r))
		if r.Set != "" {
			text += ", judged by the frozen set " + printable(r.Set)
		}
		add("Suite", text)
	}
	if r := s.Scan; r != nil {
		seen(r.Started)
		add("Real files", minute(r.Started)+", "+printable(scanHeading(r)))
		for _, line := range scanAsides(r) {
			add("", printable(line))
		}
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
		add("Campaign", fmt.Sprintf("seed %d, %s, %s answers of %s, of which %s depart from the reference", c.Seed, countOf(int64(c.Inputs), "input", "inputs"),
			thousands(int64(c.Tally.Answers)), count(len(c.Subjects), "parser"), thousands(int64(c.Tally.Deviations))))
	}
	return sources, latest
}

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// seedsOf are the seeds of the campaigns that made the findings.
func seedsOf(findings []fuzz.Finding) []uint64 {
	seeds := map[uint64]bool{}
	for i := range findings {
		if seed := findings[i].Seed; seed != 0 {
			seeds[seed] = true
		}
	}
	return slices.Sorted(maps.Keys(seeds))
}
