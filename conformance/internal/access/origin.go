// Package access runs the scenarios of access over HTTP ([spec.Scenario]).
//
// An [Origin] is the servers of one run of one scenario, with a log of all requests.
// What a crawler did there is an [Observation]. [Judge] compares it with the scenario,
// and [Findings] reports what no scenario asks for, such as redirects that are followed
// without end.
package access

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// ErrNoIPv6 is the error of Open if the scenario needs IPv6 and the machine has none.
var ErrNoIPv6 = errors.New("this machine has no IPv6 loopback address")

// The names of the main server and of the one that speaks HTTPS.
const (
	mainServer = "main"
	tlsServer  = "tls"
)

const robotsTxt = "/robots.txt"

// Limits protect the machine against a crawler. The zero value of a field is its
// default.
type Limits struct {
	// Bytes is the size of the body of one response, or of its endless headers, 8 MiB by
	// default. A longer one is cut.
	Bytes int64
	// Idle is how long a connection stays open if nothing arrives, is silent on purpose,
	// or drips, 10 seconds by default.
	Idle time.Duration
	// Connections is how many may be open at the same time, 256 by default. Further
	// ones are closed at once.
	Connections int
	// Requests is how many are logged and answered, 10,000 by default. After that,
	// all connections are closed.
	Requests int
}

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

// An Origin is the servers of one run of a scenario. Its methods may be called at the
// same time.
type Origin struct {
	start  time.Time
	limits Limits
	after  []time.Duration // of each step, since the first
	steps  [][]*reply
	ca     *authority // nil without a tls server

	mu       sync.Mutex
	servers  map[string]*server
	step     int
	used     []int // how often each response of the step was sent
	links    []string
	log      []Request
	conns    map[net.Conn]*server
	exceeded string
	closed   bool
	running  sync.WaitGroup // goroutines of listeners and connections
}

// A server is one authority of an origin.
type server struct {
	name   string
	origin string // "http://127.0.0.1:1234"
	addr   string
	// listener is nil while the server refuses connections.
	listener net.Listener
	// held are the two ends of a connection that keeps the port of a server that
	// refuses in some step: the system gives the port to no other process.
	held []net.Conn
}

// Open starts the servers that the scenario names, main always, each on a port of its
// own on a loopback address. They do what the first step says.
func Open(s *spec.Scenario, limits Limits) (*Origin, error) {
	limits.Bytes = cmp.Or(limits.Bytes, 8<<20)
	limits.Idle = cmp.Or(limits.Idle, 10*time.Second)
	limits.Connections = cmp.Or(limits.Connections, 256)
	limits.Requests = cmp.Or(limits.Requests, 10_000)
	o := &Origin{
		start: time.Now(), limits: limits,
		servers: map[string]*server{}, conns: map[net.Conn]*server{},
	}
	if err := o.open(s); err != nil {
		o.Close()
		return nil, fmt.Errorf("scenario %s: %w", s.ID, err)
	}
	o.SetStep(0)
	return o, nil
}

func (o *Origin) open(s *spec.Scenario) error {
	other := "localhost"
	for _, name := range spec.Servers {
		if !mentions(s, name) {
			continue
		}
		scheme, host, addr := "http", "127.0.0.1", "127.0.0.1:0"
		switch name {
		case "other", "third":
			if other == "localhost" && !localhost() {
				other = host
			}
			host = other
		case tlsServer:
			scheme = "https"
			var err error
			if o.ca, err = newAuthority(); err != nil {
				return err
			}
		case "v6":
			host, addr = "[::1]", "[::1]:0"
		}
		l, err := net.Listen("tcp", addr)
		if err != nil && name == "v6" {
			err = fmt.Errorf("%w: %w", ErrNoIPv6, err)
		}
		if err != nil {
			return err
		}
		srv := &server{name: name, addr: l.Addr().String()}
		srv.origin = fmt.Sprintf("%s://%s:%d", scheme, host, l.Addr().(*net.TCPAddr).Port)
		o.servers[name] = srv
		if !slices.ContainsFunc(s.Steps, func(step spec.Step) bool { return refuses(&step, name) }) {
			o.mu.Lock()
			o.listen(srv, l)
			o.mu.Unlock()
			continue
		}
		err = srv.hold(l)
		l.Close()
		if err != nil {
			return err
		}
	}
	var after time.Duration
	for i := range s.Steps {
		after += s.Steps[i].After
		o.after = append(o.after, after)
		var replies []*reply
		for k := range s.Steps[i].Serve {
			r, err := newReply(&s.Steps[i].Serve[k], o.expand)
			if err != nil {
				return err
			}
			replies = append(replies, r)
		}
		o.steps = append(o.steps, replies)
	}
	return nil
}

