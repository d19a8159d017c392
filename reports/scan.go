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

// Scan reports on a scan of real files. For each kind of query, natural ones first,
// it states on how many files parsers disagree, the largest causes, how often each
// pair of parsers differs, each lineage against the majority, the pairs with an
// example, the answers of each parser, how often a choice matters, and where a
// parser failed.
func Scan(r *fuzz.ScanResult, o Options) doc.Document {
	d := append(doc.Document{title(scanHeading(r))}, paras(doc.Faint, scanNotes(r)...)...)
	if r.Natural != nil {
		d = append(d, section("Natural queries"))
		d = append(d, scanQueries(r, r.Natural, "What a site could get: its home page, its sitemaps and the paths of its rules, for well-known crawlers and those that the file names.", o)...)
	}
	if r.Stress != nil {
		d = append(d, section("Stress queries"))
		d = append(d, scanQueries(r, r.Stress, "Crawlers and URLs that are cut, extended, encoded and decoded to find differences. Sites get few of them.", o)...)
	}
	if len(r.Subjects) > 0 {
		d = append(d, section("Parsers"), scanSubjects(r),
			note("queries/s counts queries of every kind. It is measured inside the library where a parser reports that, otherwise over everything it does for an answer."))
		d = append(d, list(scanTroubles(r, o))...)
	}
	if r.Unreadable > 0 {
		shown, _ := first(r.UnreadableFirst, mostUnreadable, o)
		d = append(append(d, section(count(r.Unreadable, "entry")+" could not be read")), list(items(doc.Plain, shown))...)
	}
	return d
}

// scanQueries reports on the queries of one kind.
func scanQueries(r *fuzz.ScanResult, q *fuzz.ScanQueries, about string, o Options) doc.Document {
	d := append(paras(doc.Strong, scanHeadline(r, q)), note("%s to each parser. %s", count(q.Queries, "query"), about))
	d = append(d, scanCauses(r, q, o)...)
	if len(r.Subjects) > 1 {
		d = append(d, part("How often two parsers differ"), scanMatrix(r, q),
			note("Upper right: percent of the queries on which two parsers differ. Lower left: percent of the files with such a query."))
	}
	if len(q.Lineages) >= 3 { // fewer have no majority
		d = append(d, part("Lineages"), scanLineages(q),
			note("Parsers that share code count once. Only queries on which more than half of at least three lineages agree are counted. Files: percent of the files with such a query on which the lineage is not with the majority. Against: the same, in percent of these queries. Alone: percent of the queries on which it is the only one. Split: queries on which its own parsers differ, and which do not count for it."))
	}
	d = append(d, scanPairs(r, q, o)...)
	if len(r.Subjects) > 0 {
		d = append(d, part("Answers"), scanAnswers(r, q))
	}
	d = append(d, scanChoices(r, q, o)...)
	if failures := scanFindings(r, q, o); len(failures) > 0 {
		d = append(d, part("Failures"), doc.List{Items: failures})
	}
	return d
}

// part returns the heading of a part of a section.
func part(s string) doc.Heading { return doc.Heading{Level: 3, Text: tone(doc.Plain, s)} }

// scanHeadline states on how many files parsers disagree; "" if there is only one
// parser.
func scanHeadline(r *fuzz.ScanResult, q *fuzz.ScanQueries) string {
	if len(r.Subjects) < 2 || r.Files == 0 {
		return ""
	}
	files := func(n int64) string {
		return fmt.Sprintf("%s%% of the files (%s of %s)", percent(n, r.Files), thousands(n), thousands(r.Files))
	}
	s := "Parsers of different lineages disagree on " + files(q.FilesDisagreeing) + "."
	if q.FilesDiffering != q.FilesDisagreeing {
		s += " Any two parsers, including those of one lineage, differ on " + files(q.FilesDiffering) + "."
	}
	return s
}

