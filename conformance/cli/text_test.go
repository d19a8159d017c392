package cli

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// TestTextWriter writes each text in pieces of every size: the result does not
// depend on where a character or an escape sequence is split.
func TestTextWriter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in, want string
		color          bool
	}{
		{name: "text", in: "a\tb ⟦FF⟧ ␊ é 漢\n", want: "a\tb ⟦FF⟧ ␊ é 漢\n"},
		{name: "C0", in: "a\x1b]0;title\x07\x00\r\x7f\n", want: "a⟦U+001B⟧]0;title⟦U+0007⟧␀␍⟦U+007F⟧\n"},
		{name: "C1", in: "\u009b31m\u0085", want: "⟦U+009B⟧31m⟦U+0085⟧"},
		{name: "bidirectional", in: "\u202eabc\u202c \u2066x\u2069", want: "⟦U+202E⟧abc⟦U+202C⟧ ⟦U+2066⟧x⟦U+2069⟧"},
		{name: "not UTF-8", in: "\xff\xc3(\xe2\x82", want: "⟦FF⟧⟦C3⟧(⟦E2⟧⟦82⟧"},
		{name: "replacement character", in: "\ufffd", want: "\ufffd"},
		{name: "colours off", in: "\x1b[31mred\x1b[0m", want: "⟦U+001B⟧[31mred⟦U+001B⟧[0m"},
		{name: "colours on", in: "\x1b[31mred\x1b[0m", want: "\x1b[31mred\x1b[0m", color: true},
		{name: "an open colour ends with its line", in: "\x1b[31mred\nplain\n", want: "\x1b[31mred\x1b[0m\nplain\n", color: true},
		{name: "no other sequence", in: "\x1b[2J\x1b[8m\x1b[31;1m\x1b[", want: "⟦U+001B⟧[2J⟦U+001B⟧[8m⟦U+001B⟧[31;1m⟦U+001B⟧[", color: true},
		{name: "workflow command", in: "::error::x\n  \t::stop::\na ::b::\n:\n: :\n", want: ":⟦3A⟧error::x\n  \t:⟦3A⟧stop::\na ::b::\n:\n: :\n"},
		{name: "workflow command behind a carriage return", in: "\r::error::x", want: "␍:⟦3A⟧error::x"},
		{name: "workflow command in colour", in: "\x1b[1m::error::x\x1b[0m", want: "\x1b[1m:⟦3A⟧error::x\x1b[0m", color: true},
		{name: "older commands", in: "##[error]x ##vso[task.x]\n###[a\n##teamcity[b", want: "##⟦5B⟧error]x ##vso⟦5B⟧task.x]\n###⟦5B⟧a\n##teamcity⟦5B⟧b"},
		{name: "no command", in: "#[a] # #[b] ## [c] ##-[d", want: "#[a] # #[b] ## [c] ##-[d"},
	} {
		for size := 1; size <= len(tt.in); size++ {
			var b bytes.Buffer
			w := &textWriter{raw: &b, color: func() bool { return tt.color }}
			for rest := tt.in; rest != ""; rest = rest[min(size, len(rest)):] {
				if _, err := io.WriteString(w, rest[:min(size, len(rest))]); err != nil {
					t.Fatal(err)
				}
			}
			w.flush()
			if diff := cmp.Diff(tt.want, b.String()); diff != "" {
				t.Errorf("%s, in pieces of %d bytes (-want +got):\n%s", tt.name, size, diff)
			}
		}
	}
}

// evil is a text that renames a terminal's window, clears its screen, reverses
// its lines and gives commands to a CI service.
const evil = "\x1b]0;renamed\x07\x1b[2J\u009b2J\u202e\n::error::injected\n  ::stop-commands::x\n##[error]injected\r"

