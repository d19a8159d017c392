package reports

import (
	"strconv"
	"strings"
	"testing"
)

// TestNewsFirst: what was lost, failed unexpectedly or was fixed stands above
// what is known, and that above the matrix.
func TestNewsFirst(t *testing.T) {
	t.Parallel()
	var text, markdown strings.Builder
	if err := Text(&text, every(), nil, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := Markdown(&markdown, every(), nil); err != nil {
		t.Fatal(err)
	}
	order := []string{
		"python-urllib was lost (", "temoto: 3 unexpected failures in 2 cases", "samclarke: 2 unexpected failures", "samclarke: 1 known failure is fixed",
		"The baseline still lists what is fixed", "Wrong entries of the baseline", "python-urllib: 1 known failure in 1 case", "RFC9309-ABNF-NL   MUST", "queries/s",
	}
	for _, report := range []string{text.String(), strings.ReplaceAll(markdown.String(), " | ", "   ")} {
		rest := report
		for _, part := range order {
			_, after, ok := strings.Cut(rest, part)
			if !ok {
				t.Fatalf("%q is missing or stands too early in:\n%s", part, report)
			}
			rest = after
		}
	}
}

// TestTotalsAddUp: in each row of the counts the total is the sum of its parts.
func TestTotalsAddUp(t *testing.T) {
	t.Parallel()
	for _, result := range results {
		r := result.result()
		counts := countsTable(r)
		for i, row := range counts.rows {
			sum := 0
			for k, cell := range row[2 : len(row)-1] {
				n, err := strconv.Atoi(cell)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(counts.note, counts.head[2+k]) {
					t.Errorf("%s: the note %q does not name %q", result.name, counts.note, counts.head[2+k])
				}
				sum += n
			}
			if row[1] != strconv.Itoa(sum) {
				t.Errorf("%s: %s: the total is %s, the parts give %d", result.name, row[0], row[1], sum)
			}
			if _, expectations := size(r); row[1] != strconv.Itoa(expectations) {
				t.Errorf("%s: %s: the total is %s of %d expectations", result.name, r.Subjects[i].Name, row[1], expectations)
			}
		}
	}
}
