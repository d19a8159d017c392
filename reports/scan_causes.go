package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// mostCauses is the number of causes shown without Verbose.
const mostCauses = 10

// scanCauses shows the causes of the disagreements, or nothing if they were not
// looked for.
func scanCauses(r *fuzz.ScanResult, q *fuzz.ScanQueries, o Options) doc.Document {
	if q.CauseFiles == 0 {
		return nil
	}
	shown, more := first(q.Causes, mostCauses, o)
	var causes []doc.Item
	for i := range shown {
		c := &shown[i]
		body := append(paras(doc.Plain, witnessVerdicts(r, &c.Example)), scanExample(&c.Example.ScanExample)...)
		causes = append(causes, doc.Item{Text: tone(doc.Warn, causeLine(q, c)), Body: body})
	}
	about := fmt.Sprintf("A choice is a cause if it deviates from RFC 9309, is in the fingerprint of the parser and gives its answer, and another lineage answers differently. A file may show several causes. Percentages are of %s", count(q.CauseFiles, "file"))
	if left := r.Files - q.CauseFiles; left > 0 {
		about += fmt.Sprintf("; %s too large to be examined", countOf(left, "was", "were"))
	}
	d := append(doc.Document{part("The largest causes")}, list(causes)...)
	d = append(d, paras(doc.Faint, more...)...)
	return append(d, note("%s. Each cause has its smallest file. In a command, COLLECTION is the path of what was scanned.", about))
}

// causeLine states on how many files a cause shows, and in which parsers.
func causeLine(q *fuzz.ScanQueries, c *fuzz.ScanCause) string {
	what := c.Point + "=" + c.Choice
	if c.Choice == "" {
		what = "no known choice explains it"
	}
	names, lineages := make([]string, len(c.Subjects)), map[string]bool{}
	for i, s := range c.Subjects {
		names[i] = s.Name
		for _, l := range q.Lineages {
			if slices.Contains(l.Subjects, s.Name) {
				lineages[l.Name] = true
			}
		}
	}
	by := doc.CutMiddle(strings.Join(names, ", "), 2*mostPhrase)
	if len(names) > 1 {
		by += fmt.Sprintf(" (%s)", count(len(lineages), "lineage"))
	}
	return fmt.Sprintf("%s%%  %s: %s, %s", percent(c.Files, q.CauseFiles), by, what, count(c.Files, "file"))
}

// witnessVerdicts groups the parsers by verdict: "allow: slyrz, temoto; disallow:
// reference".
func witnessVerdicts(r *fuzz.ScanResult, w *fuzz.ScanWitness) string {
	var groups []string
	for _, v := range spec.Verdicts {
		var names []string
		for i := range r.Subjects {
			if name := r.Subjects[i].Name; w.Verdicts[name] == v {
				names = append(names, name)
			}
		}
		if names != nil {
			groups = append(groups, string(v)+": "+doc.CutMiddle(strings.Join(names, ", "), 2*mostPhrase))
		}
	}
	return strings.Join(groups, "; ")
}
