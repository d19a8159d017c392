package access_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl/access"
	"github.com/repcheck/repcheck/impl/reference"
)

// TestStatus compares the verdict on every status from 200 to 599 under each named
// policy. The body closes /private.
func TestStatus(t *testing.T) {
	t.Parallel()
	var code int
	o := newOrigin(t, func(w http.ResponseWriter, r *http.Request) { status(code, privateRules)(w, r) })
	for _, name := range access.Names() {
		p, err := access.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		for code = 200; code <= 599; code++ {
			want := ""
			switch {
			case code == 204: // it has no body
				want = "allow rules"
			case code <= 299:
				want = "disallow rules"
			case code <= 399 && name == "standard-1994":
				want = "allow unavailable"
			case code <= 399:
				want = "disallow unreachable"
			case (code == 401 || code == 403) && name == "koster-1996":
				want = "disallow forbidden"
			case code == 429 && (name == "google" || name == "koster-1996"):
				want = "disallow unreachable"
			case code <= 499:
				want = "allow unavailable"
			case name == "standard-1994":
				want = "allow unreachable"
			default:
				want = "disallow unreachable"
			}
			if got := verdict(t, access.New(access.Options{Policy: p}), o.URL+"/private"); got != want {
				t.Errorf("%s: status %d: %s, want %s", name, code, got, want)
			}
		}
	}
}

// TestRedirectCount: five redirects are followed under every policy.
func TestRedirectCount(t *testing.T) {
	t.Parallel()
	for _, name := range access.Names() {
		p, err := access.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 8 {
			o := newOrigin(t, redirects(n))
			f := access.New(access.Options{Policy: p})
			got := allowed(t, f, o.URL+"/private")
			want, hop := access.ReasonRules, n
			if n > 5 && p.RedirectLimit != access.RedirectLimitMore {
				want, hop = access.ReasonUnavailable, 5
			}
			if got.Reason != want || got.Response.Hop != hop || len(o.requests()) != hop+1 {
				t.Errorf("%s: %d redirects: %v at hop %d after %d requests, want %v at hop %d",
					name, n, got.Reason, got.Response.Hop, len(o.requests()), want, hop)
			}
		}
	}
}

func TestRedirectLoop(t *testing.T) {
	t.Parallel()
	for choice, want := range map[string]int{"redirect-limit=five-then-unavailable": 6, "redirect-limit=more": 31} {
		o := newOrigin(t, redirects(-1))
		f := access.New(access.Options{Policy: policy(t, choice)})
		if got := verdict(t, f, o.URL+"/private"); got != "allow unavailable" || len(o.requests()) != want {
			t.Errorf("%s: %s after %d requests, want %d", choice, got, len(o.requests()), want)
		}
	}
}

// TestRedirectAuthority: rules reached through redirects hold for the first authority
// only (RFC9309-2.3.1.2-4), also from HTTPS to HTTP and back.
func TestRedirectAuthority(t *testing.T) {
	t.Parallel()
	second := httptest.NewTLSServer(status(200, privateRules))
	t.Cleanup(second.Close)
	middle := newOrigin(t, status(307, "", "Location", second.URL+"/somewhere/rules"))
	first := httptest.NewTLSServer(status(308, "", "Location", middle.URL+"/robots.txt"))
	t.Cleanup(first.Close)
	tls := second.Client().Transport.(*http.Transport).TLSClientConfig
	f := access.New(access.Options{TLS: tls})

	got := allowed(t, f, first.URL+"/private")
	want := access.Response{URL: second.URL + "/somewhere/rules", Hop: 2, Status: 200}
	if got.Allow || got.Reason != access.ReasonRules {
		t.Errorf("the first authority: %+v", got)
	}
	if diff := cmp.Diff(want, got.Response); diff != "" {
		t.Error(diff)
	}
	middle.serve(status(404, ""))
	if got := verdict(t, f, middle.URL+"/private"); got != "allow unavailable" {
		t.Errorf("the second authority: %s", got)
	}
	if got := verdict(t, access.New(access.Options{}), first.URL+"/private"); got != "disallow unreachable" {
		t.Errorf("an unknown certificate authority: %s", got)
	}
}

