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

const (
	// mostChoices is the number of choices shown without Verbose, mostUnreadable
	// that of unreadable entries.
	mostChoices    = 20
	mostUnreadable = 3
)

// Scan reports on a scan of real files: how often each pair of parsers differs,
// each lineage against the majority, the pairs with an example, the answers of
// each parser, how often a choice matters, and where a parser failed.
func Scan(r *fuzz.ScanResult, o Options) doc.Document {
	d := append(doc.Document{title(scanHeading(r))}, paras(doc.Faint, scanNotes(r)...)...)
	if len(r.Subjects) > 1 {
		d = append(d, section("How often two parsers differ"), scanMatrix(r),
			note("Upper right: percent of the queries on which two parsers differ. Lower left: percent of the files with such a query."))
	}
	if len(r.Lineages) >= 3 { // fewer have no majority
		d = append(d, section("Lineages"), scanLineages(r),
			note("Parsers that share code count once. Only queries on which more than half of at least three lineages agree are counted. Against: percent of them on which the lineage is not with the majority. Alone: percent on which it is the only one. Split: queries on which its own parsers differ, and which do not count for it."))
	}
	d = append(d, scanPairs(r, o)...)
	if len(r.Subjects) > 0 {
		d = append(d, section("Parsers"), scanSubjects(r),
			note("queries/s is measured inside the library where a parser reports that, otherwise over everything it does for an answer."))
	}
	d = append(d, scanChoices(r, o)...)
	d = append(d, titled("Findings", scanFindings(r, o))...)
	if r.Unreadable > 0 {
		shown, _ := first(r.UnreadableFirst, mostUnreadable, o)
		d = append(append(d, section(count(r.Unreadable, "entry")+" could not be read")), list(items(doc.Plain, shown))...)
	}
	return d
}

// scanHeading states what was scanned.
func scanHeading(r *fuzz.ScanResult) string {
	s := fmt.Sprintf("%s, %s, %s to each of %s in %s", count(r.Files, "file"), byteSize(r.Octets),
		count(r.Queries, "query"), count(len(r.Subjects), "parser"), duration(r.Elapsed))
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
		how += fmt.Sprintf(" The files are the first %s of an input that can be read only once, which may be no fair sample.", thousands(r.Limit))
	}
	lines = append(lines, how)
	if r.Unreadable > 0 {
		lines = append(lines, count(r.Unreadable, "entry")+" of the source could not be read.")
	}
	for _, group := range lineages(r) {
		lines = append(lines, fmt.Sprintf("One lineage, counted once: %s.", strings.Join(group, ", ")))
	}
	return lines
}

// lineages returns the names of parsers that share a lineage, in the order of the
// parsers.
func lineages(r *fuzz.ScanResult) (groups [][]string) {
	of := map[string][]string{}
	for i := range r.Subjects {
		of[r.Subjects[i].Lineage] = append(of[r.Subjects[i].Lineage], r.Subjects[i].Name)
	}
	for i := range r.Subjects {
		s := &r.Subjects[i]
		if group := of[s.Lineage]; s.Lineage != "" && len(group) > 1 && group[0] == s.Name {
			groups = append(groups, group)
		}
	}
	return groups
}

// scanMatrix returns the table of all pairs.
func scanMatrix(r *fuzz.ScanResult) doc.Table {
	t := doc.Table{Columns: []doc.Column{{Most: widestName}}, Keys: 1}
	for i := range r.Subjects {
		name := r.Subjects[i].Name
		t.Columns = append(t.Columns, doc.Column{Head: doc.CutMiddle(doc.Printable(name), widestName), Right: true})
		cells := row(name)
		for k := range r.Subjects {
			var cell any = tone(doc.Faint, "·")
			switch {
			case i < k:
				cell = percent(r.Pair(i, k).Differing, r.Pair(i, k).Queries)
			case i > k:
				cell = percent(r.Pair(i, k).FilesDiffering, r.Pair(i, k).Files)
			}
			cells = append(cells, row(cell)...)
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
	for _, l := range descending(r.Lineages, fuzz.ScanLineage.AgainstRate) {
		t.Rows = append(t.Rows, row(l.Name, len(l.Subjects), percent(l.Against, l.Queries), percent(l.Alone, l.Queries), l.Split))
	}
	return t
}

// descending returns a copy that is sorted by a number, the highest first.
func descending[T any, N cmp.Ordered](all []T, by func(T) N) []T {
	return slices.SortedStableFunc(slices.Values(all), func(a, b T) int { return cmp.Compare(by(b), by(a)) })
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
		share := func(v spec.Verdict) string {
			if asked == 0 {
				return "–"
			}
			return percent(s.Verdicts[v], asked) + "%"
		}
		t.Rows = append(t.Rows, row(s.Name, share(spec.Allow), share(spec.Disallow), s.Verdicts[spec.Reject], s.Verdicts[spec.Unsupported],
			s.Verdicts[spec.Crash], s.Verdicts[spec.Timeout], s.Verdicts[spec.ProtocolError], s.Unasked, rate(int(asked), s.Busy)))
	}
	return t
}

// scanChoices shows the number of files on which each choice of the reference
// matters, or nothing if that was not counted.
func scanChoices(r *fuzz.ScanResult, o Options) doc.Document {
	if r.Choices == nil {
		return nil
	}
	matter := descending(r.Choices, func(c fuzz.ScanChoice) int64 { return c.Files })
	if none := slices.IndexFunc(matter, func(c fuzz.ScanChoice) bool { return c.Files == 0 }); none >= 0 {
		matter = matter[:none]
	}
	about := fmt.Sprintf("On how many of %s the reference, with this one choice changed, rejects the file or answers a query differently than under RFC 9309.",
		count(r.ChoiceFiles, "file"))
	if left := r.Files - r.ChoiceFiles; left > 0 {
		about += fmt.Sprintf(" %s too large to be examined.", countOf(left, "file was", "files were"))
	}
	if none := len(r.Choices) - len(matter); none > 0 {
		about += fmt.Sprintf(" %s on none.", countOf(none, "other choice matters", "other choices matter"))
	}
	shown, more := first(matter, mostChoices, o)
	d := doc.Document{section("How often a choice matters")}
	if len(shown) > 0 {
		rows := rowsOf(shown, func(c fuzz.ScanChoice) doc.Row {
			return row(c.Point+"="+c.Choice, c.Files, percent(c.Files, r.ChoiceFiles))
		})
		d = append(d, doc.Table{Columns: columns(1, "choice", "files", "% of files"), Rows: rows})
	}
	return append(d, paras(doc.Faint, append(more, about)...)...)
}
