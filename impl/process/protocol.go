// Package process queries parsers that run in a process of their own and speak
// the adapter protocol. It can also serve any parser of this process as such an
// adapter.
//
// # The adapter protocol, version 1
//
// An adapter is a program that reads requests from stdin and writes answers to
// stdout: JSON Lines, UTF-8, one object per line. A loop that reads a line,
// writes an answer line and flushes is a correct adapter. The harness (→) sends
// the first line, the adapter (←) answers with its name and version:
//
//	→ {"hello":1}
//	← {"hello":1,"name":"protego","version":"0.5.0","language":"python","features":["line"],"window":256}
//
// hello is the protocol version. name is 1 to 200 lower-case letters, digits or any
// of "_-.@+=", and starts with a letter or digit; see [spec.CheckName]. Optional:
// package, version, language, lineage (see [spec.SubjectInfo]), features
// ("line": answers carry the deciding line; "time": answers carry ns; "hash":
// see below), each text at most 100 printable characters, and window: how many
// requests may be in flight at once. Without it the window is 1, which is
// lock-step; more than [MaxWindow] is not used. The line is at most [MaxHello]
// bytes long.
//
//	→ {"id":1,"robots":"User-agent: *\nDisallow: /a\n","agent":"FooBot","url":"http://x.test/a"}
//	← {"id":1,"allow":false,"line":2}
//	→ {"id":2,"robots_b64":"…","agent":"FooBot","urls":["http://x.test/a","http://x.test/b"]}
//	← {"id":2,"allows":[false,true],"lines":[2,0]}
//
// A request holds the file, one agent, and either url or urls. A value that is
// valid UTF-8 is sent as text. Any other is sent base64-encoded (standard
// alphabet, padded) as robots_b64, agent_b64, url_b64 or urls_b64 instead: an
// adapter whose library takes text may answer unsupported to those.
//
//	→ {"id":3,"robots":"User-agent: *\n","hash":"5c5e4e0a9b1d3f27","agent":"FooBot","url":"http://x.test/a"}
//	→ {"id":4,"hash":"5c5e4e0a9b1d3f27","agent":"BarBot","url":"http://x.test/a"}
//
// An adapter with the feature "hash" gets a file once if several requests about
// it come in a row: the first carries the file and its hash, and a request with a
// hash and no file is about the file that was sent last. The adapter has to keep
// only that file. The hash is there for checking; the adapter need not compute it.
//
// Every id is answered once, in any order. An answer holds exactly one of
//
//	allow        true or false, to a request with url
//	allows       one element for each of urls: true, false, or an object
//	             that holds reject, unsupported or error for that URL alone
//	reject       the library's own, documented refusal of the input, with its text
//	unsupported  the library's interface cannot express such a query, and why
//	error        the library threw (verdict: crash), with the exception
//
// where the last three, at the top level, apply to every URL of the request.
// Optional: line or lines (1-based line of the deciding rule, 0 for none),
// pattern or patterns (that rule's path as the library reports it), and ns, the
// nanoseconds spent inside the library. A field that occurs twice is an error.
// Unknown fields are ignored, so that later versions may add some.
//
// End of stdin means: finish and exit. stderr is free for logs; its tail is
// shown when something goes wrong.
package process

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/repcheck/repcheck/spec"
)

// Version is the version of the adapter protocol spoken here.
const Version = 1

// MaxWindow is the most requests ever in flight in one adapter. More gains
// nothing, and every request in flight is sent again alone after a crash.
const MaxWindow = 256

// MaxHello is the length limit for the adapter's hello, in bytes.
const MaxHello = 64 << 10

// helloLine is the first line of every conversation.
const helloLine = `{"hello":1}` + "\n"

// A wireHello is the adapter's answer to helloLine.
type wireHello struct {
	Hello int `json:"hello"`
	spec.SubjectInfo
	Window *int `json:"window,omitempty"`
}

// same reports whether o can replace h in the middle of a conversation.
func (h *wireHello) same(o *wireHello) bool {
	return h.Name == o.Name && h.Version == o.Version && h.window() == o.window()
}

// window is how many requests may be in flight.
func (h *wireHello) window() int {
	if h.Window == nil {
		return 1
	}
	return min(*h.Window, MaxWindow)
}

