package corpus

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/corpus/corpustest"
	"github.com/repcheck/repcheck/spec/longtest"
)

func TestTally(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, robots string
		want         string // property/value:count, only those that the test is about
	}{
		{"empty", "", "start/empty:1 octets-per-file/0:1 line-ends/none:0"},
		{"markup", "\uFEFF \n<html>", "start/markup:1 line/no-colon:0"},
		{"byte order mark", "\uFEFFUser-agent: *\r\n", "start/byte-order-mark:1 octets/ascii:1 line-ends/crlf:1 last-line/ended:1 line/user-agent:1 key-user-agent/usual:1"},
		{"blank", " \n\r", "start/blank:1 line-ends/mixed:1 line/blank:2 lines-per-file/2:1 groups-per-file/0:1"},
		{"one line", "Disallow:/a", "line-ends/none:1 last-line/open:1 rule-without-group/yes:1 colon/none:1 rule-value/path:1 rules-per-group/1:0"},
		{"groups", "User-agent: a\nUser-Agent: b c\nDisallow: /\n\nuser-agent: *\n#x\nAllow: /b\nAllow: /c\n",
			"groups-per-file/2:1 agents-per-group/2:1 agents-per-group/1:1 rules-per-group/1:1 rules-per-group/2:1 " +
				"key-user-agent/usual:1 key-user-agent/title:1 key-user-agent/lower:1 agent-value/token:1 agent-value/words:1 agent-value/star:1 " +
				"line/blank:1 line/comment-inside:1 line/allow:2 line/disallow:1 rule-value/slash:1 line-ends/lf:1 lines-per-file/5-8:1"},
		{"records", " DISALLOW : /a#c\nallow:\t*b \nDisAllow:  \nSitemap: http://x\nHost: x\nFoo: x\nfoo\nCrawl-delay: 1\n",
			"space-in-front/yes:1 space-in-front/no:2 key-disallow/upper:1 key-disallow/other:1 key-allow/lower:1 colon/space-before:1 colon/tab:1 colon/none:1 " +
				"behind/comment:1 behind/space:1 behind/nothing:0 rule-value/path:1 rule-value/star-path:1 rule-value/empty:1 " +
				"line/sitemap:1 line/host:1 line/other-key:1 line/no-colon:1 line/crawl-delay:1"},
		{"paths", "User-agent: a\nDisallow: /a*b*?c=%2F%2f%zz$\nDisallow: /$a b/é\nDisallow: /\xFF\nDisallow: http://x/\nDisallow: a/\nDisallow: *\n",
			"path-stars/2:1 path-stars/0:2 path-dollar/end:1 path-dollar/inside:1 path-dollar/none:1 path-escapes/2:1 path-escapes/0:2 path-query/yes:1 " +
				"path-space/yes:1 path-octets/ascii:1 path-octets/utf-8:1 path-octets/not-utf-8:1 path-slashes/1:2 path-slashes/2:1 " +
				"path-length/17-32:1 path-length/2:1 path-length/5-8:1 rule-value/url:1 rule-value/no-slash:1 rule-value/star:1 octets/not-utf-8:1"},
		{"NUL and CR", "a\x00\rb\r", "octets/nul:1 line-ends/cr:1 line/no-colon:2"},
		{"more than is read", strings.Repeat("User-agent: *\nDisallow: /\n", countedLines), "line/user-agent:100 line/disallow:100 lines-per-file/257-512:0 groups-per-file/65-128:0 rules-per-group/1:99 start/plain:1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tally := Rates{}
			tally.Add([]byte(tt.robots))
			var got []string
			for _, want := range strings.Fields(tt.want) {
				key, _, _ := strings.Cut(want, ":")
				question, answer, _ := strings.Cut(key, "/")
				got = append(got, fmt.Sprintf("%s:%d", key, tally[question][answer]))
			}
			if diff := cmp.Diff(strings.Fields(tt.want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRanges(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{-1: "0", 0: "0", 4: "4", 5: "5-8", 8: "5-8", 9: "9-16", 1 << 20: "524289-1048576"} {
		if got := Range(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	for n := range 5000 {
		if low, high, err := RangeOf(Range(n)); err != nil || n < low || n > high {
			t.Fatalf("%d: %d to %d, %v", n, low, high, err)
		}
	}
	for _, in := range []string{"", "x", "5", "-1", "5-9", "5-8x", "8-5"} {
		if _, _, err := RangeOf(in); err == nil {
			t.Errorf("%q is taken for a range", in)
		}
	}
}

func TestRates(t *testing.T) {
	t.Parallel()
	r := Rates{"q": {"a": 1, "b": 3, "c": 1}}
	if diff := cmp.Diff([]string{"b", "a", "c"}, r.Answers("q")); diff != "" {
		t.Error(diff)
	}
	if r.All("q") != 5 || r.Share("q", "b") != 0.6 || r.Share("none", "b") != 0 {
		t.Errorf("%d, %v, %v", r.All("q"), r.Share("q", "b"), r.Share("none", "b"))
	}
	var b strings.Builder
	if err := r.WriteText(&b); err != nil || !strings.HasPrefix(b.String(), "q (5)\n  b                            3   60.000%\n") {
		t.Errorf("%v\n%s", err, &b)
	}
	if err := r.WriteText(failing{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestRealRates compares the table with the real files, if they are available.
func TestRealRates(t *testing.T) {
	t.Parallel()
	if RealRates().All("start") < 50_000 {
		t.Error("the table is not that of the real files")
	}
	longtest.Skip(t, "TestTally tests what is measured, on small files")
	path := corpustest.Real(t)
	r, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, unread, err := Measure(r)
	if err != nil || unread > 0 {
		t.Fatalf("%d entries not read, %v", unread, err)
	}
	if diff := cmp.Diff(RealRates(), got); diff != "" {
		t.Errorf("print the table again, see RealRates (-table +files):\n%s", diff)
	}
}

func TestMeasurePassesOver(t *testing.T) {
	t.Parallel()
	root := folder(t, map[string]string{"c.jsonl": "nonsense\n" + twoLines})
	r, err := Open(root+"/c.jsonl", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rates, unread, err := Measure(r)
	if err != nil || unread != 1 || rates.All("start") != 2 {
		t.Errorf("%d files, %d unread, %v", rates.All("start"), unread, err)
	}
}
