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
	// explained is the percentage of held-out answers that a fingerprint must
	// predict to describe a parser. Below it, the report shows the answers that
	// it misses.
	explained = 99
	// mostGaps bounds the groups of missed answers that are shown for each of
	// several parsers.
	mostGaps = 5
)

// Fingerprint reports the share of the parsers' answers that is predicted, the
// missed answers if that is less than 99 percent, and the tree of distances. For
// a single parser, and with Verbose for all, it also reports the evidence for
// each deviation.
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

// fingerprintsTable returns a table with a row for each parser, the best
// predicted first.
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

// byShare returns the parsers sorted by the share of their answers that is
// predicted.
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

// fingerprintsCount says how many of several parsers their fingerprints describe.
func fingerprintsCount(r *conformance.Fingerprints) string {
	n := 0
	for i := range r.Subjects {
		if reached(r.Subjects[i].Held) {
			n++
		}
	}
	return fmt.Sprintf("For %d of %s, %d%% of the held-out answers or more are predicted.", n, count(len(r.Subjects), "parser"), explained)
}

// share formats a share in percent with two decimals, rounded down, so that
// 99.00% is never less than 99. It is "-" if there are no answers.
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

// apart formats a distance in percent.
func apart(d float64) string { return fmt.Sprintf("%.1f%%", 100*d) }
