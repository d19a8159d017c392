package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// Scan reports on a scan of real files: how often each pair of parsers differs,
// each lineage against the majority, the pairs with an example, the answers of
// each parser, how often a choice matters, and where a parser failed.
func Scan(r *fuzz.ScanResult, o Options) doc.Document {
	d := doc.Document{title(scanHeading(r))}
	d = append(d, paras(doc.Faint, scanNotes(r)...)...)
	if len(r.Subjects) > 1 {
		d = append(d, section("How often two parsers differ"), scanMatrix(r))
		d = append(d, paras(doc.Faint, "Upper right: percent of the queries on which two parsers differ. Lower left: percent of the files with such a query.")...)
	}
	if len(r.Lineages) >= 3 { // fewer have no majority
		d = append(d, section("Lineages"), scanLineages(r))
		d = append(d, paras(doc.Faint, "Parsers that share code count once. Only queries on which more than half of at least three lineages agree are counted. Against: percent of them on which the lineage is not with the majority. Alone: percent on which it is the only one. Split: queries on which its own parsers differ, and which do not count for it.")...)
	}
	d = append(d, scanPairs(r, o)...)
	if len(r.Subjects) > 0 {
		d = append(d, section("Parsers"), scanSubjects(r))
		d = append(d, paras(doc.Faint, "queries/s is measured inside the library where a parser reports that, otherwise over everything it does for an answer.")...)
	}
	d = append(d, scanChoices(r, o)...)
	d = append(d, scanFindings(r, o)...)
	return append(d, scanUnreadable(r, o)...)
}

// scanHeading states what was scanned.
func scanHeading(r *fuzz.ScanResult) string {
	s := fmt.Sprintf("%s, %s, %s to each of %s in %s", countOf(r.Files, "file", "files"), byteSize(r.Octets),
		countOf(r.Queries, "query", "queries"), count(len(r.Subjects), "parser"), duration(r.Elapsed))
	if r.Source != "" {
		s = r.Source + ": " + s
	}
	return s
}

// scanNotes returns what a reader needs to know to judge or repeat the scan.
func scanNotes(r *fuzz.ScanResult) []string {
	var lines []string
	if r.Interrupted {
		lines = append(lines, "Interrupted: this is what was finished by then.")
	}
	how := fmt.Sprintf("Seed %d, for each file at most %s and %s.", r.Seed, count(r.Agents, "crawler"), count(r.URLs, "URL"))
	switch r.Sample {
	case fuzz.SampleHash:
		how += " The files are a fair sample, chosen by hash."
	case fuzz.SampleFirst:
		how += fmt.Sprintf(" The files are the first %s of an input that can be read only once, which may be no fair sample.", thousands(int64(r.Limit)))
	}
	lines = append(lines, how)
	if r.Unreadable > 0 {
		lines = append(lines, countOf(r.Unreadable, "entry", "entries")+" of the source could not be read.")
	}
	for _, group := range lineages(r) {
		lines = append(lines, fmt.Sprintf("One lineage, counted once: %s.", strings.Join(group, ", ")))
	}
	return lines
}

// lineages returns the names of parsers that share a lineage, in the order of the
// parsers.
func lineages(r *fuzz.ScanResult) [][]string {
	var groups [][]string
	at := map[string]int{}
	for i := range r.Subjects {
		s := &r.Subjects[i]
		if s.Lineage == "" {
			continue
		}
		k, ok := at[s.Lineage]
		if !ok {
			k = len(groups)
			at[s.Lineage] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], s.Name)
	}
	return slices.DeleteFunc(groups, func(g []string) bool { return len(g) < 2 })
}

// scanMatrix returns the table of all pairs.
func scanMatrix(r *fuzz.ScanResult) doc.Table {
	t := doc.Table{Columns: []doc.Column{{Most: widestName}}, Keys: 1}
	for i := range r.Subjects {
		name := r.Subjects[i].Name
		t.Columns = append(t.Columns, doc.Column{Head: doc.CutMiddle(doc.Printable(name), widestName), Right: true})
		cells := row(name)
		for k := range r.Subjects {
			switch {
			case i == k:
				cells = append(cells, tone(doc.Faint, "·"))
			case i < k:
				p := r.Pair(i, k)
				cells = append(cells, tone(doc.Plain, percent(p.Differing, p.Queries)))
			default:
				p := r.Pair(i, k)
				cells = append(cells, tone(doc.Plain, percent(p.FilesDiffering, p.Files)))
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// scanLineages returns the table of how often each lineage disagrees with the
// majority, the most frequent first.
func scanLineages(r *fuzz.ScanResult) doc.Table {
	t := doc.Table{Columns: columns(1, "lineage", "parsers", "against", "alone", "split")}
	t.Columns[0].Most = widestName
	sorted := slices.Clone(r.Lineages)
	slices.SortStableFunc(sorted, func(a, b fuzz.ScanLineage) int { return cmp.Compare(b.AgainstRate(), a.AgainstRate()) })
	for _, l := range sorted {
		t.Rows = append(t.Rows, row(l.Name, fmt.Sprint(len(l.Subjects)), percent(l.Against, l.Queries), percent(l.Alone, l.Queries), thousands(l.Split)))
	}
	return t
}

// scanSubjects returns the table of the answers of each parser.
func scanSubjects(r *fuzz.ScanResult) doc.Table {
	t := doc.Table{Columns: columns(1, "parser", "allow", "disallow", "reject", "unsupported", "crash", "timeout", "broken", "not asked", "queries/s")}
	t.Columns[0].Most = widestName
	for i := range r.Subjects {
		s := &r.Subjects[i]
		asked := int64(0)
		for _, n := range s.Verdicts {
			asked += n
		}
		cells := row(s.Name)
		for _, v := range []spec.Verdict{spec.Allow, spec.Disallow} {
			share := percent(s.Verdicts[v], asked)
			if asked > 0 {
				share += "%"
			}
			cells = append(cells, tone(doc.Plain, share))
		}
		for _, v := range []spec.Verdict{spec.Reject, spec.Unsupported, spec.Crash, spec.Timeout, spec.ProtocolError} {
			cells = append(cells, tone(doc.Plain, thousands(s.Verdicts[v])))
		}
		t.Rows = append(t.Rows, append(cells, row(thousands(s.Unasked), rate(int(asked), s.Busy))...))
	}
	return t
}

// mostUnreadable is the number of unreadable entries shown.
const mostUnreadable = 3

func scanUnreadable(r *fuzz.ScanResult, o Options) doc.Document {
	if r.Unreadable == 0 {
		return nil
	}
	shown := r.UnreadableFirst
	if !o.Verbose {
		shown = shown[:min(len(shown), mostUnreadable)]
	}
	return append(doc.Document{section(countOf(r.Unreadable, "entry", "entries") + " could not be read")}, list(items(doc.Plain, shown))...)
}
