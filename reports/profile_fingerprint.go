package reports

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// FingerprintJSON writes all fingerprints, indented.
func FingerprintJSON(w io.Writer, r *conformance.Fingerprints) error {
	return WriteJSON(w, r)
}

// explained is the share of its held-out answers, in percent, from which on a
// fingerprint is taken to say what a subject does; below it the report says
// what is missed.
const explained = 99

// shownGaps bounds the groups of missed answers that are shown of one of
// several subjects.
const shownGaps = 5

// share is a part in percent with two decimals, cut off and not rounded: 99.00
// is no less than 99. It is "-" of nothing.
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

// fingerprintHeading says what was asked.
func fingerprintHeading(r *conformance.Fingerprints) string {
	var kinds []string
	questions := 0
	for _, k := range r.Sample {
		kinds = append(kinds, thousands(int64(k.SeenFiles+k.HeldFiles))+" "+k.Kind)
		questions += k.SeenQuestions + k.HeldQuestions
	}
	s := fmt.Sprintf("%s about %s files (%s, seed %d)", countOf(int64(questions), "question", "questions"), strings.Join(kinds, ", "), r.Source, r.Seed)
	if len(r.Subjects) != 1 {
		s += " to each of " + count(len(r.Subjects), "subject")
	}
	return s + " in " + r.Elapsed.Round(100*time.Millisecond).String()
}

const fingerprintNote = "The choices were found on one half of the files, and the shares are of the answers about the other. " +
	"Questions without an answer (a crash, a timeout, what a parser cannot be asked) count in no share."

// fingerprintsTable is the table of several subjects, the best predicted first.
func fingerprintsTable(r *conformance.Fingerprints) (head []string, rows [][]string) {
	head = []string{"parser", "held out"}
	for _, k := range r.Sample {
		if k.HeldFiles > 0 {
			head = append(head, k.Kind)
		}
	}
	head = append(head, "no answer", "points", "nearest relative", "distance")
	for _, s := range byShare(r) {
		row := []string{s.Name, share(s.Held)}
		for i, k := range r.Sample {
			if k.HeldFiles > 0 {
				row = append(row, share(s.Kinds[i]))
			}
		}
		row = append(row, thousands(int64(unanswered(r, s))), fmt.Sprint(len(s.Deviations)))
		if s.Relative == "" {
			row = append(row, "-", "-")
		} else {
			row = append(row, s.Relative, apart(s.RelativeDistance))
		}
		rows = append(rows, row)
	}
	return head, rows
}

// byShare returns the subjects in the order of what is predicted of them.
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

// unanswered counts the held-out questions without an answer.
func unanswered(r *conformance.Fingerprints, s *conformance.Fingerprint) int {
	n := 0
	for _, k := range r.Sample {
		n += k.HeldQuestions
	}
	return n - s.Held.Answered
}

// apart is a distance in percent.
func apart(d float64) string { return fmt.Sprintf("%.1f%%", 100*d) }

// fingerprintsCount says how many of several subjects are explained.
func fingerprintsCount(r *conformance.Fingerprints) string {
	n := 0
	for i := range r.Subjects {
		if reached(r.Subjects[i].Held) {
			n++
		}
	}
	return fmt.Sprintf("Of %d of %s, %d%% of the held-out answers or more are predicted.", n, count(len(r.Subjects), "subject"), explained)
}

// fingerprintSummary says how much of a subject's answers is predicted.
func fingerprintSummary(r *conformance.Fingerprints, s *conformance.Fingerprint) string {
	var kinds []string
	for i, k := range r.Sample {
		if k.HeldFiles > 0 {
			kinds = append(kinds, fmt.Sprintf("%s about %s files", share(s.Kinds[i]), k.Kind))
		}
	}
	line := fmt.Sprintf("The choices below predict %s of %s about files that the search has not seen (%s), and %s of those about files that it has. Nearest named interpretation: %s, which predicts %s.",
		share(s.Held), countOf(int64(s.Held.Answered), "answer", "answers"), strings.Join(kinds, ", "), share(s.Seen),
		s.Nearest, share(conformance.Predicted{Answered: s.Held.Answered, Predicted: s.NearestPredicted}))
	if s.AtRandom() {
		line += " That is hardly more than always saying the same: the choices describe nothing."
	}
	return line
}

// fingerprintAsides are what a reader must know beside the shares.
func fingerprintAsides(s *conformance.Fingerprint) []string {
	var lines []string
	for _, v := range []spec.Verdict{spec.Crash, spec.Timeout, spec.ProtocolError, spec.Reject, spec.Unsupported} {
		if n := s.Verdicts[v]; n > 0 {
			lines = append(lines, fmt.Sprintf("%s answered by %s.", agree(n, "question", " was", " were"), v))
		}
	}
	if s.Lost != "" {
		lines = append(lines, "Lost: "+s.Lost)
	}
	return lines
}

// deviationRows are the points at which a subject deviates with what speaks for
// and against them.
func deviationRows(s *conformance.Fingerprint) (head []string, rows [][]string) {
	head = []string{"point", "choice", "for", "against", "witness"}
	for _, d := range s.Deviations {
		row := []string{d.Point, d.Choice, thousands(int64(d.For)), thousands(int64(d.Against)), "-"}
		if d.Witness != nil {
			row[4] = sampled(d.Witness)
		}
		rows = append(rows, row)
	}
	return head, rows
}

const deviationNote = "For counts the answers in the half that was searched that are predicted because of the choice, against those that RFC 9309's would predict instead, all other choices kept."

// sampled names a question.
func sampled(q *conformance.SampleQuestion) string {
	name := q.File
	if len(name) == 64 && !strings.Contains(name, " ") {
		name = name[:12]
	}
	return q.Probe + " of " + q.Kind + " " + name
}

// gapTitle says what a group of missed answers has in common.
func gapTitle(g *conformance.Gap) string {
	n := countOf(int64(g.Answers), "answer", "answers")
	if g.Point == "" {
		return n + " that no choice at one point gives"
	}
	return fmt.Sprintf("%s as if %s were %s", n, g.Point, g.Choice)
}

// missedLine is one witness of a group.
func missedLine(m *conformance.Missed) string {
	return fmt.Sprintf("%s, not %s: %s", m.Got, m.Predicted, sampled(&m.SampleQuestion))
}

// missedTitle heads the groups of missed answers.
func missedTitle(s *conformance.Fingerprint) string {
	return fmt.Sprintf("What is missed: %s of %s", thousands(int64(len(s.Missed))), countOf(int64(s.Held.Answered), "answer", "answers"))
}

// lineageLine says whether the subjects of a claimed lineage are each other's
// relatives.
func lineageLine(l *conformance.LineageDistance) string {
	s := fmt.Sprintf("%s (%s): at most %s from each other", l.Lineage, strings.Join(l.Subjects, ", "), apart(l.Widest))
	if l.Outside == "" {
		return s
	}
	s += fmt.Sprintf(", %s at least from any other (%s from %s)", apart(l.Nearest), l.Inside, l.Outside)
	if !l.Together() {
		s += ": not nearer to each other than to others"
	}
	return s
}
