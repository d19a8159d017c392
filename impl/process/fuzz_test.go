package process

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

// FuzzDecodeHello checks that any line is accepted as an adapter's hello or
// refused with a message. A hello that is accepted has a usable window and means
// the same when encoded again.
func FuzzDecodeHello(f *testing.F) {
	for _, seed := range []string{
		`{"hello":1,"name":"protego","version":"0.5.0","language":"python","features":["line"],"window":256}`,
		`{"hello":1,"name":"x","window":0}`, `{"hello":1,"name":"x","window":1e9}`, `{"hello":1,"name":"x\u00a0y"}`,
		`{"hello":2,"name":"x"}`, `{"hello":1,"name":""}`, `{"Hello":1,"NAME":"x"}`, `null`, `[]`, "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		h, err := decodeHello(line)
		if err != nil {
			if len(err.Error()) > 2000 {
				t.Errorf("an error of %d octets: %.200s", len(err.Error()), err)
			}
			return
		}
		if w := h.window(); w < 1 || w > MaxWindow {
			t.Errorf("a window of %d", w)
		}
		if h.Name == "" || strings.ContainsAny(h.Name, " \t\r\n") {
			t.Errorf("the name %q", h.Name)
		}
		encoded, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		again, err := decodeHello(encoded)
		if err != nil {
			t.Fatalf("%s: %v", encoded, err)
		}
		// An empty list of features is left out.
		if h.Features = slices.Clip(h.Features); len(h.Features) == 0 {
			h.Features = nil
		}
		if diff := cmp.Diff(h, again); diff != "" || !h.same(&again) {
			t.Errorf("%s\n%s", encoded, diff)
		}
	})
}

// FuzzDecodeAnswer checks that any line is decoded or refused, that what is
// decoded has only verdicts that subjects give, and that it survives a round
// trip through encodeAnswer.
func FuzzDecodeAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"allow":false,"line":2}`,
		`{"id":2,"allows":[false,true],"lines":[2,0]}`,
		`{"id":3,"reject":"invalid UTF-8"}`,
		`{"id":4,"unsupported":"…"}`,
		`{"id":5,"error":"…","ns":12}`,
		`{"id":6,"allows":[{"error":"x"},true],"patterns":["","/a"]}`,
		`{"id":7,"allows":[]}`,
		`null`, `[]`, `{"id":-1}`, `{"id":1,"allow":true,"reject":null}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		a, err := decodeAnswer(line)
		if err != nil {
			if err.Error() == "" || len(a.answers) > 0 && !a.plural {
				t.Fatalf("error %q with %+v", err, a)
			}
			return
		}
		for _, one := range a.answers {
			switch one.Verdict {
			case spec.Allow, spec.Disallow, spec.Reject, spec.Unsupported, spec.Crash:
			default:
				t.Fatalf("verdict %q", one.Verdict)
			}
		}
		encoded, err := json.Marshal(encodeAnswer(a.id, a.answers, a.plural, a.library))
		if err != nil {
			t.Fatal(err)
		}
		if len(a.answers) == 0 {
			return // allows is left out
		}
		again, err := decodeAnswer(encoded)
		if err != nil {
			t.Fatalf("%s: %v", encoded, err)
		}
		if diff := cmp.Diff(a, again, cmp.AllowUnexported(answer{})); diff != "" {
			t.Fatalf("%s\n%s", encoded, diff)
		}
	})
}