// mentions reports whether the scenario needs the server.
func mentions(s *spec.Scenario, name string) bool {
	in := func(text string) bool { return strings.Contains(text, "{"+name+"}") }
	for i := range s.Steps {
		step := &s.Steps[i]
		if slices.ContainsFunc(step.Serve, func(r spec.Response) bool {
			for _, value := range r.Headers {
				if in(value) {
					return true
				}
			}
			return r.Server == name || in(string(r.Body))
		}) ||
			slices.ContainsFunc(step.Expect, func(e spec.Expectation) bool { return in(e.URL) }) ||
			slices.ContainsFunc(step.Requests, func(c spec.RequestCount) bool { return c.Server == name }) {
			return true
		}
	}
	return name == mainServer
}

// refuses reports whether nothing listens at the address of the server in the step.
func refuses(step *spec.Step, name string) bool {
	return slices.ContainsFunc(step.Serve, func(r spec.Response) bool { return r.Server == name && r.Fault == "refuse" })
}

// localhost reports whether the name localhost is 127.0.0.1 here.
func localhost() bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupHost(ctx, "localhost")
	return err == nil && slices.Contains(addrs, "127.0.0.1")
}

// hold keeps the port of l in use when l is closed.
func (s *server) hold(l net.Listener) error {
	client, err := net.Dial("tcp", s.addr)
	if err != nil {
		return err
	}
	s.held = append(s.held, client)
	accepted, err := l.Accept()
	if err != nil {
		return err
	}
	s.held = append(s.held, accepted)
	return nil
}

// Close closes all listeners and connections, and waits for what serves them. The log
// can still be read.
func (o *Origin) Close() {
	o.mu.Lock()
	o.closed = true
	for _, s := range o.servers {
		if s.listener != nil {
			s.listener.Close()
		}
		for _, c := range s.held {
			c.Close()
		}
	}
	for c := range o.conns {
		c.Close()
	}
	o.mu.Unlock()
	o.running.Wait()
}

// URL returns the absolute form of a URL as scenarios write it: "/a" is a path on the
// main server, and "{other}/a" one on the server other. Absolute URLs are unchanged.
func (o *Origin) URL(text string) string {
	if strings.HasPrefix(text, "/") {
		return o.servers[mainServer].origin + text
	}
	for name, s := range o.servers {
		if rest, ok := strings.CutPrefix(text, "{"+name+"}"); ok {
			return s.origin + rest
		}
	}
	return text
}

// expand replaces all names of servers in braces by their origins.
func (o *Origin) expand(text string) string {
	for name, s := range o.servers {
		text = strings.ReplaceAll(text, "{"+name+"}", s.origin)
	}
	return text
}

// SetStep lets the servers do what the step with index n says. The counts of
// spec.Response.Times begin again.
func (o *Origin) SetStep(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.step = n
	o.used = nil
	if n < len(o.steps) {
		o.used = make([]int, len(o.steps[n]))
	}
	for _, s := range o.servers {
		refuse := n < len(o.steps) && slices.ContainsFunc(o.steps[n], func(r *reply) bool { return r.Server == s.name && r.Fault == "refuse" })
		switch {
		case refuse && s.listener != nil:
			s.listener.Close()
			s.listener = nil
			for c, of := range o.conns {
				if of == s {
					c.Close()
				}
			}
		case !refuse && s.listener == nil && !o.closed:
			l, err := net.Listen("tcp", s.addr)
			if err != nil {
				o.exceed("ports: " + err.Error())
				continue
			}
			o.listen(s, l)
		}
	}
}

// Links sets the absolute URLs that the page "/" of the main server links, so that a
// crawler finds them.
func (o *Origin) Links(pages []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.links = slices.Clone(pages)
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

// RootCAs returns the certificate authority of the tls server, nil if the scenario has
// no such server.
func (o *Origin) RootCAs() *x509.CertPool {
	if o.ca == nil {
		return nil
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(o.ca.pem)
	return pool
}

// CAFile writes the certificate authority of the tls server to a PEM file in the folder
// and returns its name. If the scenario has no such server, it writes nothing and returns
// an empty name.
func (o *Origin) CAFile(dir string) (string, error) {
	if o.ca == nil {
		return "", nil
	}
	name := filepath.Join(dir, "ca.pem")
	return name, os.WriteFile(name, o.ca.pem, 0o644)
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
// time that the steps say has passed. A client with a moved clock would take another
// one for the age of the response.
func (o *Origin) now() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	var after time.Duration
	if o.step < len(o.after) {
		after = o.after[o.step]
	}
	return time.Now().Add(after)
}
