package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
)

const (
	// explained is the share of its held-out answers, in percent, from which on a
	// fingerprint describes a parser; below it the report says what is missed.
	explained = 99
	// mostGaps bounds the groups of missed answers that are shown of one of
	// several parsers.
	mostGaps = 5
)

// Fingerprint reports how much of the parsers' answers is predicted, what is
// missed where it is less than 99 percent, and the tree of their distances; of
// one parser, or of all with Verbose, also the evidence for each deviation.
func Fingerprint(r *conformance.Fingerprints, o Options) doc.Document {
	var kinds []string
	queries := 0
	for _, k := range r.Sample {
		kinds = append(kinds, thousands(int64(k.SeenFiles+k.HeldFiles))+" "+k.Kind)
		queries += k.SeenQuestions + k.HeldQuestions
	}
	heading := fmt.Sprintf("Fingerprints: %s about %s files (%s, seed %d)", countOf(int64(queries), "query", "queries"), strings.Join(kinds, ", "), r.Source, r.Seed)
	if len(r.Subjects) != 1 {
		heading += " to each of " + count(len(r.Subjects), "parser")
	}
	d := doc.Document{title(heading + " in " + r.Elapsed.Round(100*time.Millisecond).String())}
	d = append(d, paras(doc.Faint, "The choices were found on one half of the files, and the shares are of the answers about the other half. Queries without an answer (a crash, a timeout, what a parser cannot be asked) count in no share.")...)
	if len(r.Subjects) > 1 {
		d = append(d, fingerprintsTable(r))
		d = append(d, paras(doc.Plain, fingerprintsCount(r))...)
		d = append(d, fingerprintTree(r, o)...)
	}
	full := len(r.Subjects) == 1 || o.Verbose
	for _, s := range byShare(r) {
		if full || !reached(s.Held) {
			d = append(d, fingerprintOf(r, s, full, o)...)
		}
	}
	return d
}

// fingerprintsTable has a row for each parser, the best predicted first.
func fingerprintsTable(r *conformance.Fingerprints) doc.Table {
	heads := []string{"parser", "held out"}
	for _, k := range r.Sample {
		if k.HeldFiles > 0 {
			heads = append(heads, k.Kind)
		}
	}
	t := doc.Table{Columns: columns(1, append(heads, "no answer", "points", "nearest relative", "distance")...), Keys: 1}
	for _, s := range byShare(r) {
		style := doc.Plain
		if !reached(s.Held) {
			style = doc.Warn
		}
		cells := doc.Row{tone(style, s.Name), tone(style, share(s.Held))}
		unanswered := -s.Held.Answered
		for i, k := range r.Sample {
			unanswered += k.HeldQuestions
			if k.HeldFiles > 0 {
				cells = append(cells, tone(doc.Plain, share(s.Kinds[i])))
			}
		}
		relative, distance := "-", "-"
		if s.Relative != "" {
			relative, distance = s.Relative, apart(s.RelativeDistance)
		}
		t.Rows = append(t.Rows, append(cells, row(thousands(int64(unanswered)), strconv.Itoa(len(s.Deviations)), relative, distance)...))
	}
	return t
}

// byShare returns the parsers by the share of their answers that is predicted.
func byShare(r *conformance.Fingerprints) []*conformance.Fingerprint {
	all := make([]*conformance.Fingerprint, len(r.Subjects))
	for i := range r.Subjects {
		all[i] = &r.Subjects[i]
	}
	slices.SortStableFunc(all, func(a, b *conformance.Fingerprint) int {
		return cmp.Compare(int64(b.Held.Predicted)*int64(max(a.Held.Answered, 1)), int64(a.Held.Predicted)*int64(max(b.Held.Answered, 1)))
	})
	return all
}

// fingerprintsCount says how many of several parsers are described.
func fingerprintsCount(r *conformance.Fingerprints) string {
	n := 0
	for i := range r.Subjects {
		if reached(r.Subjects[i].Held) {
			n++
		}
	}
	return fmt.Sprintf("For %d of %s, %d%% of the held-out answers or more are predicted.", n, count(len(r.Subjects), "parser"), explained)
}

// share is a part in percent with two decimals, rounded down: 99.00% is no less
// than 99. It is "-" of nothing.
func share(p conformance.Predicted) string {
	if p.Answered == 0 {
		return "-"
	}
	n := int64(p.Predicted) * 10_000 / int64(p.Answered)
	return fmt.Sprintf("%d.%02d%%", n/100, n%100)
}

func reached(p conformance.Predicted) bool {
	return p.Answered > 0 && p.Predicted*100 >= p.Answered*explained
}

// apart is a distance in percent.
func apart(d float64) string { return fmt.Sprintf("%.1f%%", 100*d) }