// FuzzRequest checks that the adapter gets exactly the bytes of any query, in a
// request of one line, also if it keeps the file.
func FuzzRequest(f *testing.F) {
	f.Add([]byte("User-agent: *\n"), "FooBot", "http://x.test/a", "http://x.test/b", true)
	f.Add([]byte("\xFF\x00\u2028"), "Foo\xFF", "/", "\xFF", false)
	f.Add([]byte{}, "", "", "", true)
	f.Fuzz(func(t *testing.T, robots []byte, agent, first, second string, hashed bool) {
		body := encodeFile(robots, hashed)
		urls := []string{first}
		if second != "" && utf8.ValidString(first) == utf8.ValidString(second) {
			urls = append(urls, second)
		}
		question := encodeQuestion(agent, urls)
		var in bytes.Buffer
		fmt.Fprintf(&in, `{"id":1,%s`, body.body)
		if hashed {
			fmt.Fprintf(&in, `,%s,%s}`+"\n"+`{"id":2,%s,%s}`+"\n", body.hash, question, body.hash, question)
		} else {
			fmt.Fprintf(&in, `,%s}`+"\n", question)
		}
		want := []asking{{robots, agent, urls}}
		if hashed {
			want = append(want, want[0])
		}
		if lines := bytes.Count(in.Bytes(), []byte("\n")); lines != len(want) || strings.ContainsAny(in.String(), "\r\u2028\u2029") {
			t.Errorf("a request of several lines: %q", &in)
		}
		var out bytes.Buffer
		keeper := &keeper{}
		if err := Serve(context.Background(), &in, &out, keeper); err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(want, keeper.asked, asking.equal) {
			t.Errorf("asked was %q, and the subject got %q", want, keeper.asked)
		}
		for i, line := range bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n")) {
			if a, err := decodeAnswer(line); err != nil || a.id != int64(i+1) || len(a.answers) != len(urls) {
				t.Errorf("%s: %v", line, err)
			}
		}
	})
}

// FuzzServe checks that, for any input, an adapter ends, answers each request
// before the first bad one in a form that the harness can read, and then reports
// which one is bad.
func FuzzServe(f *testing.F) {
	for _, seed := range []string{
		`{"hello":1}` + "\n" + `{"id":1,"robots":"User-agent: *\nDisallow: /a\n","agent":"FooBot","url":"http://x.test/a"}` + "\n",
		`{"id":2,"robots_b64":"/w==","agent_b64":"/w==","urls_b64":["/w==",""]}`,
		`{"id":3,"robots":"","hash":"a","agent":"A","urls":["/","/no"]}` + "\n" + `{"id":4,"hash":"a","agent":"A","url":"/"}`,
		`{"id":5,"hash":"b","agent":"A","url":"/"}`, `{"id":6,"robots":null,"url":null}`, "x\n", "{}\n", "\n", `{"id":7,"robots":"","agent":"","urls":[]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		keeper := &keeper{}
		err := Serve(context.Background(), bytes.NewReader(in), &out, keeper)
		if err != nil && (!strings.HasPrefix(err.Error(), "request ") || len(err.Error()) > 2000+len(in)) {
			t.Errorf("the error does not name the request: %v", err)
		}
		answers := bytes.SplitAfter(out.Bytes(), []byte("\n"))
		answers = answers[:len(answers)-1] // nothing follows the last line end
		if lines := bytes.Count(in, []byte("\n")) + 1; len(answers) > lines {
			t.Errorf("%d answers to %d lines", len(answers), lines)
		}
		asked := 0
		for _, line := range answers {
			if _, err := decodeHello(line); err == nil {
				continue
			}
			a, err := decodeAnswer(line)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if urls := keeper.asked[asked].urls; len(a.answers) != len(urls) {
				t.Errorf("%d answers to %d URLs", len(a.answers), len(urls))
			}
			asked++
		}
		if asked != len(keeper.asked) {
			t.Errorf("asked %d times, answered %d", len(keeper.asked), asked)
		}
	})
}

// A keeper allows everything and records its queries.
type keeper struct{ asked []asking }

type asking struct {
	robots []byte
	agent  string
	urls   []string
}

func (a asking) equal(b asking) bool {
	return bytes.Equal(a.robots, b.robots) && a.agent == b.agent && slices.Equal(a.urls, b.urls)
}

func (k *keeper) Info() spec.SubjectInfo { return spec.SubjectInfo{Name: "keeper"} }

func (k *keeper) Ask(_ context.Context, robots []byte, probes []spec.Probe) []spec.Answer {
	a := asking{robots: bytes.Clone(robots), agent: probes[0].Agent}
	answers := make([]spec.Answer, len(probes))
	for i, p := range probes {
		a.urls = append(a.urls, p.URL)
		answers[i] = spec.Answer{Verdict: spec.Allow}
	}
	k.asked = append(k.asked, a)
	return answers
}
