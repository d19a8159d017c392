package spec

import (
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// A Scenario tests the access to a robots.txt file over HTTP: what the servers of a
// site do, and which of its pages a crawler may fetch then.
//
// Like a case, a scenario judges, and then has Requirements and a Level, or it
// classifies a Point.
type Scenario struct {
	// ID is permanent and never reused: "status/500".
	ID string `json:"id"`
	// Section is the section of RFC 9309 that the scenario belongs to, "2.3.1.4".
	Section      string   `json:"section"`
	Requirements []string `json:"requirements,omitempty"`
	Level        Level    `json:"level,omitempty"`
	Point        string   `json:"point,omitempty"`
	// Rationale gives the reason for the verdicts in one sentence.
	Rationale string `json:"rationale"`
	// Requires are the IDs of scenarios that a crawler must pass before this one says
	// anything about it.
	Requires []string `json:"requires,omitempty"`
	// Steps follow each other in time.
	Steps []Step `json:"steps"`
	// Pos is the position of the scenario, "spec/cases/access/status.yaml:12".
	Pos string `json:"-"`
}

// Classifies reports whether s classifies a point.
func (s *Scenario) Classifies() bool { return s.Point != "" }

// A Step is one moment of a scenario.
type Step struct {
	// After is the time since the step before.
	After time.Duration `json:"after,omitempty"`
	// Serve is what the servers do. A request gets the first response that fits it; if
	// none does, /robots.txt gets 404, and any other target a page.
	Serve []Response `json:"serve"`
	// Expect are the pages that the crawler is asked about. Their URLs are paths on the
	// main server, or begin with the name of a server in braces: "{other}/a.html".
	Expect []Expectation `json:"-"`
	// Requests are what the servers must see, or must not see.
	Requests []RequestCount `json:"requests,omitempty"`
}

// Servers are the names of the servers of a scenario. Each has an authority of its own:
// main is the site; other and third are further ones on the same address, tls speaks
// HTTPS, and v6 is on the loopback address of IPv6.
var Servers = []string{"main", "other", "third", "tls", "v6"}

// A Response is what a server does on a request.
type Response struct {
	// Server is one of Servers.
	Server string `json:"server"`
	// Target is the path and query of the requests that get the response.
	Target string `json:"target"`
	// Times is how many requests get the response, before the next one that fits is
	// used; 0 is all.
	Times int `json:"times,omitempty"`
	// Status is that of HTTP, 200 if not given.
	Status int `json:"status"`
	// Headers are sent as they are, beside Content-Type (text/plain for /robots.txt, if
	// not given) and the framing. A name of a server in braces is replaced by its origin:
	// "{other}/robots.txt".
	Headers map[string]string `json:"headers,omitempty"`
	// Body is sent with a Content-Length, or in chunks. Names of servers in it are
	// replaced too.
	Body []byte `json:"body_b64,omitempty"`
	// Encoding compresses the body: gzip, deflate or br. The header says so, unless
	// Headers has another Content-Encoding.
	Encoding string `json:"encoding,omitempty"`
	// Fault is one of Faults, or empty.
	Fault string `json:"fault,omitempty"`
}

// Faults are what may go wrong with a response.
var Faults = []string{
	"refuse",          // nothing listens at the server's address
	"reset",           // the connection is reset when the request has come
	"close",           // the connection is closed when the request has come
	"silent",          // no answer comes, and the connection stays open
	"close-in-body",   // the connection is closed after half of the body
	"reset-in-body",   // the connection is reset after half of the body
	"silent-in-body",  // after half of the body nothing more comes
	"drip",            // the body comes an octet each second
	"garbage",         // the answer is not HTTP
	"chunked",         // no fault: the body comes in chunks
	"bad-chunk",       // the second chunk has no valid length
	"http-1.0",        // no fault: HTTP/1.0, and the end of the body is that of the connection
	"longer-length",   // Content-Length is 100 more than the body, and the connection is closed
	"shorter-length",  // Content-Length is half of the body
	"endless",         // the body is repeated without end
	"endless-headers", // headers are sent without end
}

// A RequestCount bounds how many requests for a target a server may see in a step.
type RequestCount struct {
	Server string `json:"server"`
	Target string `json:"target"`
	Least  int    `json:"least,omitempty"`
	// Most is -1 if there is no limit.
	Most int `json:"most"`
	// Under are the interpretations that demand it; none means RFC 9309 and those
	// that inherit its verdicts.
	Under []string `json:"under,omitempty"`
}

// Answer returns Allow if the target was requested and should have been, or as often as
// it may be, and Disallow otherwise: the answer to the query of [Scenario.Case].
func (c *RequestCount) Answer(n int) Answer {
	right := n >= c.Least && (c.Most < 0 || n <= c.Most)
	a := Allowed(right == (c.Least > 0))
	a.Detail = fmt.Sprintf("%d requests", n)
	return a
}

// SplitPage returns the server and the target of the URL of a page: "{other}/a" is
// other and /a, and "/a" is main and /a.
func SplitPage(url string) (server, target string) {
	if name, rest, ok := strings.Cut(strings.TrimPrefix(url, "{"), "}"); ok && strings.HasPrefix(url, "{") {
		return name, rest
	}
	return Servers[0], url
}

// Case returns the scenario as a case, whose file is the first one that the site
// serves. A query about a later step ends in the time since the first one:
// "/a.html@25h0m0s". A count of requests is a query too, "requests:/robots.txt": it is
// allowed if there have to be some.
func (s *Scenario) Case() Case {
	c := Case{ID: s.ID, Section: s.Section, Requirements: s.Requirements, Level: s.Level, Point: s.Point, Rationale: s.Rationale, Pos: s.Pos}
	since := time.Duration(0)
	for i, step := range s.Steps {
		since += step.After
		when := ""
		if i > 0 {
			when = "@" + since.String()
		}
		agent := defaultAgent
		for _, a := range step.Serve {
			if i == 0 && c.Robots == nil && a.Server == Servers[0] && a.Target == "/robots.txt" {
				c.Robots = a.Body
			}
		}
		for _, e := range step.Expect {
			agent = e.Agent
			e.URL += when
			c.Expect = append(c.Expect, e)
		}
		for _, n := range step.Requests {
			target := n.Target
			if n.Server != Servers[0] {
				target = "{" + n.Server + "}" + target
			}
			want := Expectation{Probe: Probe{Agent: agent, URL: "requests:" + target + when}, Verdict: Allowed(n.Least > 0).Verdict}
			for _, name := range n.Under {
				if want.Under == nil {
					want.Under = map[string]Verdict{}
				}
				want.Under[name] = want.Verdict
			}
			if n.Under != nil {
				want.Verdict = ""
			}
			c.Expect = append(c.Expect, want)
		}
	}
	return c
}

// Expectations returns the expectations of all steps, as they are written.
func (s *Scenario) Expectations() []Expectation {
	var all []Expectation
	for i := range s.Steps {
		all = append(all, s.Steps[i].Expect...)
	}
	return all
}

// Access returns the data with the scenarios as cases, in place of the cases.
func (d *Data) Access() *Data {
	a := &Data{Requirements: d.Requirements, Points: d.Points, Scenarios: d.Scenarios, Hash: d.accessHash}
	for i := range d.Scenarios {
		a.Cases = append(a.Cases, d.Scenarios[i].Case())
	}
	a.index()
	return a
}

// Scenario returns the scenario with the ID, or nil.
func (d *Data) Scenario(id string) *Scenario {
	for i := range d.Scenarios {
		if d.Scenarios[i].ID == id {
			return &d.Scenarios[i]
		}
	}
	return nil
}

func loadScenarios(d *Data, r *reader, root *yaml.Node) {
	loadSection(r, root, "a scenario file", "scenarios", func(n *yaml.Node, section string) {
		d.Scenarios = append(d.Scenarios, loadScenario(r, n, section))
	})
}

// loadScenario reads a scenario. One with a single step may have the keys of the step
// itself.
func loadScenario(r *reader, n *yaml.Node, section string) Scenario {
	s := Scenario{Section: section, Pos: r.pos(n)}
	var level string
	agent := []byte(defaultAgent)
	var only Step
	known := stepFields(r, &only, &agent)
	single := false
	for key, read := range known {
		known[key] = func(n *yaml.Node) { single = true; read(n) }
	}
	for key, read := range (fields{
		"id":           r.text(&s.ID, "id"),
		"section":      r.text(&s.Section, "section"),
		"requirements": r.texts(&s.Requirements, "requirements"),
		"level":        r.oneOf(&level, "level of a scenario", []string{string(Must), string(Text), string(Should), string(May)}),
		"point":        r.text(&s.Point, "point"),
		"rationale":    r.text(&s.Rationale, "rationale"),
		"requires":     r.texts(&s.Requires, "requires"),
		"agent":        func(n *yaml.Node) { agent = nil; r.octets(&agent, "agent")(n) },
		"steps": func(n *yaml.Node) {
			r.sequence(n, "steps", func(n *yaml.Node) {
				var step Step
				r.mapping(n, "a step", stepFields(r, &step, &agent))
				s.Steps = append(s.Steps, step)
			})
		},
	}) {
		known[key] = read
	}
	r.mapping(n, "a scenario", known)
	s.Level = Level(level)
	switch {
	case single && s.Steps != nil:
		r.fail(n, "the scenario has steps, so serve, expect and requests belong into these")
	case single:
		s.Steps = []Step{only}
	case s.Steps == nil:
		r.fail(n, "the scenario expects nothing: give serve and expect, or steps")
	}
	return s
}

func stepFields(r *reader, step *Step, agent *[]byte) fields {
	return fields{
		"after": func(n *yaml.Node) {
			after, err := time.ParseDuration(n.Value)
			if err != nil || after <= 0 {
				r.fail(n, "%q is no time like 25h", n.Value)
			}
			step.After = after
		},
		"serve": func(n *yaml.Node) {
			r.sequence(n, "serve", func(n *yaml.Node) { step.Serve = append(step.Serve, loadResponse(r, n)) })
		},
		"expect": func(n *yaml.Node) {
			r.sequence(n, "expect", func(n *yaml.Node) {
				e := loadExpectation(r, n, string(*agent))
				e.URL = strings.TrimPrefix(e.URL, Origin) // the origin is known when the servers run
				step.Expect = append(step.Expect, e)
			})
		},
		"requests": func(n *yaml.Node) {
			r.sequence(n, "requests", func(n *yaml.Node) {
				c := RequestCount{Server: Servers[0], Most: -1}
				r.mapping(n, "a count of requests", fields{
					"server": r.oneOf(&c.Server, "server", Servers),
					"target": r.text(&c.Target, "target"),
					"least":  r.number(&c.Least, "least"),
					"under": func(n *yaml.Node) {
						r.sequence(n, "under", func(n *yaml.Node) {
							var name string
							r.oneOf(&name, "interpretation", Interpretations)(n)
							c.Under = append(c.Under, name)
						})
					},
					"most": func(n *yaml.Node) {
						c.Most = 0
						if n.Value != "0" {
							r.number(&c.Most, "most")(n)
						}
					},
				})
				step.Requests = append(step.Requests, c)
			})
		},
	}
}

func loadResponse(r *reader, n *yaml.Node) Response {
	a := Response{Server: Servers[0], Target: "/robots.txt", Status: 200}
	r.mapping(n, "a response", fields{
		"server": r.oneOf(&a.Server, "server", Servers),
		"target": r.text(&a.Target, "target"),
		"times":  r.number(&a.Times, "times"),
		"status": r.number(&a.Status, "status"),
		"headers": func(n *yaml.Node) {
			a.Headers = map[string]string{}
			known := fields{}
			for i := 0; i+1 < len(n.Content); i += 2 {
				name := n.Content[i].Value
				known[name] = func(n *yaml.Node) { a.Headers[name] = n.Value }
			}
			r.mapping(n, "headers", known)
		},
		"body":     r.octets(&a.Body, "body"),
		"encoding": r.oneOf(&a.Encoding, "encoding", []string{"gzip", "deflate", "br"}),
		"fault":    r.oneOf(&a.Fault, "fault", Faults),
	})
	return a
}
