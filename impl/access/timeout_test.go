package access_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/repcheck/repcheck/impl/access"
)

// TestTimeout: with a slow server there is a decision when the time is over, and no
// goroutine is left. The time is simulated; synctest.Test fails if a goroutine of the
// test does not end.
func TestTimeout(t *testing.T) {
	t.Parallel()
	silent := func(conn net.Conn) { io.Copy(io.Discard, conn) }
	drip := func(text string) func(net.Conn) {
		return func(conn net.Conn) {
			conn.Read(make([]byte, 4096)) // the request
			go silent(conn)
			for i := range len(text) {
				if _, err := io.WriteString(conn, text[i:i+1]); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}
	}
	// redirect answers after 20 seconds, so that no redirect alone takes too long.
	redirect := func(conn net.Conn) {
		conn.Read(make([]byte, 4096))
		go silent(conn)
		time.Sleep(20 * time.Second)
		io.WriteString(conn, "HTTP/1.1 302 Found\r\nLocation: /robots.txt\r\n\r\n")
	}
	const head = "HTTP/1.1 200 OK\r\n\r\n"
	for _, tt := range []struct {
		name, url string
		serve     func(net.Conn)
	}{
		{"no connection", "http://a.test/", nil},
		{"silent", "http://a.test/", silent},
		{"silent handshake", "https://a.test/", silent},
		{"silent body", "http://a.test/", func(conn net.Conn) { go io.WriteString(conn, head+privateRules); silent(conn) }},
		{"slow header", "http://a.test/", drip("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("-", 1000))},
		{"slow body", "http://a.test/", drip(head + strings.Repeat("# slow\n", 1000))},
		{"slow redirects", "http://a.test/", redirect},
	} {
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
			if tt.serve == nil {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			client, server := net.Pipe()
			go func() {
				defer server.Close()
				tt.serve(server)
			}()
			return client, nil
		}
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				f := access.New(access.Options{DialContext: dial})
				if got := verdict(t, f, tt.url); got != "disallow unreachable" {
					t.Error(got)
				}
				if took := time.Since(begin); took != 30*time.Second {
					t.Errorf("it took %v", took)
				}
				time.Sleep(30 * time.Second) // the server ends
			})
		})
		t.Run(tt.name+", the caller leaves", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, err := access.New(access.Options{DialContext: dial}).Allowed(ctx, "ExampleBot", tt.url)
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
				time.Sleep(30 * time.Second) // a dial or a handshake ends with the timeout
			})
		})
	}
}
