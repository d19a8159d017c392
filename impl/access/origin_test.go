package access_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/repcheck/repcheck/impl/access"
)

// start is the time of every clock at the beginning.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// A clock shows the time that a test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: start} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// at sets the time to d after the start.
func (c *clock) at(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = start.Add(d)
}

// privateRules closes /private, and only that.
const privateRules = "User-agent: *\nDisallow: /private\n"

// An origin is a server whose handler a test can replace at any time. It logs the
// requests.
type origin struct {
	*httptest.Server
	mu      sync.Mutex
	handler http.HandlerFunc
	log     []*http.Request
}

func newOrigin(t testing.TB, handler http.HandlerFunc) *origin {
	o := &origin{handler: handler}
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		o.log = append(o.log, r)
		handler := o.handler
		o.mu.Unlock()
		handler(w, r)
	}))
	t.Cleanup(o.Close)
	return o
}

func (o *origin) serve(handler http.HandlerFunc) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.handler = handler
}

func (o *origin) requests() []*http.Request {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.log
}

// status answers with a status and a body; header is a list of names and values.
func status(code int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		for i := 0; i < len(header); i += 2 {
			w.Header().Add(header[i], header[i+1])
		}
		w.WriteHeader(code)
		if code != http.StatusNoContent && code != http.StatusNotModified {
			io.WriteString(w, body)
		}
	}
}

// redirects redirects n times before it answers with the rules.
func redirects(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var hop int
		fmt.Sscanf(r.URL.RawQuery, "%d", &hop)
		if hop == n {
			io.WriteString(w, privateRules)
			return
		}
		http.Redirect(w, r, fmt.Sprintf("/robots.txt?%d", hop+1), http.StatusFound)
	}
}

// raw starts a server that runs serve on every connection after it read a request,
// and returns its URL.
func raw(t testing.TB, serve func(net.Conn)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var connections sync.WaitGroup
	connections.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			connections.Go(func() {
				defer conn.Close()
				var request []byte
				for buffer := make([]byte, 1024); !bytes.Contains(request, []byte("\r\n\r\n")); {
					n, err := conn.Read(buffer)
					if err != nil {
						return
					}
					request = append(request, buffer[:n]...)
				}
				serve(conn)
			})
		}
	})
	t.Cleanup(func() { l.Close(); connections.Wait() })
	return "http://" + l.Addr().String()
}

// answer serves fixed octets on a raw connection.
func answer(text string) func(net.Conn) {
	return func(conn net.Conn) { io.WriteString(conn, text) }
}

func allowed(t testing.TB, f *access.Fetcher, url string) access.Decision {
	t.Helper()
	d, err := f.Allowed(t.Context(), "ExampleBot", url)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// verdict returns "allow rules", "disallow unreachable" or "no verdict".
func verdict(t testing.TB, f *access.Fetcher, url string) string {
	t.Helper()
	d, err := f.Allowed(context.Background(), "ExampleBot", url)
	switch {
	case errors.Is(err, access.ErrNoVerdict) && !d.Allow:
		return "no verdict"
	case err != nil:
		t.Fatal(err)
	case d.Allow:
		return "allow " + d.Reason.String()
	}
	return "disallow " + d.Reason.String()
}

func policy(t testing.TB, choices ...string) access.Policy {
	t.Helper()
	var p access.Policy
	for _, choice := range choices {
		if err := p.Set(choice); err != nil {
			t.Fatal(err)
		}
	}
	return p
}
