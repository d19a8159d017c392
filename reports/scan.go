package reports

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/spec"
)

// ScanJSON writes the whole result of a scan, indented.
func ScanJSON(w io.Writer, r *fuzz.ScanResult) error {
	return WriteJSON(w, r)
}

// scanHeading says what was scanned.
func scanHeading(r *fuzz.ScanResult) string {
	s := fmt.Sprintf("%s, %s, %s to each of %s in %s", countOf(r.Files, "file", "files"), scanSize(r.Octets),
		countOf(r.Queries, "query", "queries"), count(len(r.Subjects), "subject"), scanTime(r.Elapsed))
	if r.Source != "" {
		s = r.Source + ": " + s
	}
	return s
}

// scanAsides say what a reader must know to judge or repeat the scan.
func scanAsides(r *fuzz.ScanResult) []string {
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
		lines = append(lines, fmt.Sprintf("Of one lineage, and one voice: %s.", strings.Join(group, ", ")))
	}
	return lines
}

// lineages are the names of subjects that share one, in the order of the
// subjects.
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

// oneLineage reports whether the two subjects of a pair share a lineage.
func oneLineage(r *fuzz.ScanResult, p *fuzz.ScanPair) bool {
	for _, group := range lineages(r) {
		if slices.Contains(group, p.A) && slices.Contains(group, p.B) {
			return true
		}
	}
	return false
}

// scanLineageNote explains scanLineages.
const scanLineageNote = "Each lineage is one voice; counted are the queries on which more than half of at least three voices agree. Against: percent on which it is not one of them. Alone: percent on which nobody else is not."

// scanLineages is the table of how often each lineage is against the majority,
// the most first: nothing if there are not three.
func scanLineages(r *fuzz.ScanResult) (head []string, rows [][]string) {
	if len(r.Lineages) < 3 {
		return nil, nil
	}
	sorted := slices.Clone(r.Lineages)
	slices.SortStableFunc(sorted, func(a, b fuzz.ScanLineage) int { return cmp.Compare(b.AgainstRate(), a.AgainstRate()) })
	head = []string{"lineage", "subjects", "against", "alone", "split"}
	for _, l := range sorted {
		rows = append(rows, []string{cutMiddle(printable(l.Name), widestName), fmt.Sprint(len(l.Subjects)),
			percent(l.Against, l.Queries), percent(l.Alone, l.Queries), thousands(l.Split)})
	}
	return head, rows
}

// scanMatrixNote explains the cells of scanMatrix.
const scanMatrixNote = "Upper right: percent of the queries on which two subjects differ. Lower left: percent of the files with such a query."

// scanMatrix is the table of all pairs: a heading, and a row for each subject.
func scanMatrix(r *fuzz.ScanResult) (head []string, rows [][]string) {
	head = []string{""}
	for i := range r.Subjects {
		name := cutMiddle(printable(r.Subjects[i].Name), widestName)
		head = append(head, name)
		row := []string{name}
		for k := range r.Subjects {
			switch {
			case i == k:
				row = append(row, "·")
			case i < k:
				p := r.Pair(i, k)
				row = append(row, percent(p.Differing, p.Queries))
			default:
				p := r.Pair(i, k)
				row = append(row, percent(p.FilesDiffering, p.Files))
			}
		}
		rows = append(rows, row)
	}
	return head, rows
}

// scanRateNote explains the last column of scanTotals.
const scanRateNote = "queries/s is in the time of the library alone, where a subject tells it, else of all it does for an answer."

// scanTotals is the table of subjects: a heading, and a row for each. All
// columns but the first are numbers.
func scanTotals(r *fuzz.ScanResult) (head []string, rows [][]string) {
	head = []string{"subject", "allow", "disallow", "reject", "unsupported", "crash", "timeout", "broken", "not asked", "queries/s"}
	for i := range r.Subjects {
		s := &r.Subjects[i]
		row := []string{cutMiddle(printable(s.Name), widestName)}
		asked := int64(0)
		for _, n := range s.Verdicts {
			asked += n
		}
		for _, v := range []spec.Verdict{spec.Allow, spec.Disallow} {
			share := percent(s.Verdicts[v], asked)
			if asked > 0 {
				share += "%"
			}
			row = append(row, share)
		}
		for _, v := range []spec.Verdict{spec.Reject, spec.Unsupported, spec.Crash, spec.Timeout, spec.ProtocolError} {
			row = append(row, thousands(s.Verdicts[v]))
		}
		rows = append(rows, append(row, thousands(s.Unasked), rate(int(asked), s.Busy)))
	}
	return head, rows
}

// scanPairs are the pairs that differ, the most different first, and in words
// the number of the others.
func scanPairs(r *fuzz.ScanResult) (differing []*fuzz.ScanPair, others []string) {
	alike, apart := int64(0), int64(0)
	for i := range r.Pairs {
		switch p := &r.Pairs[i]; {
		case p.Example != nil:
			differing = append(differing, p)
		case p.Queries > 0:
			alike++
		default:
			apart++
		}
	}
	if alike > 0 {
		others = append(others, countOf(alike, "pair does", "pairs do")+" not differ.")
	}
	if apart > 0 {
		others = append(others, countOf(apart, "pair has", "pairs have")+" no query that both answered.")
	}
	slices.SortStableFunc(differing, func(a, b *fuzz.ScanPair) int {
		switch {
		case a.Rate() > b.Rate():
			return -1
		case a.Rate() < b.Rate():
			return 1
		}
		return 0
	})
	return differing, others
}

