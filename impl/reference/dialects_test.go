package reference_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl/reference"
)

// TestDialects tests the named interpretations where their documents differ. Each
// row is one difference, with a verdict for each interpretation in the order of
// reference.Names: A for allow, D for disallow.
func TestDialects(t *testing.T) {
	t.Parallel()
	const own = "User-agent: FooBot\n"
	tests := []struct{ name, robots, url, want string }{
		{"blank line in a group", own + "Disallow: /b\n\nDisallow: /a\n", "/a", "DDDAA"},
		{"allow behind a shorter disallow", own + "Disallow: /\nAllow: /a\n", "/a", "AAADD"},
		{"disallow behind a shorter allow", own + "Allow: /\nDisallow: /a\n", "/a", "DDDAD"},
		{"tie", own + "Disallow: /a\nAllow: /a\n", "/a", "AAADD"},
		{"star in a path", own + "Disallow: /*.gif\n", "/a.gif", "DDDAA"},
		{"end mark", own + "Disallow: /a$\n", "/ab", "AAAAA"},
		{"end mark met", own + "Disallow: /a$\n", "/a", "DDDAA"},
		{"star first", own + "Disallow: *.gif$\n", "/a.gif", "DDAAA"},
		{"part of the name", "User-agent: Foo\nDisallow: /\n", "/a", "AAAAD"},
		{"name and version", "User-agent: FooBot/1.0\nDisallow: /\n", "/a", "DDDAD"},
		{"blank before the colon", "User-agent : FooBot\nDisallow : /\n", "/a", "DDDAA"},
		{"no colon", "User-agent FooBot\nDisallow /\n", "/a", "ADAAA"},
		{"misspelt key", own + "Dissallow: /\n", "/a", "ADAAA"},
		{"byte order mark", "\uFEFF" + own + "Disallow: /\n", "/a", "DDDAA"},
		{"part of a byte order mark", "\xEF\xBB" + own + "Disallow: /\n", "/a", "ADAAA"},
		{"the file itself", own + "Disallow: /\n", "/robots.txt", "ADADD"},
		{"index.html", own + "Disallow: /d\nAllow: /d/index.html\n", "/d/", "DADDD"},
		{"group without rules", "User-agent: *\nDisallow: /\n\n" + own, "/a", "AAADD"},
		{"two groups for everybody", "User-agent: *\nDisallow: /b\n\nUser-agent: *\nDisallow: /a\n", "/a", "DDAAA"},
		{"two groups of a crawler", own + "Disallow: /b\n\n" + own + "Disallow: /a\n", "/a", "DDDAA"},
		{"escaped slash", own + "Disallow: /a%2Fb\n", "/a/b", "AAAAA"},
		{"escaped letter in the URL", own + "Disallow: /abc\n", "/%61bc", "DADDA"},
		{"escaped letter in the rule", own + "Disallow: /%61bc\n", "/abc", "DADDA"},
		{"escaped tilde and digits in lower case", own + "Disallow: /%7ejoe\n", "/~joe", "DADDA"},
		{"characters beyond ASCII", own + "Disallow: /ツ\n", "/%E3%83%84", "DDDDA"},
		{"reserved octet encoded on one side", own + "Disallow: /a:b\n", "/a%3Ab", "DADDA"},
		{"query", own + "Disallow: /a?b\n", "/a?b", "DDDAD"},
		{"nothing after disallow", own + "Disallow: /\nDisallow:\n", "/a", "DDDDA"},
		{"name with a digit", "User-agent: FooBot2\nDisallow: /\n", "/a", "DDDAD"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			for _, name := range reference.Names() {
				in, err := reference.Named(name)
				if err != nil {
					t.Fatal(err)
				}
				if reference.New(in).Parse([]byte(tt.robots)).Test("FooBot", "http://foo.test"+tt.url).Allow {
					got += "A"
				} else {
					got += "D"
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("verdicts of %v (-want +got):\n%s", reference.Names(), diff)
			}
		})
	}
}
