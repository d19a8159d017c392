package doc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

func TestListingLines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, octets string
		want         []string
	}{
		{"empty", "", []string{"  (the file is empty)"}},
		{"LF", "a\nb\n", []string{"   1  a", "   2  b"}},
		{"no end", "a\nb", []string{"   1  a", "   2  b"}},
		{"CRLF", "a\r\nb\r\n", []string{"   1  a␍", "   2  b␍"}},
		{"CR", "a\rb\r", []string{"   1  a␍", "   2  b␍"}},
		{"blank lines", "\n\r\r\n\na", []string{"   1  ", "   2  ␍", "   3  ␍", "   4  ", "   5  a"}},
		{"long", strings.Repeat("x", 1000), []string{"   1  " + strings.Repeat("x", 199) + "…"}},
	}
	for _, test := range tests {
		var got []string
		for _, line := range doc.NewListing(spec.EncodeOctets([]byte(test.octets))).Lines {
			got = append(got, line.String())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestListingGaps(t *testing.T) {
	t.Parallel()
	file := strings.Repeat("x\n", 100)
	tests := []struct {
		name   string
		marks  []int
		gaps   []int
		marked []int
	}{
		{"none", nil, []int{70}, nil},
		{"in the middle", []int{50}, []int{34, 36}, []int{50}},
		{"at the end", []int{100}, []int{70}, []int{100}},
		{"beyond", []int{900}, []int{70}, nil},
		{"two", []int{10, 90}, []int{2, 65, 3}, []int{10, 90}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			shown := 0
			var gaps, marked []int
			for _, l := range doc.NewListing(file, test.marks...).Lines {
				n := 0
				if _, err := fmt.Sscanf(l.String(), " ⋮ %d lines left out", &n); err == nil {
					gaps = append(gaps, n)
					continue
				}
				shown++
				if _, err := fmt.Sscanf(l.String(), "→ %d x", &n); err == nil {
					marked = append(marked, n)
				}
			}
			if shown != 30 {
				t.Errorf("%d lines shown, want 30", shown)
			}
			if diff := cmp.Diff(test.gaps, gaps); diff != "" {
				t.Errorf("gaps differ (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.marked, marked); diff != "" {
				t.Errorf("marked lines differ (-want +got):\n%s", diff)
			}
		})
	}
}
