package access

import (
	"context"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// The names of the main server and of the one that speaks HTTPS.
const (
	mainServer = "main"
	tlsServer  = "tls"
)

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