func TestLocation(t *testing.T) {
	t.Parallel()
	for location, want := range map[string]string{
		"":                                "disallow unreachable",
		"rules":                           "disallow rules",
		"/a/../rules":                     "disallow rules",
		"/rules#fragment":                 "disallow rules",
		"//{host}/rules":                  "disallow rules",
		"http://user:secret@{host}/rules": "disallow rules",
		"http:///rules":                   "disallow unreachable",
		"http://[::1/rules":               "disallow unreachable",
		"http://{host}/%zz":               "disallow unreachable",
		"ftp://{host}/rules":              "disallow unreachable",
		"file:///etc/passwd":              "disallow unreachable",
		"data:text/plain,Allow:%20/":      "disallow unreachable",
		"javascript:alert(1)":             "disallow unreachable",
	} {
		o := newOrigin(t, nil)
		o.serve(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "" || r.Header.Get("Referer") != "" {
				t.Errorf("%s: credentials or a referrer were sent", location)
			}
			if r.URL.Path == "/rules" {
				io.WriteString(w, privateRules)
				return
			}
			w.Header()["Location"] = []string{strings.ReplaceAll(location, "{host}", r.Host)}
			w.WriteHeader(http.StatusMovedPermanently)
		})
		f := access.New(access.Options{})
		if got := verdict(t, f, o.URL+"/private"); got != want {
			t.Errorf("%q: %s, want %s", location, got, want)
		}
		if url := allowed(t, f, o.URL).Response.URL; strings.ContainsAny(url, "@#") {
			t.Errorf("%q: the URL of the response is %s", location, url)
		}
	}
}

// TestRequest compares the request with section 2.3.
func TestRequest(t *testing.T) {
	t.Parallel()
	for userAgent, want := range map[string]string{"": "ExampleBot", "Mozilla/5.0 (compatible; ExampleBot/1.0)": "Mozilla/5.0 (compatible; ExampleBot/1.0)"} {
		o := newOrigin(t, status(200, privateRules))
		f := access.New(access.Options{UserAgent: userAgent})
		if d := allowed(t, f, o.URL+"/private?q#f"); d.Allow || d.Rule.Rule.Line() != 2 {
			t.Errorf("the rule does not decide: %+v", d)
		}
		r := o.requests()[0]
		if r.Method != "GET" || r.RequestURI != "/robots.txt" || r.UserAgent() != want || !r.Close || r.Header.Get("Accept-Encoding") != "gzip, deflate" {
			t.Errorf("%s %s %v", r.Method, r.RequestURI, r.Header)
		}
	}
}