// A wireFile is the part of a request that holds the file.
type wireFile struct {
	Robots    *string `json:"robots,omitempty"`
	RobotsB64 []byte  `json:"robots_b64,omitempty"`
	Hash      string  `json:"hash,omitempty"`
}

// A wireQuestion is the part of a request that holds the queries about the file.
type wireQuestion struct {
	Agent    *string  `json:"agent,omitempty"`
	AgentB64 []byte   `json:"agent_b64,omitempty"`
	URL      *string  `json:"url,omitempty"`
	URLB64   []byte   `json:"url_b64,omitempty"`
	URLs     []string `json:"urls,omitempty"`
	URLsB64  [][]byte `json:"urls_b64,omitempty"`
}

// A wireOutcome is the answer for one URL: at the top level of an answer line, or
// as an element of allows.
type wireOutcome struct {
	Allow       *bool   `json:"allow,omitempty"`
	Reject      *string `json:"reject,omitempty"`
	Unsupported *string `json:"unsupported,omitempty"`
	Error       *string `json:"error,omitempty"`
}

// A wireAnswer is an answer line.
type wireAnswer struct {
	ID *int64 `json:"id"`
	wireOutcome
	Allows   []wireElement `json:"allows,omitempty"`
	Line     int           `json:"line,omitempty"`
	Lines    []int         `json:"lines,omitempty"`
	Pattern  string        `json:"pattern,omitempty"`
	Patterns []string      `json:"patterns,omitempty"`
	NS       int64         `json:"ns,omitempty"`
}

// A wireElement is an element of allows: a plain boolean if possible.
type wireElement struct{ wireOutcome }

func (e *wireElement) UnmarshalJSON(data []byte) error {
	switch {
	case bytes.Equal(data, []byte("true")), bytes.Equal(data, []byte("false")):
		allow := data[0] == 't'
		e.Allow = &allow
		return nil
	case data[0] == '{':
		if field := repeated(data, outcomeFields); field != "" {
			return fmt.Errorf("an element of allows has the field %q twice: send each field once", field)
		}
		return json.Unmarshal(data, &e.wireOutcome)
	}
	return fmt.Errorf("an element of allows is %s and must be true, false or an object", excerpt(data))
}

func (e wireElement) MarshalJSON() ([]byte, error) {
	if e.Allow != nil {
		return json.Marshal(*e.Allow)
	}
	return json.Marshal(e.wireOutcome)
}

// A file is a robots.txt in its encoded form, encoded once for all requests about
// it.
type file struct {
	body []byte // with the bytes of the file: `"robots":"…"`
	hash []byte // only the hash: `"hash":"…"`; nil if the adapter does not use hashes
}

// encodeFile never fails: every byte sequence has an encoding.
func encodeFile(robots []byte, hashed bool) *file {
	var f file
	w := wireFile{RobotsB64: robots}
	if utf8.Valid(robots) {
		w = wireFile{Robots: new(string(robots))}
	}
	f.body = members(w)
	if hashed {
		sum := sha256.Sum256(robots)
		f.hash = members(wireFile{Hash: hex.EncodeToString(sum[:8])})
	}
	return &f
}

// encodeQuestion returns the rest of a request line, without its id. The id is
// assigned when the line is sent: the same request may be sent again under
// another one. Either all of urls are UTF-8, or none is.
func encodeQuestion(agent string, urls []string) []byte {
	var q wireQuestion
	if utf8.ValidString(agent) {
		q.Agent = &agent
	} else {
		q.AgentB64 = []byte(agent)
	}
	text := utf8.ValidString(urls[0])
	switch {
	case text && len(urls) == 1:
		q.URL = &urls[0]
	case text:
		q.URLs = urls
	case len(urls) == 1:
		q.URLB64 = []byte(urls[0])
	default:
		for _, u := range urls {
			q.URLsB64 = append(q.URLsB64, []byte(u))
		}
	}
	return members(q)
}

// Request returns the request line for one query, without its end.
func Request(id int, robots []byte, probe spec.Probe) json.RawMessage {
	return fmt.Appendf(nil, `{"id":%d,%s,%s}`, id, encodeFile(robots, false).body, encodeQuestion(probe.Agent, []string{probe.URL}))
}

// members returns the members of v's JSON object, without the braces. Marshal
// escapes U+2028 and U+2029, at which some line readers would cut the line in
// two.
func members(v any) []byte {
	object, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot happen: v has only strings and bytes
	}
	return object[1 : len(object)-1]
}
