package reports

import (
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
func scanPairs(r *fuzz.ScanResult, q *fuzz.ScanQueries, o Options) doc.Document {
	if len(q.Pairs) == 0 {
		return nil
	}
	var differing []fuzz.ScanPair
	alike, apart := 0, 0
	for _, p := range q.Pairs {
		switch {
		case p.Example != nil:
			differing = append(differing, p)
		case p.Queries > 0:
			alike++
		default:
			apart++
		}
	}
	shown, more := first(descending(differing, fuzz.ScanPair.Rate), mostPairs, o)
	var pairs []doc.Item
	for _, p := range shown {
		answers := doc.P("%s answers %s, %s answers %s", p.A, answered(p.Example.AnswerA), p.B, answered(p.Example.AnswerB))
		pairs = append(pairs, doc.Item{Text: tone(doc.Warn, pairLine(r, &p)), Body: append(doc.Document{answers}, scanExample(&p.Example.ScanExample)...)})
	}
	d := append(doc.Document{part("Pairs that differ most")}, list(pairs)...)
	d = append(d, paras(doc.Faint, more...)...)
	if len(pairs) > 0 {
		d = append(d, note("Each has the smallest file as its example. In a command, COLLECTION is the path of what was scanned."))
	}
	var rest tally
	rest.add(alike, "pair does not differ.", "pairs do not differ.")
	rest.add(apart, "pair has no query that both answered.", "pairs have no query that both answered.")
	return append(d, paras(doc.Plain, rest...)...)
}

// pairLine states how much two parsers differ.
func pairLine(r *fuzz.ScanResult, p *fuzz.ScanPair) string {
	s := fmt.Sprintf("%s%%  %s and %s: %s of %s, %s%% of the files", percent(p.Differing, p.Queries), p.A, p.B,
		thousands(p.Differing), count(p.Queries, "query"), percent(p.FilesDiffering, p.Files))
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
	return fmt.Sprintf("%s  %s  %s", doc.CutMiddle(spec.EncodeInline(e.File), mostName), e.Hash, count(e.Octets, "byte"))
}

// scanCommand returns the command that sends an example to all parsers; "" if the
// example is damaged.
func scanCommand(e *fuzz.ScanExample) string {
	agent, err := spec.DecodeOctets(e.Agent)
	url, err2 := spec.DecodeOctets(e.URL)
	if err != nil || err2 != nil {
		return ""
	}
	return "repcheck query --robots COLLECTION#" + e.Hash + " --agent " + shellWord(string(agent)) + " --url " + shellWord(string(url))
}

// scanFindings shows where each parser failed to answer queries of one kind.
func scanFindings(r *fuzz.ScanResult, q *fuzz.ScanQueries, o Options) (all []doc.Item) {
	for i := range q.Answers {
		a := &q.Answers[i]
		say := func(t doc.Tone, text string, body ...doc.Block) {
			all = append(all, doc.Item{Text: tone(t, r.Subjects[i].Name+": "+text), Body: body})
		}
		findings, more := first(descending(a.Findings, func(f fuzz.ScanFinding) int64 { return f.Files }), mostFindings, o)
		for k := range findings {
			f := &findings[k]
			say(doc.Bad, fmt.Sprintf("%s on %s of %s: %s", f.Kind, count(f.Queries, "query"), count(f.Files, "file"), f.Cause), scanExample(&f.Example)...)
		}
		for _, line := range more {
			say(doc.Faint, line)
		}
		if a.FindingsDropped {
			say(doc.Bad, "there were more failures than are kept")
		}
	}
	return all
}

// scanTroubles shows which parsers were slow, broke the adapter protocol or were
// lost.
func scanTroubles(r *fuzz.ScanResult, o Options) (all []doc.Item) {
	for i := range r.Subjects {
		s := &r.Subjects[i]
		say := func(text string) { all = append(all, doc.Item{Text: tone(doc.Bad, s.Name+": "+text)}) }
		if s.Slowest != nil {
			say(fmt.Sprintf("more than a second for each of %s, most for %s: %s",
				count(s.Slow, "file"), exampleFile(&s.Slowest.Example), duration(s.Slowest.Took)))
		}
		faults, more := first(s.Faults, mostFaults, o)
		for _, fault := range append(faults, more...) {
			say("broke the protocol: " + fault)
		}
		if s.Unfingerprinted {
			say("its fingerprint was not found, so its disagreements have no known cause")
		}
		if s.Lost != "" {
			say("lost: " + s.Lost)
		}
	}
	return all
}
