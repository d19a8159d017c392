package reports

import (
	"fmt"
	"strings"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports/doc"
)

// Experiments shows the experiments that confirm the cause of a finding, and the
// causes that an experiment refuted.
func Experiments(f *fuzz.Finding) (d doc.Document) {
	t := doc.Table{Columns: append(columns(2, "answer", "not predicted by"), doc.Column{Head: "query and file", Rest: true})}
	for i := range f.Experiments {
		e := &f.Experiments[i]
		t.Rows = append(t.Rows, doc.Row{tone(doc.Good, string(e.Got)), tone(doc.Plain, strings.Join(e.Rivals, ", ")), doc.C(oneLine(e.Witness))})
	}
	switch {
	case len(f.Experiments) > 0:
		d = append(d, section(fmt.Sprintf("Confirmed by %s", count(len(f.Experiments), "experiment"))), t)
	case f.Kind == fuzz.Disagreement:
		d = append(d, paras(doc.Warn, "Not tested: no experiment told this cause from other explanations.")...)
	}
	var refuted []doc.Item
	for _, r := range f.Refuted {
		refuted = append(refuted, doc.Item{Text: tone(doc.Warn, fmt.Sprintf("%s predicts %s, and the answer is %s: ", r.Cause, r.Experiment.Predicted, r.Experiment.Got)).And(doc.C(oneLine(r.Experiment.Witness)))})
	}
	if refuted != nil {
		d = append(append(d, section("Refuted causes")), list(refuted)...)
	}
	return d
}
