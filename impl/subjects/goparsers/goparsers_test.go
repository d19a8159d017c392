package goparsers

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	robots "github.com/benjaminestes/robots/v2"
	"github.com/google/go-cmp/cmp"
	google "github.com/jimsmart/grobotstxt"
	samclarkelib "github.com/samclarke/robotstxt"
	slyrzlib "github.com/slyrz/robots"
	temotolib "github.com/temoto/robotstxt"

	"github.com/repcheck/repcheck/spec"
)

func TestAll(t *testing.T) {
	t.Parallel()
	var names []string
	for _, p := range All() {
		names = append(names, p.Info.Name)
		if p.Info.Language != "go" || p.Parse == nil {
			t.Errorf("%s: incomplete: %+v", p.Info.Name, p.Info)
		}
	}
	want := []string{"benjaminestes", "grobotstxt", "samclarke", "slyrz", "temoto"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

// TestVersions: the versions in Info are the versions that the test binary was built
// with.
func TestVersions(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	want, got := map[string]string{}, map[string]string{}
	for _, p := range All() {
		got[p.Info.Package] = p.Info.Version
		pin := regexp.MustCompile(`(?m)^\s*(?:require\s+)?` + regexp.QuoteMeta(p.Info.Package) + `\s+(\S+)`)
		if m := pin.FindSubmatch(mod); m != nil {
			want[p.Info.Package] = string(m[1])
		}
		if regexp.MustCompile(`(?m)` + regexp.QuoteMeta(p.Info.Package) + `\b.*=>`).Match(mod) {
			t.Errorf("go.mod replaces %s", p.Info.Package)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("go.mod (-) and Info (+): %s", diff)
	}
}

// ask sends one probe to a parser like package impl: an error is Reject, and a panic
// is Crash. Details are omitted.
func ask(p Parser, file []byte, agent, url string) (a spec.Answer) {
	defer func() {
		if recover() != nil {
			a.Verdict = spec.Crash
		}
		a.Detail = ""
	}()
	m, err := p.Parse(file)
	if err != nil {
		return reject(err)
	}
	return m(agent, url)
}

// direct calls each library without package goparsers, for URLs of
// http://x.test:8080.
var direct = map[string]func(file, agent, target string) (bool, error){
	"benjaminestes": func(file, agent, target string) (bool, error) {
		r, err := robots.From(200, strings.NewReader(file))
		return err == nil && r.Test(agent, "http://x.test:8080"+target), err
	},
	"grobotstxt": func(file, agent, target string) (bool, error) {
		return google.AgentAllowed(file, agent, "http://x.test:8080"+target), nil
	},
	"samclarke": func(file, agent, target string) (bool, error) {
		r, err := samclarkelib.Parse(file, "http://x.test:8080/robots.txt")
		if err != nil {
			return false, err
		}
		return r.IsAllowed(agent, "http://x.test:8080"+target)
	},
	"slyrz": func(file, agent, target string) (bool, error) {
		return slyrzlib.New(strings.NewReader(file), agent).Allow(target), nil
	},
	"temoto": func(file, agent, target string) (bool, error) {
		r, err := temotolib.FromString(file)
		return err == nil && r.TestAgent(target, agent), err
	},
}

const wiring = `User-agent: FooBot
Disallow: /private
Allow: /private/open

User-agent: *
Disallow: /cgi?id=
Disallow: /caf%C3%A9
`

func TestWiring(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file, agent, target string
		want                spec.Verdict
		except              map[string]spec.Verdict // of libraries with another verdict
	}{
		{wiring, "FooBot", "/", spec.Allow, nil},
		{wiring, "FooBot", "/private/x", spec.Disallow, nil},
		{wiring, "foobot", "/private/x", spec.Disallow, nil},
		{wiring, "FooBot", "/private/open", spec.Allow, nil},
		{wiring, "OtherBot", "/private/x", spec.Allow, nil},
		{wiring, "OtherBot", "/cgi?id=1", spec.Disallow, map[string]spec.Verdict{"samclarke": spec.Allow}},
		{wiring, "OtherBot", "/cgi?no=1", spec.Allow, nil},
		{wiring, "OtherBot", "/caf%C3%A9", spec.Disallow, map[string]spec.Verdict{"benjaminestes": spec.Allow}},
		{wiring, "OtherBot", "/caf%c3%a9", spec.Disallow, map[string]spec.Verdict{
			"benjaminestes": spec.Allow, "grobotstxt": spec.Allow, "slyrz": spec.Allow, "temoto": spec.Allow}},
		{wiring, "OtherBot", "/%zz", spec.Allow, map[string]spec.Verdict{
			"grobotstxt": spec.Disallow, "samclarke": spec.Reject}},
		{"User-agent: *\nDisallow: /*.gif$\n", "FooBot", "/a.gif", spec.Disallow, nil},
		{"User-agent: *\nDisallow: /*.gif$\n", "FooBot", "/a.gifs", spec.Allow, nil},
		{"User-agent: *\nDisallow: /\n", "FooBot", "/a#f", spec.Disallow, nil},
		{"Disallow: /\n", "FooBot", "/", spec.Allow, map[string]spec.Verdict{"temoto": spec.Reject}},
		{"# nothing\n", "FooBot", "/", spec.Allow, map[string]spec.Verdict{"benjaminestes": spec.Crash}},
	}
	for _, p := range All() {
		t.Run(p.Info.Name, func(t *testing.T) {
			t.Parallel()
			for _, tt := range tests {
				want := tt.want
				if v, ok := tt.except[p.Info.Name]; ok {
					want = v
				}
				got := ask(p, []byte(tt.file), tt.agent, "http://x.test:8080"+tt.target).Verdict
				if got != want {
					t.Errorf("%q, %s, %s: %s, want %s", tt.file, tt.agent, tt.target, got, want)
				}
				if got != spec.Crash {
					target, _, _ := strings.Cut(tt.target, "#")
					allowed, err := direct[p.Info.Name](tt.file, tt.agent, target)
					want := spec.Allowed(allowed).Verdict
					if err != nil {
						want = spec.Reject
					}
					if got != want {
						t.Errorf("%q, %s, %s: %s, but the library says %s", tt.file, tt.agent, tt.target, got, want)
					}
				}
			}
		})
	}
}

// TestMatcherIsReusable: a Matcher gives the same answers as a new one, for any
// agents and origins in any order.
func TestMatcherIsReusable(t *testing.T) {
	t.Parallel()
	agents := []string{"FooBot", "OtherBot", "FooBot", ""}
	urls := []string{
		"http://x.test/private", "https://x.test/private", "http://y.test:1/private",
		"http://x.test/cgi?id=", "http://[bad/private", "http://x.test/private",
	}
	for _, p := range All() {
		t.Run(p.Info.Name, func(t *testing.T) {
			t.Parallel()
			m, err := p.Parse([]byte(wiring))
			if err != nil {
				t.Fatal(err)
			}
			for _, url := range urls {
				for _, agent := range agents {
					got := m(agent, url)
					got.Detail = ""
					if diff := cmp.Diff(ask(p, []byte(wiring), agent, url), got); diff != "" {
						t.Errorf("%s, %s: %s", agent, url, diff)
					}
				}
			}
		})
	}
}

func TestGrobotstxtLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file, url string
		want            spec.Answer
	}{
		{"LF", "User-agent: *\n\nDisallow: /a\n", "http://x.test/a", spec.Answer{Verdict: spec.Disallow, Line: 3}},
		{"CRLF", "User-agent: *\r\n\r\nDisallow: /a\r\n", "http://x.test/a", spec.Answer{Verdict: spec.Disallow, Line: 3}},
		{"CR", "User-agent: *\r\rDisallow: /a", "http://x.test/a", spec.Answer{Verdict: spec.Disallow, Line: 3}},
		{"longest", "User-agent: *\nDisallow: /\nAllow: /a\n", "http://x.test/a", spec.Answer{Verdict: spec.Allow, Line: 3}},
		{"equal", "User-agent: *\nAllow: /a\nDisallow: /a\n", "http://x.test/a", spec.Answer{Verdict: spec.Allow, Line: 2}},
		{"no match", "User-agent: *\nDisallow: /a\n", "http://x.test/b", spec.Answer{Verdict: spec.Allow}},
		{"own group without a match", "User-agent: FooBot\nDisallow: /a\nUser-agent: *\nDisallow: /\n", "http://x.test/b", spec.Answer{Verdict: spec.Allow}},
		{"empty rule", "User-agent: *\nDisallow:\n", "http://x.test/b", spec.Answer{Verdict: spec.Allow, Line: 2}},
		{"URL that is none", "User-agent: *\nAllow: /\n", "http://x.test/%zz", spec.Answer{Verdict: spec.Disallow}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, ask(grobotstxt, []byte(tt.file), "FooBot", tt.url)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// odd has inputs that libraries may not handle well, with the verdicts of all five in
// the order of All. The verdicts are the actual ones, not the correct ones, because
// goparsers must not change them.
var odd = []struct {
	name, file, agent, url string
	want                   string
}{
	{"empty file", "", "FooBot", "http://x.test/", "crash allow allow allow allow"},
	{"blanks", " \n\t\r\n", "FooBot", "http://x.test/", "crash allow allow allow allow"},
	{"BOM", "\ufeffUser-agent: *\nDisallow: /", "FooBot", "http://x.test/", "disallow disallow allow disallow disallow"},
	{"BOM alone", "\ufeff", "FooBot", "http://x.test/", "crash allow allow allow allow"},
	{"NUL", "User-agent: *\nDisallow: /\x00a\n", "FooBot", "http://x.test/", "disallow allow allow allow allow"},
	{"NUL alone", "\x00", "FooBot", "http://x.test/", "allow allow allow allow allow"},
	{"invalid UTF-8 in a rule", "User-agent: *\nDisallow: /\xff\n", "FooBot", "http://x.test/%FF", "crash disallow disallow allow allow"},
	{"invalid UTF-8 in an agent", "User-agent: \xff\nUser-agent: *\nDisallow: /\n", "FooBot", "http://x.test/", "disallow disallow disallow disallow disallow"},
	{"invalid UTF-8 in a comment", "User-agent: * # \xff\nDisallow: / # \xff\n", "FooBot", "http://x.test/", "disallow disallow allow disallow disallow"},
	{"invalid UTF-8 in a URL", "User-agent: *\nDisallow: /\n", "FooBot", "http://x.test/\xff", "disallow disallow disallow disallow disallow"},
	{"huge line", "User-agent: *\n# " + strings.Repeat("x", 1<<20) + "\nDisallow: /a\n", "FooBot", "http://x.test/a", "disallow disallow disallow allow disallow"},
	{"huge path", "User-agent: *\nDisallow: /" + strings.Repeat("x", 1<<18) + "\n", "FooBot", "http://x.test/" + strings.Repeat("x", 1<<18), "disallow disallow disallow allow disallow"},
	{"URL without path", "User-agent: *\nDisallow: /\n", "FooBot", "http://x.test", "disallow disallow allow disallow disallow"},
	{"URL with query for path", "User-agent: *\nDisallow: /?a\n", "FooBot", "http://x.test?a", "disallow disallow allow disallow disallow"},
	{"URL with nothing", "User-agent: *\nDisallow: /\n", "FooBot", "", "disallow disallow allow disallow disallow"},
	{"URL with control octet", "User-agent: *\nDisallow: /\n", "FooBot", "http://x.test/\x01", "allow disallow reject disallow disallow"},
	{"URL that is none", "User-agent: *\nAllow: /\n", "FooBot", "http://[/", "allow disallow reject allow allow"},
	{"no agent", "User-agent: *\nDisallow: /\n", "", "http://x.test/", "disallow disallow disallow disallow disallow"},
	{"overlap", "User-agent: *\nDisallow: /a*b*a$\n", "FooBot", "http://x.test/a", "allow allow allow crash allow"},
	{"many other lines", "User-agent: *\nDisallow: /\n" + strings.Repeat("x\n", 50000), "FooBot", "http://x.test/", "unsupported disallow disallow disallow disallow"},
	{"many agents and rules", strings.Repeat("User-agent: FooBot\n", 2000) + strings.Repeat("Disallow: /a\n", 2000), "FooBot", "http://x.test/a", "unsupported disallow unsupported disallow disallow"},
}

func TestOddInputs(t *testing.T) {
	t.Parallel()
	for _, tt := range odd {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := []byte(tt.file)
			var got []string
			for _, p := range All() {
				got = append(got, string(ask(p, file, tt.agent, tt.url).Verdict))
				if string(file) != tt.file {
					t.Fatalf("%s changed the file", p.Info.Name)
				}
			}
			if diff := cmp.Diff(strings.Fields(tt.want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestFileIsNotChanged: no library, and no code that calls it, writes to the file or
// beyond its end.
func TestFileIsNotChanged(t *testing.T) {
	t.Parallel()
	files := []string{wiring, "\ufeff" + wiring, strings.ReplaceAll(wiring, "\n", "\r\n"), "Disallow: /\n"}
	for _, p := range All() {
		for i, file := range files {
			t.Run(fmt.Sprint(p.Info.Name, i), func(t *testing.T) {
				t.Parallel()
				memory := slices.Concat([]byte(file), bytes.Repeat([]byte("\nDisallow: /"), 100))
				before := bytes.Clone(memory)
				a := ask(p, memory[:len(file)], "FooBot", "http://x.test/")
				if !bytes.Equal(memory, before) {
					t.Error("the memory was written to")
				}
				if a.Verdict == spec.Disallow {
					t.Error("more was read than given")
				}
			})
		}
	}
}
