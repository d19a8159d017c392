package reports

import (
	"strconv"
	"strings"
	"testing"

	"github.com/repcheck/repcheck/reports/doc"
)

// TestNewsFirst: lost parsers, unexpected failures and fixed failures come before
// known failures, and these before the matrix.
func TestNewsFirst(t *testing.T) {
	t.Parallel()
	var text, markdown strings.Builder
	report := Run(every(), nil, Options{})
	if err := report.Text(&text, doc.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := report.Markdown(&markdown); err != nil {
		t.Fatal(err)
	}
	order := []string{
		"python-urllib was lost (", "temoto: 3 unexpected failures in 2 cases", "samclarke: 2 unexpected failures", "samclarke: 1 known failure is fixed",
		"The baseline still lists what is fixed", "Wrong entries of the baseline", "python-urllib: 1 known failure in 1 case", "\nABNF-NL  ", "queries/s",
	}
	for _, report := range []string{text.String(), strings.NewReplacer("| ", "", " |", " ").Replace(markdown.String())} {
		rest := report
		for _, part := range order {
			_, after, ok := strings.Cut(rest, part)
			if !ok {
				t.Fatalf("%q is missing or too early in:\n%s", part, report)
			}
			rest = after
		}
	}
}

// TestTotalsAddUp: in each row of counts the total is the sum of its parts.
func TestTotalsAddUp(t *testing.T) {
	t.Parallel()
	for _, result := range results {
		r := result.result()
		report := countsTable(r)
		counts, note := report[0].(doc.Table), report[1].(doc.Para).Text.String()
		for i, row := range counts.Rows {
			sum := 0
			for k, cell := range row[2 : len(row)-1] {
				n, err := strconv.Atoi(cell.String())
				if err != nil {
					t.Fatal(err)
				}
				if head := counts.Columns[2+k].Head; !strings.Contains(note, head) {
					t.Errorf("%s: the note %q does not name %q", result.name, note, head)
				}
				sum += n
			}
			if row[1].String() != strconv.Itoa(sum) {
				t.Errorf("%s: %s: the total is %s, the parts give %d", result.name, row[0], row[1], sum)
			}
			if expectations := newDigest(r).expectations; row[1].String() != strconv.Itoa(expectations) {
				t.Errorf("%s: %s: the total is %s of %d expectations", result.name, r.Subjects[i].Name, row[1], expectations)
			}
		}
	}
}
