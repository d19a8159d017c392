package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

// A Client has the shape of impl.Subject, which this package must not import.
var _ interface {
	Info() spec.SubjectInfo
	Ask(ctx context.Context, robots []byte, probes []spec.Probe) []spec.Answer
	Parallel() int
	Err() error
	Close() error
} = (*Client)(nil)

func TestDecodeHello(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`{"hello":1,"name":"x"}`:                               "",
		`{"hello":1,"name":"x","window":9}`:                    "",
		`{"hello":1,"name":"x","new":{}}`:                      "",
		`{"hello":1,"name":"x","new":{"name":1,"name":2}}`:     "",
		`{"hello":2,"name":"x"}`:                               `send "hello":1`,
		`{"name":"x"}`:                                         `send "hello":1`,
		`{"hello":1}`:                                          `sent a hello whose name "" is invalid: use 1 to 200 lower-case letters`,
		`{"hello":1,"name":"X"}`:                               "use 1 to 200 lower-case letters",
		`{"hello":1,"name":"../../escaped"}`:                   "use 1 to 200 lower-case letters",
		`{"hello":1,"name":"x","version":"1\u001b[2J"}`:        "use at most 100 printable characters",
		`{"hello":1,"name":"x","features":["line","\u202e"]}`:  "use at most 100 printable characters",
		`{"hello":1,"name":"x","window":0}`:                    "a window of 0",
		`{"hello":1,"name":"x","window":"256"}`:                "field of the wrong type",
		`{"hello":1,"name":"x","name":"y"}`:                    `sent the field "name" twice`,
		`{"hello":1,"name":"x","version":"1","Version":"1.0"}`: `sent the field "version" twice`,
		`hello`: "not a JSON object",
		``:      "not a JSON object",
		`null`:  "not a JSON object",
	} {
		_, err := decodeHello([]byte(line))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

func TestHello(t *testing.T) {
	t.Parallel()
	hello := func(line string) *wireHello {
		h, err := decodeHello([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		return &h
	}
	first := hello(`{"hello":1,"name":"x","version":"1","window":9}`)
	for line, want := range map[string]bool{
		`{"hello":1,"name":"x","version":"1","window":9,"package":"p"}`: true,
		`{"hello":1,"name":"y","version":"1","window":9}`:               false,
		`{"hello":1,"name":"x","version":"2","window":9}`:               false,
		`{"hello":1,"name":"x","version":"1","window":8}`:               false,
		`{"hello":1,"name":"x","version":"1"}`:                          false,
	} {
		if got := first.same(hello(line)); got != want {
			t.Errorf("%s: same is %v", line, got)
		}
	}
	for line, want := range map[string]int{
		`{"hello":1,"name":"x"}`:               1,
		`{"hello":1,"name":"x","window":256}`:  MaxWindow,
		`{"hello":1,"name":"x","window":1000}`: MaxWindow,
	} {
		if got := hello(line).window(); got != want {
			t.Errorf("%s: the window is %d, want %d", line, got, want)
		}
	}
}

// A detail is kept up to 2000 bytes, and never ends in the middle of a character.
func TestClip(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ detail, want string }{
		{strings.Repeat("x", 2000), strings.Repeat("x", 2000)},
		{strings.Repeat("x", 2001), strings.Repeat("x", 2000) + "…"},
		{"x" + strings.Repeat("é", 1000), "x" + strings.Repeat("é", 999) + "…"},
	} {
		a, err := decodeAnswer(fmt.Appendf(nil, `{"id":1,"error":%q}`, test.detail))
		if err != nil || a.answers[0].Detail != test.want {
			t.Errorf("%d bytes are kept of %d, %v", len(a.answers[0].Detail), len(test.detail), err)
		}
	}
}

// The longest line may be as long as the limit, not counting the line end.
func TestLineReader(t *testing.T) {
	t.Parallel()
	for _, most := range []int{10, 16, 40, 100} { // below, at and above the buffer's size
		for _, size := range []int{0, most - 1, most, most + 1, 10 * most} {
			text := strings.Repeat("x", size)
			l := lineReader{bufio.NewReaderSize(strings.NewReader(text+"\nnext\nunfinished"), 16), most}
			line, err := l.next()
			if size > most {
				if !errors.Is(err, errLongLine) || len(line) > most+17 || !strings.HasPrefix(text, string(line)) {
					t.Errorf("%d of %d: %q, %v", size, most, line, err)
				}
				continue
			}
			if string(line) != text || err != nil {
				t.Errorf("%d of %d: %q, %v", size, most, line, err)
			}
			if line, err := l.next(); string(line) != "next" || err != nil {
				t.Errorf("%d of %d, the second line: %q, %v", size, most, line, err)
			}
			if line, err := l.next(); line != nil || err != io.EOF {
				t.Errorf("%d of %d, the unfinished line: %q, %v", size, most, line, err)
			}
		}
	}
}

func TestDecodeAnswerErrors(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		``:                                       "not a JSON object",
		`true`:                                   "not a JSON object",
		`{"id":1,"allow":true} x`:                "not a JSON object",
		`{"allow":true}`:                         "without an id",
		`{"id":1}`:                               "no verdict",
		`{"id":1,"allow":null}`:                  "no verdict",
		`{"id":1,"allow":true,"error":""}`:       "more than one verdict",
		`{"id":1,"reject":"","error":""}`:        "more than one verdict",
		`{"id":1,"allow":true,"allows":[]}`:      "more than one verdict",
		`{"id":1,"allows":[{}]}`:                 "error: element 1 of allows",
		`{"id":1,"allows":[1]}`:                  "must be true, false or an object",
		`{"id":1,"allows":[true],"lines":[]}`:    "1 allows, 0 lines",
		`{"id":1,"allows":[true],"lines":[1,2]}`: "2 lines",
		`{"id":1,"allows":[true],"patterns":["a","b"]}`: "2 patterns",
		`{"id":1,"allows":[true],"patterns":[]}`:        "0 patterns",
		`{"id":1,"allow":true,"line":-1}`:               "lines count from 1",
		`{"id":1,"allows":[true],"lines":[-1]}`:         "lines count from 1",
		`{"id":1,"allow":true,"ns":-1}`:                 "sent ns -1",
		`{"id":"1","allow":true}`:                       `"id" must be the number from the request, not a string`,
		`{"id":1,"allow":1}`:                            `"allow" must be true or false, not the number`,
		`{"id":1,"allows":true}`:                        `"allows" must be a list, not true or false`,
		`{"id":1,"allow":true,"line":"2"}`:              `"line" must be an integer, not a string`,
		`{"id":1,"allow":true,"pattern":2}`:             `"pattern" must be a string, not the number`,

		`{"id":1.5,"allow":true}`: `"id" must be the number from the request, not the number 1.5`,

		`{"id":1,"allow":true,"allow":false}`:             `sent the field "allow" twice`,
		`{"id":1,"allow":true,"Allow":false}`:             `sent the field "allow" twice`,
		`{"id":1,"allow":true,"\u0061llow":false}`:        `sent the field "allow" twice`,
		`{"id":1,"allow":true,"id":2}`:                    `sent the field "id" twice`,
		`{"id":1,"x":"a\"b","allows":[true],"allows":[]}`: `sent the field "allows" twice`,
		`{"id":1,"allows":[{"error":"a","error":"b"}]}`:   `an element of allows has the field "error" twice`,
	} {
		_, err := decodeAnswer([]byte(line))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

// Here each name occurs only once, even if its text occurs more often.
func TestDecodeAnswerNotRepeated(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		`{"id":1,"allow":true,"pattern":"allow"}`,
		`{"id":1,"allow":true,"later":{"allow":1,"id":2},"list":["id","id"]}`,
		`{"id":1,"allows":[{"error":"a"},{"error":"b"}],"error":null}`,
		`{ "id" : 1 , "reject" : "a, \"id\": 2, {" }`,
		`{"id":1,"allow":true,"later":1,"later":2}`,
	} {
		if _, err := decodeAnswer([]byte(line)); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestSplitCommand(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		`python3 adapter.py`:         {"python3", "adapter.py"},
		"  a\t b\n c ":               {"a", "b", "c"},
		`'a b' "c d" e\ f`:           {"a b", "c d", "e f"},
		`a '' ""`:                    {"a", "", ""},
		`a'b'"c"d`:                   {"abcd"},
		`'\a $x "'`:                  {`\a $x "`},
		`"\a \" \\ \$x"`:             {`\a " \ $x`},
		"a \\\n b":                   {"a", "b"},
		"a\\\nb":                     {"ab"},
		`x {robots} {agent} * ~ # é`: {"x", "{robots}", "{agent}", "*", "~", "#", "é"},
		`sh -c 'a | b > "$c"'`:       {"sh", "-c", `a | b > "$c"`},
		`a \| b`:                     {"a", "|", "b"},
	} {
		got, err := SplitCommand(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
		again, err := SplitCommand(joinCommand(want))
		if diff := cmp.Diff(want, again); diff != "" || err != nil {
			t.Errorf("%s joined and split: %v\n%s", line, err, diff)
		}
	}
	for line, want := range map[string]string{
		``:       "empty",
		`''`:     "empty",
		`a | b`:  "no shell is run",
		`a $x`:   "no shell is run",
		`a "$x"`: "no shell is run",
		"a `x`":  "no shell is run",
		`a > b`:  "no shell is run",
		`a 'b`:   "unclosed '",
		`a "b`:   `unclosed "`,
		`a \`:    "ends in a backslash",
	} {
		if got, err := SplitCommand(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v, want %q", line, got, err, want)
		}
	}
}

func TestServe(t *testing.T) {
	t.Parallel()
	in := `{"hello":1}
{"id":1,"robots":"","agent":"A","url":"/no"}
{"id":2,"robots":"","agent":"A","urls":["/no","/yes"]}
{"id":3,"robots":"echo","agent":"A","urls":["/no"]}
{"id":4,"robots_b64":"ZWNob/8=","agent_b64":"/w==","urls_b64":["/g=="]}
{"id":5,"robots":"","agent":"A","url":"/yes"}
{"id":6,"robots":"echo","hash":"h","agent":"A","url":"/"}
{"id":7,"hash":"h","agent":"B","url":"/"}`
	want := `{"hello":1,"name":"oracle","version":"1","language":"go","features":["line","time","hash"],"window":256}
{"id":1,"allow":false,"line":2}
{"id":2,"allows":[false,true],"lines":[2,0]}
{"id":3,"allows":[{"reject":"6563686f 41 2f6e6f"}]}
{"id":4,"allows":[{"reject":"6563686fff ff fe"}]}
{"id":5,"allow":true}
{"id":6,"reject":"6563686f 41 2f"}
{"id":7,"reject":"6563686f 42 2f"}
`
	var out strings.Builder
	if err := Serve(t.Context(), strings.NewReader(in), &out, oracle{}); err != nil {
		t.Error(err)
	}
	var got strings.Builder
	for line := range strings.Lines(out.String()) { // ns differs from run to run
		if head, _, ok := strings.Cut(line, `,"ns":`); ok {
			line = head + "}\n"
		}
		got.WriteString(line)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
	for _, in := range []string{"x\n", "{}\n", `{"id":1,"agent":""}`, `{"id":"1"}`,
		`{"id":1,"agent":"A","url":"/"}`, `{"id":1,"robots":"","hash":"a","agent":"A","url":"/"}` + "\n" + `{"id":2,"hash":"b","agent":"A","url":"/"}`} {
		if err := Serve(t.Context(), strings.NewReader(in), &out, oracle{}); err == nil || !strings.Contains(err.Error(), "request ") {
			t.Errorf("%q: %v", in, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Serve(ctx, strings.NewReader(in), &out, oracle{}); err != context.Canceled {
		t.Error(err)
	}
}

// TestPython checks the Python adapter against known answers of its library.
func TestPython(t *testing.T) {
	t.Parallel()
	c := start(t, pythonAdapter(t))
	defer c.Close()
	info := c.Info()
	if !strings.HasPrefix(info.Version, "3.") || strings.Count(info.Version, ".") != 2 {
		t.Errorf("version is %q, want the full one", info.Version)
	}
	info.Version = ""
	wantInfo := spec.SubjectInfo{Name: "python-urllib", Package: "urllib.robotparser",
		Language: "python", Lineage: "python-robotparser", Features: []string{"time", "hash"}}
	if diff := cmp.Diff(wantInfo, info); diff != "" || c.Parallel() != 256 {
		t.Errorf("window %d, info:\n%s", c.Parallel(), diff)
	}
	robots := []byte("User-agent: FooBot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\u2028Disallow: /é\n")
	probes := []spec.Probe{
		{Agent: "FooBot", URL: "http://x.test/a"}, {Agent: "FooBot", URL: "http://x.test/b"},
		{Agent: "FooBot/1.0", URL: "http://x.test/a"}, {Agent: "BarBot", URL: "http://x.test/a"},
		{Agent: "BarBot", URL: "http://x.test/b"}, {Agent: "BarBot", URL: "http://x.test/%C3%A9"},
		{Agent: "BarBot", URL: "http://x.test/\xff"}, {Agent: "Bar\xff", URL: "http://x.test/"},
	}
	unsupported := spec.Answer{Verdict: spec.Unsupported, Detail: "no UTF-8"}
	allow, disallow := spec.Answer{Verdict: spec.Allow}, spec.Answer{Verdict: spec.Disallow}
	match(t, []spec.Answer{disallow, allow, disallow, allow, disallow, disallow, unsupported, unsupported},
		c.Ask(t.Context(), robots, probes))
	match(t, []spec.Answer{disallow}, c.Ask(t.Context(), []byte("User-agent: *\x00\nUser-agent: *\nDisallow: /\x00\n"),
		[]spec.Probe{{Agent: "A", URL: "http://x.test/\x00"}}))

	// Decoding bytes that are not UTF-8 is up to the library: read() raised an
	// exception before CPython PR 138502; since then the rules apply as usual.
	latin := c.Ask(t.Context(), []byte("User-agent: *\nDisallow: /\xe9\nDisallow: /a\n"), probes[:1])[0]
	if latin != disallow && !(latin.Verdict == spec.Crash && strings.HasPrefix(latin.Detail, "UnicodeDecodeError: ")) {
		t.Errorf("not UTF-8: %v", latin)
	}
	if s := c.Stats(); s.Library <= 0 || s.Queries != 10 || c.Stats().Faults != nil {
		t.Errorf("stats %+v, faults %q", s, c.Stats().Faults)
	}
}

// Adapter authors copy this adapter, so it must stay short.
func TestPythonIsShort(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../subjects/adapters/python-urllib/adapter.py")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(source, []byte("\n")); n > 70 {
		t.Errorf("%d lines", n)
	}
}
