package access_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/repcheck/repcheck/impl/access"
)

// An addr is an address as text, which net.TCPAddr would change.
type addr string

func (addr) Network() string  { return "tcp" }
func (a addr) String() string { return string(a) }

// addressed is a connection that claims a remote address.
type addressed struct {
	net.Conn
	remote net.Addr
}

func (c addressed) RemoteAddr() net.Addr { return c.remote }

// pipe returns a connection to a server that sends a response to the first request.
func pipe(remote net.Addr, response string) net.Conn {
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		buffer := make([]byte, 4096)
		if _, err := server.Read(buffer); err == nil {
			io.WriteString(server, response)
		}
	}()
	return addressed{client, remote}
}

func TestBlockPrivate(t *testing.T) {
	t.Parallel()
	for ip, public := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "172.32.0.1": true, "192.167.1.1": true, "100.128.0.1": true,
		"127.0.0.1": false, "127.255.255.254": false, "::1": false, "0.0.0.0": false, "0.1.2.3": false, "::": false,
		"10.0.0.1": false, "172.16.0.1": false, "192.168.1.1": false, "100.64.0.1": false, "fd00::1": false,
		"169.254.169.254": false, "fe80::1": false, "fe80::1%eth0": false, "fec0::1": false,
		"224.0.0.1": false, "ff02::1": false, "255.255.255.255": false, "240.0.0.1": false,
		"192.0.0.8": false, "192.0.2.1": false, "198.18.0.1": false, "198.51.100.1": false, "203.0.113.1": false,
		"::ffff:127.0.0.1": false, "::ffff:8.8.8.8": true, "::127.0.0.1": false, "64:ff9b::7f00:1": false,
		"2002:7f00:1::": false, "2001::1": false, "2001:db8::1": false, "3fff::1": false,
	} {
		remote := addr(net.JoinHostPort(ip, "80"))
		f := access.New(access.Options{BlockPrivate: true, DialContext: func(context.Context, string, string) (net.Conn, error) {
			return pipe(remote, "HTTP/1.1 200 OK\r\n\r\n"+privateRules), nil
		}})
		d := allowed(t, f, "http://example.com/private")
		refused := errors.Is(d.Response.Err, access.ErrPrivateAddress)
		if refused == public || (d.Reason == access.ReasonRules) != public || d.Allow {
			t.Errorf("%s: %+v", ip, d)
		}
	}
}

// TestBlockPrivateDialer: without a dialer of the caller no connection is made, neither
// by address nor by name, and neither at once nor by a redirect.
func TestBlockPrivateDialer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var accepted sync.WaitGroup
	accepted.Go(func() {
		if _, err := l.Accept(); err == nil {
			t.Error("a connection was made")
		}
	})
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	f := access.New(access.Options{BlockPrivate: true})
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"} {
		if d := allowed(t, f, "http://"+host+":"+port); d.Allow || d.Reason != access.ReasonUnreachable {
			t.Errorf("%s: %+v", host, d)
		}
	}
	private := newOrigin(t, func(http.ResponseWriter, *http.Request) { t.Error("a private server got a request") })
	// A public server redirects to the private one.
	f = access.New(access.Options{BlockPrivate: true, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		if address != "example.com:80" {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
		remote := &net.TCPAddr{IP: net.IPv4(8, 8, 8, 8), Port: 80}
		return pipe(remote, "HTTP/1.1 302 Found\r\nLocation: "+private.URL+"\r\n\r\n"), nil
	}})
	d := allowed(t, f, "http://example.com/")
	if d.Allow || d.Response.Hop != 1 || !errors.Is(d.Response.Err, access.ErrPrivateAddress) {
		t.Errorf("after a redirect: %+v", d)
	}
	l.Close()
	accepted.Wait()
}

// TestScope: which URLs share a file, and where that is requested.
func TestScope(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b, request string
		same          bool
	}{
		{"http://example.com/a", "http://example.com/b?c#d", "http example.com:80 example.com", true},
		{"http://example.com", "HTTP://EXAMPLE.com:80/", "http example.com:80 example.com", true},
		{"http://example.com/", "http://example.com./", "http example.com:80 example.com", true},
		{"http://example.com/", "http://example.com:/", "http example.com:80 example.com", true},
		{"http://example.com:80/", "http://user:secret@example.com:080/", "http example.com:80 example.com", true},
		{"http://example.com?/a", "http://example.com#/a", "http example.com:80 example.com", true},
		{"http://[::1]/", "http://[0:0::0:1]:80/", "http [::1]:80 [::1]", true},
		{"http://example.com/%zz", "http://example.com/\x00", "http example.com:80 example.com", true},
		{"http://example.com:8080/", "http://example.com/", "http example.com:8080 example.com:8080", false},
		{"http://example.com:443/", "http://example.com/", "http example.com:443 example.com:443", false},
		{"http://example.com/", "https://example.com/", "http example.com:80 example.com", false},
		{"http://example.com/", "http://www.example.com/", "http example.com:80 example.com", false},
		{"http://example.com/", "http://example.com../", "http example.com:80 example.com", false},
		{"http://127.0.0.1/", "http://127.1/", "http 127.0.0.1:80 127.0.0.1", false},
	} {
		for _, choice := range []string{"scope-equality=normalised", "scope-equality=authority-octets"} {
			var mu sync.Mutex
			var requests []string
			f := access.New(access.Options{Policy: policy(t, choice), DialContext: func(_ context.Context, _, address string) (net.Conn, error) {
				client, server := net.Pipe()
				go func() {
					defer server.Close()
					buffer := make([]byte, 4096)
					n, _ := server.Read(buffer)
					_, host, _ := strings.Cut(string(buffer[:n]), "Host: ")
					host, _, _ = strings.Cut(host, "\r\n")
					mu.Lock()
					requests = append(requests, "http "+address+" "+host)
					mu.Unlock()
					io.WriteString(server, "HTTP/1.1 404 Not Found\r\n\r\n")
				}()
				return client, nil
			}})
			for _, url := range []string{tt.a, tt.a, tt.b} {
				allowed(t, f, url)
			}
			mu.Lock()
			authority := func(url string) string {
				_, rest, _ := strings.Cut(url, "://")
				return rest[:strings.IndexAny(rest+"/", "/?#")]
			}
			same := tt.same && (choice == "scope-equality=normalised" || authority(tt.a) == authority(tt.b))
			if want := map[bool]int{true: 1, false: 2}[same]; len(requests) != want && !strings.HasPrefix(tt.b, "https") {
				t.Errorf("%s, %q and %q: %q", choice, tt.a, tt.b, requests)
			}
			if choice == "scope-equality=normalised" && !slices.Contains(requests, tt.request) {
				t.Errorf("%q: %q, want %q", tt.a, requests, tt.request)
			}
			mu.Unlock()
		}
	}
}
