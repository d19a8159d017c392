package urls_test

import (
	"testing"

	"github.com/repcheck/repcheck/fuzz/internal/urls"
)

func TestCut(t *testing.T) {
	t.Parallel()
	for url, want := range map[string][2]string{
		"http://foo.test/a?b": {"http://foo.test", "/a?b"},
		"http://foo.test":     {"http://foo.test", ""},
		"http://foo.test?a/b": {"http://foo.test", "?a/b"},
		"http://foo.test#a":   {"http://foo.test", "#a"},
		"/a":                  {"", "/a"},
		"":                    {},
	} {
		origin, target := urls.Cut(url)
		if got := [2]string{origin, target}; got != want {
			t.Errorf("%q: %q, want %q", url, got, want)
		}
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]bool{
		"http://foo.test/":       true,
		"https://foo.test:443/é": true,
		"http://foo.test/a b":    false,
		"http://foo.test/a\x7F":  false,
		"http://foo.test":        false,
		"http:///a":              false,
		"ftp://foo.test/":        false,
		"/a":                     false,
	} {
		if got := urls.Plain(url); got != want {
			t.Errorf("%q: %v, want %v", url, got, want)
		}
	}
}

func TestEscapes(t *testing.T) {
	t.Parallel()
	if got := urls.Legal("/a b\xFF|%2f"); got != "/a%20b%FF%7C%2f" {
		t.Errorf("Legal gives %q", got)
	}
	for path, want := range map[string]string{
		"/%61%7e":       "/a~",
		"/%2F%3f%23%25": "/%2F%3f%23%25",
		"/%20%00%1F":    "/%20%00%1F",
		"/%E9%4":        "/\xE9%4",
		"/%zz%\x11\x11": "/%zz%\x11\x11",
	} {
		if got := urls.Decode(path); got != want {
			t.Errorf("Decode(%q) gives %q, want %q", path, got, want)
		}
	}
	for text, want := range map[string]bool{"/%61%7E": false, "/%6": true, "/%": true, "/%.0": true, "/": false} {
		if got := urls.HasMalformedEscape([]byte(text)); got != want {
			t.Errorf("HasMalformedEscape(%q) gives %v", text, got)
		}
	}
}
