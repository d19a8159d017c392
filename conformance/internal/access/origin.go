// Package access runs the scenarios of access over HTTP ([spec.Scenario]).
//
// An [Origin] is the servers of one run of one scenario, with a log of all requests.
// [Findings] reports what a log shows that no scenario asks for, such as redirects that
// are followed without end.
package access

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// ErrNoIPv6 is the error of Open if the scenario needs IPv6 and the machine has none.
var ErrNoIPv6 = errors.New("this machine has no IPv6 loopback address")

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
