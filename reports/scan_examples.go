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
	// mostPairs is the number of pairs shown with an example. More would fill
	// several screens, and the matrix has the rates of all pairs.
	mostPairs = 10
	// mostFindings is the number of findings shown for each parser.
	mostFindings = 5
	// mostDetail is the width, in characters, of an answer's detail in a line
	// about two answers, and mostName the width of a file name.
	mostDetail, mostName = 60, 40
	// mostCommand is the width above which a command is too long to be useful.
	mostCommand = 300
)

// scanPairs shows the pairs that differ, the most different first, each with the
// smallest file.
func scanPairs(r *fuzz.ScanResult, o Options) doc.Document {
	var differing []*fuzz.ScanPair
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
	slices.SortStableFunc(differing, func(a, b *fuzz.ScanPair) int { return cmp.Compare(b.Rate(), a.Rate()) })
	more := 0
	if !o.Verbose && len(differing) > mostPairs {
		more, differing = len(differing)-mostPairs, differing[:mostPairs]
	}
	var pairs []doc.Item
	for _, p := range differing {
		pairs = append(pairs, doc.Item{
			Text: tone(doc.Warn, pairLine(r, p)),
			Body: append(paras(doc.Plain, fmt.Sprintf("%s answers %s, %s answers %s", p.A, answered(p.Example.AnswerA), p.B, answered(p.Example.AnswerB))),
				scanExample(&p.Example.ScanExample)...),
		})
	}
	var d doc.Document
	if len(r.Pairs) > 0 {
		d = append(doc.Document{section("Pairs that differ most")}, list(pairs)...)
	}
	if more > 0 {
		d = append(d, paras(doc.Faint, "… and "+count(more, "pair")+" more: --verbose shows all")...)
	}
	if len(pairs) > 0 {
		d = append(d, paras(doc.Faint, "Each has the smallest file as its example. In a command, COLLECTION is the path of what was scanned.")...)
	}
	if alike > 0 {
		d = append(d, paras(doc.Plain, countOf(alike, "pair does", "pairs do")+" not differ.")...)
	}
	if apart > 0 {
		d = append(d, paras(doc.Plain, countOf(apart, "pair has", "pairs have")+" no query that both answered.")...)
	}
	return d
}

// pairLine states how much two parsers differ.
func pairLine(r *fuzz.ScanResult, p *fuzz.ScanPair) string {
	s := fmt.Sprintf("%s%%  %s and %s: %s of %s, %s%% of the files", percent(p.Differing, p.Queries), p.A, p.B,
		thousands(p.Differing), countOf(p.Queries, "query", "queries"), percent(p.FilesDiffering, p.Files))
	if slices.ContainsFunc(lineages(r), func(group []string) bool { return slices.Contains(group, p.A) && slices.Contains(group, p.B) }) {
		s += " (one lineage)"
	}
	return s
}

func answered(a spec.Answer) string {
	s := string(a.Verdict)
	switch {
	case a.Line > 0:
		s += fmt.Sprintf(" (line %d)", a.Line)
	case a.Detail != "":
		first, _, _ := strings.Cut(a.Detail, "\n")
		s += " (" + doc.Cut(first, mostDetail) + ")"
	}
	return s
}

// scanExample names the file of an example and shows the command that sends the
// same query to all parsers.
func scanExample(e *fuzz.ScanExample) doc.Document {
	d := paras(doc.Plain, exampleFile(e))
	if command := scanCommand(e); command != "" && doc.Width(command) <= mostCommand {
		return append(d, doc.Code{Text: command, Shell: true})
	}
	return append(d, doc.Para{Text: doc.C(doc.CutMiddle(e.Agent, mostName)).And(doc.T(" asks for "), doc.C(doc.CutMiddle(e.URL, mostCommand)),
		doc.In(doc.Faint, " (too long for a command here: --format json has it in full)"))})
}

// exampleFile returns the name of the file of an example.
func exampleFile(e *fuzz.ScanExample) string {
	return fmt.Sprintf("%s  %s  %s", doc.CutMiddle(spec.EncodeInline(e.File), mostName), e.Hash, countOf(int64(e.Octets), "byte", "bytes"))
}

// scanCommand returns the command that sends an example to all parsers; "" if the
// example is damaged.
func scanCommand(e *fuzz.ScanExample) string {
	agent, err := spec.DecodeOctets(e.Agent)
	if err != nil {
		return ""
	}
	url, err := spec.DecodeOctets(e.URL)
	if err != nil {
		return ""
	}
	return "repcheck query --robots COLLECTION#" + e.Hash + " --agent " + shellWord(string(agent)) + " --url " + shellWord(string(url))
}

// scanFindings shows where each parser failed to answer, was slow or broke the
// adapter protocol.
func scanFindings(r *fuzz.ScanResult, o Options) doc.Document {
	var all []doc.Item
	for i := range r.Subjects {
		s := &r.Subjects[i]
		findings := slices.Clone(s.Findings)
		slices.SortStableFunc(findings, func(a, b fuzz.ScanFinding) int { return cmp.Compare(b.Files, a.Files) })
		for k := range findings {
			if k == mostFindings && !o.Verbose {
				all = append(all, doc.Item{Text: tone(doc.Faint, fmt.Sprintf("%s: … and %s more: --verbose shows all", s.Name, count(len(findings)-k, "finding")))})
				break
			}
			f := &findings[k]
			text := fmt.Sprintf("%s: %s on %s of %s: %s", s.Name, f.Kind, countOf(f.Queries, "query", "queries"), countOf(f.Files, "file", "files"), f.Cause)
			all = append(all, doc.Item{Text: tone(doc.Bad, text), Body: scanExample(&f.Example)})
		}
		all = append(all, items(doc.Bad, scanRemarks(s, o))...)
	}
	if len(all) == 0 {
		return nil
	}
	return doc.Document{section("Findings"), doc.List{Items: all}}
}

// scanRemarks returns remarks about a parser besides its findings.
func scanRemarks(s *fuzz.ScanSubject, o Options) []string {
	var lines []string
	if s.FindingsDropped {
		lines = append(lines, s.Name+": there were more findings than are kept")
	}
	if s.Slowest != nil {
		lines = append(lines, fmt.Sprintf("%s: more than a second for each of %s, most for %s: %s", s.Name,
			countOf(s.Slow, "file", "files"), exampleFile(&s.Slowest.Example), duration(s.Slowest.Took)))
	}
	for i, fault := range s.Faults {
		if i == mostFaults && !o.Verbose {
			lines = append(lines, fmt.Sprintf("%s: … and %s more", s.Name, countOf(int64(len(s.Faults)-i), "protocol error", "protocol errors")))
			break
		}
		lines = append(lines, fmt.Sprintf("%s: broke the protocol: %s", s.Name, fault))
	}
	if s.Lost != "" {
		lines = append(lines, fmt.Sprintf("%s: lost, and not asked %s: %s", s.Name, countOf(s.Unasked, "query", "queries"), s.Lost))
	}
	return lines
}
