package access

import (
	"fmt"
	"html"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/repcheck/repcheck/spec"
)

const robotsTxt = "/robots.txt"

// A Request is an entry of the log: a request to one of the servers, or a connection on
// which no valid request came. Long values are cut.
type Request struct {
	At     time.Duration `json:"at_ns"` // since Open
	Step   int           `json:"step"`  // index of the step
	Server string        `json:"server"`
	// Method is empty if no request came before the connection ended. Then Status is
	// 400 if something else came.
	Method string `json:"method"`
	// Target is the path and query as sent.
	Target         string `json:"target"`
	Host           string `json:"host"`
	UserAgent      string `json:"user_agent"`
	AcceptEncoding string `json:"accept_encoding"`
	Proto          string `json:"proto"`
	// Status is that of the response, 0 if it has none.
	Status int `json:"status"`
	// Fault is that of the response, one of spec.Faults, or empty.
	Fault string `json:"fault,omitempty"`
}

// Log returns the requests until now in the order in which they arrived. A connection
// without a request is logged when it ends.
func (o *Origin) Log() []Request {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.log)
}

// Exceeded names the limit that the crawler reached: "requests", "connections" or
// "bytes". It is empty if there is none, and begins with "ports" if a server could not
// listen again after a step in which it refused connections.
func (o *Origin) Exceeded() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.exceeded
}

// exceed keeps the first limit that was reached, but the one of requests goes first,
// because a single endless response reaches that of bytes. The caller holds o.mu.
func (o *Origin) exceed(what string) {
	if o.exceeded == "" || what == "requests" {
		o.exceeded = what
	}
}

// choose returns the response to a request and logs both. It returns nil if no more
// requests are answered.
func (o *Origin) choose(s *server, req *http.Request) *reply {
	o.mu.Lock()
	defer o.mu.Unlock()
	target := req.RequestURI
	if req.URL.IsAbs() { // as sent to a proxy
		target = req.URL.RequestURI()
	}
	r := o.fitting(s, target)
	entry := Request{
		Server: s.name, Method: cut(req.Method), Target: cut(target), Host: cut(req.Host),
		UserAgent: cut(req.UserAgent()), AcceptEncoding: cut(strings.Join(req.Header.Values("Accept-Encoding"), ", ")),
		Proto: req.Proto, Fault: r.Fault,
	}
	if r.answers() {
		entry.Status = r.Status
	}
	if !o.record(entry) {
		return nil
	}
	return r
}

func (o *Origin) fitting(s *server, target string) *reply {
	if o.step < len(o.steps) {
		for i, r := range o.steps[o.step] {
			if r.Server == s.name && r.Target == target && (r.Times == 0 || o.used[i] < r.Times) {
				o.used[i]++
				return r
			}
		}
	}
	page := &spec.Response{Server: s.name, Target: target, Status: http.StatusOK}
	if target == robotsTxt {
		page.Status = http.StatusNotFound
		return plainReply(page, "There is no such file.\n")
	}
	var links strings.Builder
	if target == "/" && s.name == mainServer {
		for _, link := range o.links {
			fmt.Fprintf(&links, "<p><a href=\"%s\">%[1]s</a></p>\n", html.EscapeString(link))
		}
	}
	title := html.EscapeString(s.name + " " + target)
	return plainReply(page, fmt.Sprintf("<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>%s</title></head>\n<body>\n<h1>%[1]s</h1>\n%s</body>\n</html>\n", title, links.String()))
}

// record appends to the log, and reports whether the limit of requests allows it. The
// caller holds o.mu.
func (o *Origin) record(r Request) bool {
	if len(o.log) >= o.limits.Requests {
		o.exceed("requests")
		return false
	}
	r.At, r.Step = time.Since(o.start), o.step
	o.log = append(o.log, r)
	return true
}

// cut bounds the memory of the log. It copies, because the values of a request are parts
// of its whole head.
func cut(s string) string { return strings.Clone(s[:min(len(s), 2000)]) }

// now is the time of the scenario, for the Date header: that of the machine, and the
// time that the steps say has passed. A client whose clock was moved to the step computes
// the age of the response from it.
func (o *Origin) now() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	var after time.Duration
	if o.step < len(o.after) {
		after = o.after[o.step]
	}
	return time.Now().Add(after)
}
