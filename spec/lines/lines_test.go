package lines_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec/lines"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for robots, want := range map[string][]lines.Line{
		"":              nil,
		"a":             {{Text: "a"}},
		"a\n":           {{"a", "\n"}},
		"a\r\n\nb\r":    {{"a", "\r\n"}, {"", "\n"}, {"b", "\r"}},
		"\n\ra\x00\xFF": {{"", "\n"}, {"", "\r"}, {Text: "a\x00\xFF"}},
	} {
		got := lines.Split([]byte(robots))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", robots, diff)
		}
		if joined := lines.Join(got); !bytes.Equal(joined, []byte(robots)) {
			t.Errorf("%q became %q", robots, joined)
		}
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	robots := "Disallow: /\nUser-agent: a\nUSERAGENT b\nAllow: /\nuser-agent: c\n# agent\nUser agent: d\n"
	if diff := cmp.Diff([]int{0, 1, 4, 6}, lines.Groups(lines.Split([]byte(robots)))); diff != "" {
		t.Errorf("groups begin elsewhere (-want +got):\n%s", diff)
	}
	if lines.Groups(nil) != nil {
		t.Error("an empty file has groups")
	}
}

func TestRecord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"Disallow: /a:b": {"Disallow", ": /a:b"},
		"Disallow /a":    {"Disallow", " /a"},
		"garbage":        {"", "garbage"},
		"":               {},
		": x":            {"", ": x"},
	} {
		key, rest := lines.Line{Text: text}.Record()
		if got := [2]string{key, rest}; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestToken(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"FooBot/1.0": "FooBot", "Foo_Bot-x": "Foo_Bot-x", "": "", "1a": "", "*": "", "Foo Bot": "Foo"} {
		if got := lines.Token(value); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}