// pairLine is how much two subjects differ.
func pairLine(r *fuzz.ScanResult, p *fuzz.ScanPair) string {
	s := fmt.Sprintf("%s%%  %s and %s: %s of %s, %s%% of the files", percent(p.Differing, p.Queries), p.A, p.B,
		thousands(p.Differing), countOf(p.Queries, "query", "queries"), percent(p.FilesDiffering, p.Files))
	if oneLineage(r, p) {
		s += " (one lineage)"
	}
	return s
}

// answerLine is what the two subjects of a pair say of the example.
func answerLine(p *fuzz.ScanPair) string {
	return fmt.Sprintf("%s says %s, %s says %s", p.A, answered(p.Example.AnswerA), p.B, answered(p.Example.AnswerB))
}

func answered(a spec.Answer) string {
	s := string(a.Verdict)
	switch {
	case a.Line > 0:
		s += fmt.Sprintf(" (line %d)", a.Line)
	case a.Detail != "":
		first, _, _ := strings.Cut(a.Detail, "\n")
		s += " (" + cut(first, widestAnswer) + ")"
	}
	return s
}

// widestAnswer is where an answer's detail is cut in a line about two.
const widestAnswer = 60

// exampleFile names the file of an example.
func exampleFile(e *fuzz.ScanExample) string {
	return fmt.Sprintf("%s  %s  %s", cutMiddle(spec.EncodeInline(e.File), 40), e.Hash, countOf(int64(e.Octets), "octet", "octets"))
}

// scanFindings are what is to be said of each subject by itself, sorted by how
// many files it concerns, and the slowest file last.
func scanFindings(s *fuzz.ScanSubject) []scanFinding {
	var all []scanFinding
	findings := slices.Clone(s.Findings)
	slices.SortStableFunc(findings, func(a, b fuzz.ScanFinding) int { return int(b.Files - a.Files) })
	for i := range findings {
		f := &findings[i]
		all = append(all, scanFinding{
			text: fmt.Sprintf("%s: %s on %s of %s: %s", s.Name, f.Kind, countOf(f.Queries, "query", "queries"),
				countOf(f.Files, "file", "files"), f.Cause),
			example: &f.Example,
		})
	}
	return all
}

// A scanFinding is a sentence with an example.
type scanFinding struct {
	text    string
	example *fuzz.ScanExample
}

// scanRemarks are what is to be said of a subject besides its findings.
func scanRemarks(s *fuzz.ScanSubject, all bool) []string {
	var lines []string
	if s.FindingsDropped {
		lines = append(lines, s.Name+": there were more findings than are kept")
	}
	if s.Slowest != nil {
		lines = append(lines, fmt.Sprintf("%s: more than a second for each of %s, most for %s: %s", s.Name,
			countOf(s.Slow, "file", "files"), exampleFile(&s.Slowest.Example), scanTime(s.Slowest.Took)))
	}
	for i, fault := range s.Faults {
		if i == mostFaults && !all {
			lines = append(lines, fmt.Sprintf("%s: … and %s more", s.Name, countOf(int64(len(s.Faults)-i), "breach", "breaches")))
			break
		}
		lines = append(lines, fmt.Sprintf("%s: broke the protocol: %s", s.Name, fault))
	}
	if s.Lost != "" {
		lines = append(lines, fmt.Sprintf("%s: lost, and not asked %s: %s", s.Name, countOf(s.Unasked, "query", "queries"), s.Lost))
	}
	return lines
}

// scanCommand is what asks all subjects about an example again, in two parts
// for two lines. Both are empty if the example is damaged.
func scanCommand(e *fuzz.ScanExample) (who, url string) {
	agent, err := spec.DecodeOctets(e.Agent)
	if err != nil {
		return "", ""
	}
	octets, err := spec.DecodeOctets(e.URL)
	if err != nil {
		return "", ""
	}
	return "repcheck query --robots COLLECTION#" + e.Hash + " --agent " + shellWord(string(agent)), "--url " + shellWord(string(octets))
}

// shellWord quotes a word for bash and zsh.
func shellWord(s string) string {
	const safe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:%=@,+"
	if s != "" && strings.Trim(s, safe) == "" {
		return s
	}
	if printable(s) == s && !strings.ContainsAny(s, "'\n") {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7F:
			fmt.Fprintf(&b, `\x%02X`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// percent is the share with two digits behind the point; – of nothing.
func percent(part, of int64) string {
	switch {
	case of == 0:
		return "–"
	case part == 0:
		return "0"
	case part*20000 < of:
		return "<0.01"
	}
	return strconv.FormatFloat(100*float64(part)/float64(of), 'f', 2, 64)
}

// thousands is the number with its digits in groups of three.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// countOf is n with its noun.
func countOf(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

// scanSize is a number of octets as a person says it.
func scanSize(octets int64) string {
	switch {
	case octets < 10_000:
		return countOf(octets, "octet", "octets")
	case octets < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(octets)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(octets)/1e6)
}

// scanTime is a duration as a person says it.
func scanTime(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