// TestHostileText runs the commands with hostile text in every place. Nothing
// that reaches standard output and standard error controls the terminal or the CI
// service.
func TestHostileText(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		if os.Getenv("REPCHECK_REQUIRE_ADAPTERS") == "1" {
			t.Fatal("sh is required by REPCHECK_REQUIRE_ADAPTERS=1 and is not installed")
		}
		t.Skip("the hostile adapter needs sh")
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			if runtime.GOOS == "linux" {
				t.Fatal(err)
			}
			t.Skipf("the file system refuses such names: %v", err)
		}
		return path
	}
	name := strings.NewReplacer("/", "", "\x00", "").Replace(evil)
	quoted := fmt.Sprintf("%q", evil) // also YAML
	yaml := func(id, robots string) string {
		return "section: \"2.2.2\"\ncases:\n  - id: " + id + "\n    requirements: [RFC9309-2.2.2-1]\n    level: MUST\n" +
			"    rationale: " + quoted + "\n    robots: " + robots + "\n    expect: [{url: /a, verdict: disallow}]\n"
	}
	good := filepath.Dir(filepath.Dir(filepath.Dir(write("good/cases/2.2.2/topic.yaml", yaml("topic/one", `"User-agent: *"`)))))
	bad := filepath.Dir(filepath.Dir(filepath.Dir(write("bad"+name+"/cases/2.2.2/"+name+".yaml", yaml(quoted, `"⟦"`)))))
	robots := write("files/"+name, "User-agent: *\nDisallow: /\n# "+evil+"\n")
	text := write("evil", evil)
	adapter := "sh '" + write("adapter.sh", `read hello
echo '{"hello":1,"name":"evil","version":"1","language":"sh","lineage":"evil"}'
while read request; do cat '`+text+`' >&2; cat '`+text+`'; exit 1; done
`) + "'"
	dead := "sh -c 'cat " + text + " >&2; exit 1'"

	for _, args := range [][]string{
		{"run", "--impl", "none", "--adapter", adapter, "--spec", good},
		{"run", "--impl", "none", "--adapter", adapter, "--spec", good, "--verbose", "--color", "always"},
		{"run", "--impl", "none", "--adapter", adapter, "--spec", good, "--format", "json"},
		{"run", "--impl", "none", "--adapter", adapter, "--spec", good, "--format", "junit"},
		{"run", "--impl", "none", "--adapter", adapter, "--spec", good, "--format", "markdown"},
		{"run", "--impl", "none", "--adapter", dead},
		{"run", "--impl", "reference", "--spec", bad},
		{"run", "--impl", name},
		{"run", "--impl", "reference", "--baseline", filepath.Join(dir, name)},
		{"run", "--" + name},
		{"run", "--impl", "reference", "-o", filepath.Join(dir, "missing"+name, "report")},
		{"query", "--impl", "none", "--adapter", adapter, "--robots", robots, "--agent", name, "--url", "/" + name},
		{"query", "--impl", "none", "--adapter", adapter, "--robots", robots, "--agent", name, "--url", "/" + name, "--format", "json"},
		{"query", "--impl", "reference", "--robots", "missing" + name, "--agent", "a", "--url", "/"},
		{"check", "--adapter", dead},
		{"list", "--spec", good},
		{"list", "--spec", good, "--format", "json"},
		{"list", "--spec", bad},
		{"list", "--run", name},
		{"lint", bad},
		{"explain", "topic/one", "--spec", good, "--impl", "none", "--adapter", adapter},
		{"explain", name},
		{"scan", filepath.Dir(robots), "--impl", "none", "--adapter", adapter},
		{"scan", filepath.Join(dir, "missing"+name)},
		{"corpus", "stats", filepath.Dir(robots)},
		{"corpus", "stats", filepath.Join(dir, "missing"+name)},
		{"report", text},
		{"report", filepath.Join(dir, "missing"+name)},
		{"findings", "show", name, "--dir", dir},
		{"findings", "list", "--dir", filepath.Join(dir, "missing"+name)},
		{"complexity", "--impl", "none", "--adapter", dead},
		{"profile", "--impl", "none", "--adapter", dead},
		{"fuzz", "--impl", "none", "--adapter", dead, "--count", "1", "--dir", filepath.Join(dir, "findings")},
		{"adapters", "install", name},
		{name},
	} {
		t.Run(strings.ToValidUTF8(strings.Join(args[:min(len(args), 2)], " "), ""), func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			Main(args, strings.NewReader(""), &stdout, &stderr)
			if stdout.Len()+stderr.Len() == 0 {
				t.Error("it prints nothing")
			}
			controls(t, "stdout", stdout.String())
			controls(t, "stderr", stderr.String())
			var value any
			switch args[len(args)-1] {
			case "json":
				if err := json.Unmarshal(stdout.Bytes(), &value); err != nil {
					t.Errorf("not JSON: %v\n%s", err, &stdout)
				}
			case "junit":
				if err := xml.Unmarshal(stdout.Bytes(), new(struct{})); err != nil {
					t.Errorf("not XML: %v\n%s", err, &stdout)
				}
			}
		})
	}
}

var (
	ownColours = regexp.MustCompile("\x1b\\[[0-9]+m")
	command    = regexp.MustCompile(`(?m)^\s*::|##[A-Za-z]*\[`)
)

// controls reports everything in a text that controls the reader's terminal or CI
// service.
func controls(t *testing.T, where, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s is not UTF-8: %q", where, text)
	}
	text = ownColours.ReplaceAllString(text, "")
	for _, r := range text {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control)) {
			t.Errorf("%s holds %U: %q", where, r, text)
			break
		}
	}
	if found := command.FindString(text); found != "" {
		t.Errorf("%s holds the command %q: %q", where, found, text)
	}
}
