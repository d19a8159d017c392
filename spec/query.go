package spec

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
)

// A Verdict is what a subject says of one URL.
//
// Allow, Disallow, Reject and Unsupported are answers of the subject; Crash,
// Timeout and ProtocolError are said by the harness about a subject that gave
// none.
type Verdict string

const (
	// Allow: the crawler may fetch the URL.
	Allow Verdict = "allow"
	// Disallow: the crawler must not fetch the URL.
	Disallow Verdict = "disallow"
	// Reject: the subject refused the file or the URL with an error of its own.
	Reject Verdict = "reject"
	// Unsupported: the subject cannot be asked this (an agent or URL form that
	// its interface has no room for). It counts as skipped, not as failed.
	Unsupported Verdict = "unsupported"

	// Crash: the subject panicked or its process died on this query.
	Crash Verdict = "crash"
	// Timeout: the subject gave no answer in the time allowed.
	Timeout Verdict = "timeout"
	// ProtocolError: the subject's process broke the adapter protocol.
	ProtocolError Verdict = "protocol-error"
)

// Verdicts lists all verdicts, those of subjects first.
var Verdicts = []Verdict{Allow, Disallow, Reject, Unsupported, Crash, Timeout, ProtocolError}

// Valid reports whether v is one of Verdicts.
func (v Verdict) Valid() bool {
	for _, w := range Verdicts {
		if v == w {
			return true
		}
	}
	return false
}

// Decided reports whether v says if the URL may be fetched.
func (v Verdict) Decided() bool { return v == Allow || v == Disallow }

// A Probe is one question about a robots.txt file: may Agent fetch URL?
//
// Agent is a product token (RFC 9309 section 2.2.1), though a case may hold
// anything a caller could pass. URL is absolute.
type Probe struct {
	Agent string `json:"agent"`
	URL   string `json:"url"`
}

// An Answer is what a subject said to a probe.
type Answer struct {
	Verdict Verdict `json:"verdict"`
	// Line is the 1-based line of the deciding rule; 0 if no rule decided or
	// the subject does not tell.
	Line int `json:"line,omitempty"`
	// Pattern is the deciding rule's path as the subject reports it (in octet
	// notation once it stands in a result); empty like Line.
	Pattern string `json:"pattern,omitempty"`
	// Slow: the answer came only when the harness asked a second time, alone and
	// with a longer limit, because the first time it did not come in time. It
	// counts like any other.
	Slow bool `json:"slow,omitempty"`
	// Detail explains every verdict but Allow and Disallow: the subject's
	// error, the panic, the time that ran out.
	Detail string `json:"detail,omitempty"`
}

// SubjectInfo identifies a parser.
type SubjectInfo struct {
	// Name is unique in a run; see [CheckName]: "temoto".
	Name string `json:"name"`
	// Package is what a package manager calls it: "github.com/temoto/robotstxt".
	Package string `json:"package,omitempty"`
	// Version is exact: "v1.1.2".
	Version string `json:"version,omitempty"`
	// Language is lower-case: "go", "python".
	Language string `json:"language,omitempty"`
	// Lineage names the code base it descends from; subjects of one lineage
	// count once when votes are counted. Empty means independent.
	Lineage string `json:"lineage,omitempty"`
	// Features are optional abilities: "line" (reports the deciding line),
	// "time" (reports the time spent inside the library).
	Features []string `json:"features,omitempty"`
}

// Allowed returns the answer of a subject that says no more than whether the URL
// is allowed.
func Allowed(allowed bool) Answer {
	if allowed {
		return Answer{Verdict: Allow}
	}
	return Answer{Verdict: Disallow}
}

// A Query is one question about one robots.txt file.
type Query struct {
	Robots []byte
	Probe
}

// Lines returns how many lines the file has; CR, LF and CRLF end one.
func (q Query) Lines() int {
	n := bytes.Count(q.Robots, []byte("\n")) + bytes.Count(q.Robots, []byte("\r")) - bytes.Count(q.Robots, []byte("\r\n"))
	if last := len(q.Robots) - 1; last >= 0 && q.Robots[last] != '\n' && q.Robots[last] != '\r' {
		n++
	}
	return n
}

// Octets returns the octets of the file, the agent and the URL together.
func (q Query) Octets() int { return len(q.Robots) + len(q.Agent) + len(q.URL) }

// Compare orders queries by how much there is to read: by lines, then by octets,
// and those of one size by the values of their octets, so that the least of many
// does not depend on the order in which they come.
func (q Query) Compare(r Query) int {
	return cmp.Or(
		cmp.Compare(q.Lines(), r.Lines()),
		cmp.Compare(q.Octets(), r.Octets()),
		bytes.Compare(q.Robots, r.Robots),
		cmp.Compare(q.Agent, r.Agent),
		cmp.Compare(q.URL, r.URL),
	)
}

// DecodeQuery reads a query as it is written in results: the file in base64,
// agent and URL in octet notation.
func DecodeQuery(robotsB64, agent, url string) (q Query, err error) {
	if q.Robots, err = base64.StdEncoding.DecodeString(robotsB64); err != nil {
		return q, fmt.Errorf("robots_b64: %w", err)
	}
	name, err := DecodeOctets(agent)
	if err != nil {
		return q, fmt.Errorf("agent: %w", err)
	}
	target, err := DecodeOctets(url)
	if err != nil {
		return q, fmt.Errorf("url: %w", err)
	}
	q.Probe = Probe{Agent: string(name), URL: string(target)}
	return q, nil
}