// scanHeading states what was scanned.
func scanHeading(r *fuzz.ScanResult) string {
	s := fmt.Sprintf("%s, %s, %s in %s", count(r.Files, "file"), byteSize(r.Octets), count(len(r.Subjects), "parser"), duration(r.Elapsed))
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
func scanMatrix(r *fuzz.ScanResult, q *fuzz.ScanQueries) doc.Table {
	t := doc.Table{Columns: []doc.Column{{Most: widestName}}, Keys: 1}
	for i := range r.Subjects {
		name := r.Subjects[i].Name
		t.Columns = append(t.Columns, doc.Column{Head: doc.CutMiddle(doc.Printable(name), widestName), Right: true})
		cells := row(name)
		for k := range r.Subjects {
			var cell any = tone(doc.Faint, "·")
			switch {
			case i < k:
				cell = percent(q.Pair(i, k).Differing, q.Pair(i, k).Queries)
			case i > k:
				cell = percent(q.Pair(i, k).FilesDiffering, q.Pair(i, k).Files)
			}
			cells = append(cells, row(cell)...)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// scanLineages returns the table of how often each lineage disagrees with the
// majority, the most frequent first. A lineage has the names of its parsers.
func scanLineages(q *fuzz.ScanQueries) doc.Table {
	t := doc.Table{Columns: columns(1, "parsers", "lineage", "files", "against", "alone", "split")}
	t.Columns[0].Most, t.Columns[1].Most, t.Columns[1].Right = widestNames, widestName, false
	for _, l := range descending(q.Lineages, fuzz.ScanLineage.AgainstRate) {
		t.Rows = append(t.Rows, row(strings.Join(l.Subjects, ", "), l.Name, percent(l.FilesAgainst, l.Files), percent(l.Against, l.Queries), percent(l.Alone, l.Queries), l.Split))
	}
	return t
}

// descending returns a copy that is sorted by a number, the highest first.
func descending[T any, N cmp.Ordered](all []T, by func(T) N) []T {
	return slices.SortedStableFunc(slices.Values(all), func(a, b T) int { return cmp.Compare(by(b), by(a)) })
}

// scanAnswers returns the table of the answers of each parser to the queries of one
// kind.
func scanAnswers(r *fuzz.ScanResult, q *fuzz.ScanQueries) doc.Table {
	t := doc.Table{Columns: columns(1, "parser", "allow", "disallow", "reject", "unsupported", "crash", "timeout", "broken", "not asked")}
	t.Columns[0].Most = widestName
	for i := range r.Subjects {
		a := &q.Answers[i]
		asked := answersOf(a)
		share := func(v spec.Verdict) string {
			if asked == 0 {
				return "–"
			}
			return percent(a.Verdicts[v], asked) + "%"
		}
		t.Rows = append(t.Rows, row(r.Subjects[i].Name, share(spec.Allow), share(spec.Disallow), a.Verdicts[spec.Reject], a.Verdicts[spec.Unsupported],
			a.Verdicts[spec.Crash], a.Verdicts[spec.Timeout], a.Verdicts[spec.ProtocolError], a.Unasked))
	}
	return t
}

// answersOf returns the number of answers to the queries of one kind.
func answersOf(a *fuzz.ScanAnswers) (n int64) {
	for _, of := range a.Verdicts {
		n += of
	}
	return n
}

// scanSubjects returns the table of the parsers' speed.
func scanSubjects(r *fuzz.ScanResult) doc.Table {
	t := doc.Table{Columns: columns(1, "parser", "queries/s", "slow files")}
	t.Columns[0].Most = widestName
	for i := range r.Subjects {
		s := &r.Subjects[i]
		answers := int64(0)
		for _, q := range []*fuzz.ScanQueries{r.Natural, r.Stress} {
			if q != nil {
				answers += answersOf(&q.Answers[i])
			}
		}
		t.Rows = append(t.Rows, row(s.Name, rate(int(answers), s.Busy), s.Slow))
	}
	return t
}

// scanChoices shows the number of files on which each choice of the reference
// matters, or nothing if that was not counted.
func scanChoices(r *fuzz.ScanResult, q *fuzz.ScanQueries, o Options) doc.Document {
	if q.Choices == nil {
		return nil
	}
	matter := descending(q.Choices, func(c fuzz.ScanChoice) int64 { return c.Files })
	if none := slices.IndexFunc(matter, func(c fuzz.ScanChoice) bool { return c.Files == 0 }); none >= 0 {
		matter = matter[:none]
	}
	about := fmt.Sprintf("On how many of %s the reference, with this one choice changed, rejects the file or answers a query differently than under RFC 9309.",
		count(q.ChoiceFiles, "file"))
	if left := r.Files - q.ChoiceFiles; left > 0 {
		about += fmt.Sprintf(" %s too large to be examined.", countOf(left, "file was", "files were"))
	}
	if none := len(q.Choices) - len(matter); none > 0 {
		about += fmt.Sprintf(" %s on none.", countOf(none, "other choice matters", "other choices matter"))
	}
	shown, more := first(matter, mostChoices, o)
	d := doc.Document{part("How often a choice matters")}
	if len(shown) > 0 {
		rows := rowsOf(shown, func(c fuzz.ScanChoice) doc.Row {
			return row(c.Point+"="+c.Choice, c.Files, percent(c.Files, q.ChoiceFiles))
		})
		d = append(d, doc.Table{Columns: columns(1, "choice", "files", "% of files"), Rows: rows})
	}
	return append(d, paras(doc.Faint, append(more, about)...)...)
}