func compress(t *testing.T, w io.WriteCloser, b *bytes.Buffer, text string) string {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func gzipped(t *testing.T, text string) string {
	var b bytes.Buffer
	return compress(t, gzip.NewWriter(&b), &b, text)
}

func TestEncoding(t *testing.T) {
	t.Parallel()
	var zb, fb bytes.Buffer
	zlibbed := compress(t, zlib.NewWriter(&zb), &zb, privateRules)
	w, err := flate.NewWriter(&fb, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	deflated := compress(t, w, &fb, privateRules)
	zipped := gzipped(t, privateRules)
	bomb := gzipped(t, privateRules+strings.Repeat("#", 50<<20))
	for _, tt := range []struct{ name, encoding, body, want string }{
		{"none", "identity", privateRules, "disallow rules"},
		{"gzip", "gzip", zipped, "disallow rules"},
		{"capital letters", "X-GZip", zipped, "disallow rules"},
		{"two members", "gzip", gzipped(t, "User-agent: *\n") + gzipped(t, "Disallow: /private"), "disallow rules"},
		{"zlib", "deflate", zlibbed, "disallow rules"},
		{"deflate without a header", "deflate", deflated, "disallow rules"},
		{"twice", "gzip, gzip", gzipped(t, zipped), "disallow rules"},
		{"empty", "gzip", "", "allow rules"},
		{"large", "gzip", bomb, "disallow rules"},
		{"large twice", "gzip,gzip", gzipped(t, bomb), "disallow rules"},
		{"three times", "gzip, gzip, gzip", gzipped(t, gzipped(t, zipped)), "disallow unreachable"},
		{"not offered", "br", privateRules, "disallow unreachable"},
		{"no gzip", "gzip", privateRules, "disallow unreachable"},
		{"no deflate", "deflate", privateRules, "disallow unreachable"},
		{"cut", "gzip", zipped[:len(zipped)-9], "disallow unreachable"},
		{"wrong checksum", "gzip", zipped[:len(zipped)-8] + "12345678", "disallow unreachable"},
		{"empty members", "gzip", strings.Repeat(gzipped(t, ""), 100_000), "disallow unreachable"},
	} {
		o := newOrigin(t, status(200, tt.body, "Content-Encoding", tt.encoding))
		if got := verdict(t, access.New(access.Options{}), o.URL+"/private"); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestLimit: 500 KiB are parsed (RFC9309-2.5-2), and a longer file is not read to its
// end.
func TestLimit(t *testing.T) {
	t.Parallel()
	filled := func(size int, rest string) string {
		return "User-agent: *\n#" + strings.Repeat("-", size-len("User-agent: *\n#\n")-len(rest)) + "\n" + rest
	}
	google := access.Options{Interpretation: reference.Google()}
	for _, tt := range []struct {
		name, body string
		opts       access.Options
		want       string
	}{
		{"last rule within", filled(512_000, "Disallow: /private"), access.Options{}, "disallow rules"},
		{"rule cut", filled(512_000, "Disallow: /") + "public\n", access.Options{}, "allow rules"},
		{"rule cut, no limit of the parser", filled(512_000, "Disallow: /") + "public\n", google, "allow rules"},
		{"rule ends at the limit, no limit of the parser", filled(512_000, "Disallow: /") + "\n", google, "disallow rules"},
		{"rule beyond", filled(512_000, "") + "Disallow: /\n", access.Options{}, "allow rules"},
		{"rule beyond, higher limit", filled(600_000, "Disallow: /"), access.Options{Interpretation: reference.Google(), MaxBytes: 600_000}, "disallow rules"},
		{"lower limit", filled(512_000, "Disallow: /"), access.Options{MaxBytes: 10}, "disallow rules"},
	} {
		o := newOrigin(t, status(200, tt.body))
		if got := verdict(t, access.New(tt.opts), o.URL+"/private"); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestHostile: whatever a server sends, there is a decision.
func TestHostile(t *testing.T) {
	t.Parallel()
	forever := func(head, text string) func(net.Conn) {
		return func(conn net.Conn) {
			_, err := io.WriteString(conn, head)
			for err == nil {
				_, err = io.WriteString(conn, text)
			}
		}
	}
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
	for _, tt := range []struct {
		name  string
		serve func(net.Conn)
		want  string
	}{
		{"closed at once", answer(""), "disallow unreachable"},
		{"garbage", answer("\x00\xFF\n\n"), "disallow unreachable"},
		{"HTTP/0.9", answer(privateRules), "disallow unreachable"},
		{"HTTP/1.0", answer("HTTP/1.0 200 OK\r\n\r\n" + privateRules), "disallow rules"},
		{"status of four digits", answer("HTTP/1.1 2000 OK\r\n\r\n"), "disallow unreachable"},
		{"status 099", answer("HTTP/1.1 099 ?\r\n\r\n"), "disallow unreachable"},
		{"switching protocols", answer("HTTP/1.1 101 ?\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"), "disallow unreachable"},
		{"interim responses", answer("HTTP/1.1 103 Early\r\n\r\n" + head + "\r\n" + privateRules), "disallow rules"},
		{"endless interim responses", forever("", "HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n"), "disallow unreachable"},
		{"endless header", forever(head, "X-Header: value\r\n"), "disallow unreachable"},
		{"large header", answer(head + "X-Header: " + strings.Repeat("-", 100<<10) + "\r\n\r\n"), "disallow unreachable"},
		{"endless header line", forever(head+"X-Header: ", "value"), "disallow unreachable"},
		{"endless body", forever(head+"\r\n"+privateRules, "# comment\n"), "disallow rules"},
		{"endless line", forever(head+"\r\n"+privateRules, strings.Repeat("#", 100)), "disallow rules"},
		{"endless chunks", forever(head+"Transfer-Encoding: chunked\r\n\r\n", "10;extension\r\n"+strings.Repeat("\n", 16)+"\r\n"), "allow rules"},
		{"faulty chunk", answer(head + "Transfer-Encoding: chunked\r\n\r\n5\r\nUser-\r\nx\r\n"), "disallow unreachable"},
		{"two lengths", answer(head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef"), "disallow unreachable"},
		{"body too short", answer(head + "Content-Length: 100\r\n\r\n" + privateRules), "disallow unreachable"},
		{"body too long", answer(fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(privateRules), privateRules+"Allow: /private\n")), "disallow rules"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url := raw(t, tt.serve)
			if got := verdict(t, access.New(access.Options{}), url+"/private"); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestNetworkErrors: errors before there is a response.
func TestNetworkErrors(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close() // the port refuses connections
	notFound := &net.DNSError{Err: "no such host", IsNotFound: true}
	noName := func(context.Context, string, string) (net.Conn, error) { return nil, notFound }
	for name, tt := range map[string]struct {
		opts access.Options
		url  string
	}{
		"refused":        {access.Options{}, "http://" + l.Addr().String()},
		"no name":        {access.Options{DialContext: noName}, "http://example.com"},
		"no TLS":         {access.Options{}, strings.Replace(raw(t, answer("HTTP/1.1 200 OK\r\n\r\n")), "http:", "https:", 1)},
		"port too large": {access.Options{Policy: policy(t, "scope-equality=authority-octets")}, "http://127.0.0.1:99999"},
	} {
		tt.opts.Timeout = 500 * time.Millisecond
		d := allowed(t, access.New(tt.opts), tt.url+"/a")
		if d.Allow || d.Reason != access.ReasonUnreachable || d.Response.Err == nil || d.Response.Status != 0 {
			t.Errorf("%s: %+v", name, d)
		}
		if name == "no name" && !errors.Is(d.Response.Err, notFound) {
			t.Errorf("the error is %v", d.Response.Err)
		}
	}
}

func TestMisuse(t *testing.T) {
	t.Parallel()
	f := access.New(access.Options{DialContext: func(context.Context, string, string) (net.Conn, error) {
		t.Error("a connection was made")
		return nil, io.EOF
	}})
	for _, tt := range []struct{ agent, url string }{
		{"", "http://example.com/"}, {"Example\r\nX: y", "http://example.com/"},
		{"a", ""}, {"a", "/path"}, {"a", "//example.com/"}, {"a", "example.com/"}, {"a", "ftp://example.com/"},
		{"a", "http:/example.com"}, {"a", "http://"}, {"a", "http:///path"}, {"a", "http://:80/"}, {"a", "http://./"},
		{"a", "http://user@/"}, {"a", "http://[::1/"}, {"a", "http://example.com:99999/"}, {"a", "http://example.com:x/"},
		{"a", `http://example.com\@example.net/`}, {"a", "http://a b/"},
	} {
		if d, err := f.Allowed(t.Context(), tt.agent, tt.url); err == nil || d.Allow {
			t.Errorf("agent %q, URL %q: %+v without an error", tt.agent, tt.url, d)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Allowed(ctx, "a", "http://example.com/"); !errors.Is(err, context.Canceled) {
		t.Errorf("the error after the end of the context is %v", err)
	}
}

// TestRobotsTxt: the file itself is what the parser says, without a request.
func TestRobotsTxt(t *testing.T) {
	t.Parallel()
	o := newOrigin(t, status(503, ""))
	f := access.New(access.Options{})
	if d := allowed(t, f, o.URL+"/robots.txt"); !d.Allow || d.Reason != access.ReasonRobotsTxt || !d.Until.IsZero() {
		t.Errorf("%+v", d)
	}
	if len(o.requests()) != 0 {
		t.Errorf("%d requests", len(o.requests()))
	}
	f = access.New(access.Options{Interpretation: reference.Standard1994()})
	if got := verdict(t, f, o.URL+"/robots.txt"); got != "disallow unreachable" {
		t.Errorf("standard-1994: %s", got)
	}
}

// TestShared: concurrent callers share one fetch, and one that leaves does not end
// it for the others.
func TestShared(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}), make(chan struct{})
	o := newOrigin(t, func(w http.ResponseWriter, _ *http.Request) {
		close(arrived)
		<-release
		io.WriteString(w, privateRules)
	})
	f := access.New(access.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	callers.Go(func() {
		if _, err := f.Allowed(ctx, "ExampleBot", o.URL+"/private"); !errors.Is(err, context.Canceled) {
			t.Errorf("the first caller gets %v", err)
		}
		close(release)
	})
	<-arrived
	waiting := make(chan struct{}, 20)
	for range cap(waiting) {
		callers.Go(func() {
			waiting <- struct{}{}
			if got := verdict(t, f, o.URL+"/private"); got != "disallow rules" {
				t.Error(got)
			}
		})
	}
	for range cap(waiting) {
		<-waiting
	}
	time.Sleep(50 * time.Millisecond) // so that most of them wait for the fetch
	cancel()
	callers.Wait()
	if n := len(o.requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// TestAbandoned: a fetch that no caller waits for ends, and its failure is not kept.
func TestAbandoned(t *testing.T) {
	t.Parallel()
	arrived, ended := make(chan struct{}), make(chan struct{})
	o := newOrigin(t, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
		close(ended)
	})
	f := access.New(access.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	if _, err := f.Allowed(ctx, "ExampleBot", o.URL+"/private"); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	<-ended
	o.serve(status(200, privateRules))
	if got := verdict(t, f, o.URL+"/private"); got != "disallow rules" {
		t.Error(got)
	}
}
