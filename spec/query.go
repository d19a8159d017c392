package spec

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
)

// A Verdict is the result of one query.
//
// Allow, Disallow, Reject and Unsupported are answers of the subject. Crash, Timeout
// and ProtocolError are set by the harness if the subject gave no answer.
type Verdict string

const (
	// Allow: the crawler may fetch the URL.
	Allow Verdict = "allow"
	// Disallow: the crawler must not fetch the URL.
	Disallow Verdict = "disallow"
	// Reject: the subject refused the file or the URL with an error of its own.
	Reject Verdict = "reject"
	// Unsupported: the subject's interface cannot express the query, for example a
	// form of agent or URL. It counts as skipped, not as failed.
	Unsupported Verdict = "unsupported"

	// Crash: the subject panicked or its process died on this query.
	Crash Verdict = "crash"
	// Timeout: the subject gave no answer within the time limit.
	Timeout Verdict = "timeout"
	// ProtocolError: the subject's process broke the adapter protocol.
	ProtocolError Verdict = "protocol-error"
)

// Verdicts lists all verdicts, beginning with the answers of subjects.
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

// Decided reports whether v is Allow or Disallow.
func (v Verdict) Decided() bool { return v == Allow || v == Disallow }

// Answered reports whether v is Allow, Disallow or Reject: the subject answered the
// query.
func (v Verdict) Answered() bool { return v.Decided() || v == Reject }

// A Probe is one query about a robots.txt file: may Agent fetch URL?
//
// Agent is a product token (RFC 9309 section 2.2.1), though a case may use anything
// that a caller could pass. URL is absolute.
type Probe struct {
	Agent string `json:"agent"`
	URL   string `json:"url"`
}

// An Answer is the answer of a subject to a probe.
type Answer struct {
	Verdict Verdict `json:"verdict"`
	// Line is the 1-based line of the deciding rule; 0 if no rule decided or the
	// subject does not report it.
	Line int `json:"line,omitempty"`
	// Pattern is the deciding rule's path as the subject reports it; empty where
	// Line is 0. In a result it is in octet notation.
	Pattern string `json:"pattern,omitempty"`
	// Slow reports whether the first attempt timed out, and this is the answer to a
	// second attempt, in which the query was sent alone and with a longer limit. It
	// counts like any other answer.
	Slow bool `json:"slow,omitempty"`
	// Detail explains verdicts other than Allow and Disallow. It is, for example,
	// the subject's error, the panic or the time limit.
	Detail string `json:"detail,omitempty"`
}

// SubjectInfo identifies a parser.
type SubjectInfo struct {
	// Name is unique in a run; see [CheckName]: "temoto".
	Name string `json:"name"`
	// Package is its name in the package manager: "github.com/temoto/robotstxt".
	Package string `json:"package,omitempty"`
	// Version is exact: "v1.1.2".
	Version string `json:"version,omitempty"`
	// Language is lower-case: "go", "python".
	Language string `json:"language,omitempty"`
	// Lineage names the code base that it descends from. Subjects of one lineage
	// have one vote together. Empty means independent.
	Lineage string `json:"lineage,omitempty"`
	// Features are optional abilities: "line" (reports the deciding line),
	// "time" (reports the time spent inside the library).
	Features []string `json:"features,omitempty"`
}

// Allowed returns the answer of a subject that only reports whether the URL is
// allowed.
func Allowed(allowed bool) Answer {
	if allowed {
		return Answer{Verdict: Allow}
	}
	return Answer{Verdict: Disallow}
}

// A Query is one robots.txt file with one probe.
type Query struct {
	Robots []byte
	Probe
}

// Lines returns the number of lines of the file. CR, LF and CRLF end a line.
func (q Query) Lines() int {
	n := bytes.Count(q.Robots, []byte("\n")) + bytes.Count(q.Robots, []byte("\r")) - bytes.Count(q.Robots, []byte("\r\n"))
	if last := len(q.Robots) - 1; last >= 0 && q.Robots[last] != '\n' && q.Robots[last] != '\r' {
		n++
	}
	return n
}

// Octets returns the total number of octets of the file, the agent and the URL.
func (q Query) Octets() int { return len(q.Robots) + len(q.Agent) + len(q.URL) }

// Compare orders queries by size: by lines, then by octets. Queries of the same size
// are ordered by the values of their octets, so that the minimum of many queries
// does not depend on their order.
func (q Query) Compare(r Query) int {
	return cmp.Or(
		cmp.Compare(q.Lines(), r.Lines()),
		cmp.Compare(q.Octets(), r.Octets()),
		bytes.Compare(q.Robots, r.Robots),
		cmp.Compare(q.Agent, r.Agent),
		cmp.Compare(q.URL, r.URL),
	)
}

// DecodeQuery decodes a query from its form in results: the file in base64, agent
// and URL in octet notation.
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
