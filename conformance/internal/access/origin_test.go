package access_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/repcheck/repcheck/conformance/internal/access"
	"github.com/repcheck/repcheck/spec"
)

const rules = "User-agent: *\nDisallow: /private/\n"

// serving returns a scenario of one step.
func serving(responses ...spec.Response) *spec.Scenario {
	for i := range responses {
		if responses[i].Server == "" {
			responses[i].Server = "main"
		}
		if responses[i].Target == "" {
			responses[i].Target = "/robots.txt"
		}
		if responses[i].Status == 0 {
			responses[i].Status = 200
		}
	}
	return &spec.Scenario{ID: "test/test", Steps: []spec.Step{{Serve: responses}}}
}

// open opens an origin for the time of the test.
func open(t *testing.T, s *spec.Scenario, limits access.Limits) *access.Origin {
	t.Helper()
	o, err := access.Open(s, limits)
	if errors.Is(err, access.ErrNoIPv6) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	return o
}

// client returns a client that follows no redirects, decodes nothing, and trusts the
// origin.
func client(t *testing.T, o *access.Origin) *http.Client {
	transport := &http.Transport{DisableCompression: true, TLSClientConfig: &tls.Config{RootCAs: o.RootCAs()}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// get returns what of the body came, even if there is an error.
func get(t *testing.T, c *http.Client, address string) (*http.Response, string, error) {
	t.Helper()
	resp, err := c.Get(address)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

// mustGet fails the test if there is an error.
func mustGet(t *testing.T, c *http.Client, address string) (*http.Response, string) {
	t.Helper()
	resp, body, err := get(t, c, address)
	if err != nil {
		t.Fatal(err)
	}
	return resp, body
}

func dial(t *testing.T, o *access.Origin) net.Conn {
	t.Helper()
	u, err := url.Parse(o.URL("/"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

var dateLine = regexp.MustCompile(`Date: [^\r]*\r\n`)

// raw sends a request as it is and returns what comes until the connection ends.
func raw(t *testing.T, o *access.Origin, request string) (string, error) {
	t.Helper()
	c := dial(t, o)
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(c)
	return dateLine.ReplaceAllString(string(answer), ""), err
}

const (
	rawRequest = "GET /robots.txt HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"
	half       = "User-agent: *\nDis"
	head       = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"
	closing    = "Connection: close\r\n\r\n"
	length     = "Content-Length: 34\r\n"
	inChunks   = "Transfer-Encoding: chunked\r\n"
)

// TestFaults holds each fault to what a client of net/http gets and to the octets that
// are sent.
func TestFaults(t *testing.T) {
	t.Parallel()
	reset := func(err error) bool { return errors.Is(err, syscall.ECONNRESET) }
	cut := func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }
	ended := func(err error) bool { return errors.Is(err, io.EOF) }
	said := func(text string) func(error) bool {
		return func(err error) bool { return err != nil && strings.Contains(err.Error(), text) }
	}
	tests := map[string]struct {
		body   string           // that the client gets
		err    func(error) bool // that the client gets; nil for none
		raw    string
		rawErr func(error) bool
		status int // in the log
	}{
		"":                {rules, nil, head + length + closing + rules, nil, 200},
		"reset":           {"", reset, "", reset, 0},
		"close":           {"", ended, "", nil, 0},
		"silent":          {"", ended, "", nil, 0},
		"close-in-body":   {half, cut, head + length + closing + half, nil, 200},
		"reset-in-body":   {half, reset, head + length + closing + half, reset, 200},
		"silent-in-body":  {half, cut, head + length + closing + half, nil, 200},
		"drip":            {"U", cut, head + length + closing + "U", nil, 200},
		"garbage":         {"", said("malformed HTTP"), "\x00\x01\x02 no HTTP \xfe\xff\r\n\r\n", nil, 0},
		"chunked":         {rules, nil, head + inChunks + closing + "11\r\n" + half + "\r\n11\r\n" + rules[len(half):] + "\r\n0\r\n\r\n", nil, 200},
		"bad-chunk":       {half, said("invalid byte in chunk length"), head + inChunks + closing + "11\r\n" + half + "\r\nno length\r\n" + rules[len(half):] + "\r\n0\r\n\r\n", nil, 200},
		"http-1.0":        {rules, nil, "HTTP/1.0 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + rules, nil, 200},
		"longer-length":   {rules, cut, head + "Content-Length: 134\r\n" + closing + rules, nil, 200},
		"shorter-length":  {half, nil, head + "Content-Length: 17\r\n" + closing + rules, nil, 200},
		"endless":         {rules + rules, cut, head + inChunks + closing, nil, 200},
		"endless-headers": {"", cut, head + "Content-Length: 34\r\nConnection: close\r\nX-More: aaa", nil, 200},
	}
	for _, fault := range append([]string{""}, spec.Faults...) {
		if fault == "refuse" {
			continue // see TestRefuse
		}
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			test, ok := tests[fault]
			if !ok {
				t.Fatal("the fault is not in the table")
			}
			limits := access.Limits{Bytes: 40_000}
			switch fault {
			case "silent", "silent-in-body", "drip":
				// The connection is closed before the second octet of a drip.
				limits.Idle = 900 * time.Millisecond
			}
			o := open(t, serving(spec.Response{Body: []byte(rules), Fault: fault}), limits)
			endless := fault == "endless" || fault == "endless-headers"

			_, body, err := get(t, client(t, o), o.URL("/robots.txt"))
			if test.err == nil && err != nil || test.err != nil && !test.err(err) {
				t.Errorf("the client got the error %v", err)
			}
			if body != test.body && !(endless && strings.HasPrefix(body, test.body)) {
				t.Errorf("the client got the body %q, want %q", body, test.body)
			}
			answer, err := raw(t, o, rawRequest)
			if test.rawErr == nil && err != nil || test.rawErr != nil && !test.rawErr(err) {
				t.Errorf("the raw connection got the error %v", err)
			}
			if answer != test.raw && !(endless && strings.HasPrefix(answer, test.raw)) {
				t.Errorf("the raw connection got\n%q, want\n%q", answer, test.raw)
			}
			if len(answer) > 41_000 {
				t.Errorf("the raw connection got %d octets", len(answer))
			}
			o.Close()
			for _, r := range o.Log() {
				if r.Fault != fault || r.Status != test.status {
					t.Errorf("log: %+v", r)
				}
			}
			if got := o.Exceeded(); (got == "bytes") != endless {
				t.Errorf("exceeded %q", got)
			}
		})
	}
}

func TestRefuse(t *testing.T) {
	t.Parallel()
	for _, server := range []string{"main", "other", "tls", "v6"} {
		s := serving(spec.Response{Server: server, Body: []byte(rules)})
		s.Steps = append(s.Steps, spec.Step{Serve: []spec.Response{{Server: server, Target: "/x", Status: 200, Fault: "refuse"}}}, s.Steps[0])
		t.Run(server, func(t *testing.T) {
			t.Parallel()
			o := open(t, s, access.Limits{})
			c := client(t, o)
			for step, refuses := range []bool{false, true, false} {
				o.SetStep(step)
				_, body, err := get(t, c, o.URL("{"+server+"}/robots.txt"))
				if refuses != errors.Is(err, syscall.ECONNREFUSED) || !refuses && body != rules {
					t.Errorf("step %d: got %q, %v", step, body, err)
				}
			}
			if got := o.Exceeded(); got != "" {
				t.Error(got)
			}
		})
	}
}

// TestServers reaches each server at its own origin.
func TestServers(t *testing.T) {
	t.Parallel()
	body := "{main} {other} {third} {tls} {v6} {else}"
	var responses []spec.Response
	for _, server := range spec.Servers {
		responses = append(responses, spec.Response{
			Server: server, Body: []byte(server + " " + body), Status: 302,
			Headers: map[string]string{"location": "{other}/robots.txt", "content-type": ""},
		})
	}
	o := open(t, serving(responses...), access.Limits{})
	c := client(t, o)
	origins := map[string]bool{}
	var all []string
	for _, server := range spec.Servers {
		u, err := url.Parse(o.URL("{" + server + "}"))
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"main": "127.0.0.1", "other": "localhost", "third": "localhost", "tls": "127.0.0.1", "v6": "::1"}[server]
		if u.Hostname() != want && !(want == "localhost" && u.Hostname() == "127.0.0.1") {
			t.Errorf("{%s} is %s", server, u)
		}
		origins[u.Host] = true
		all = append(all, u.String())
	}
	if len(origins) != len(spec.Servers) {
		t.Errorf("origins: %v", origins)
	}
	for _, server := range spec.Servers {
		resp, body := mustGet(t, c, o.URL("{"+server+"}/robots.txt"))
		if want := server + " " + strings.Join(all, " ") + " {else}"; body != want {
			t.Errorf("%s: got %q, want %q", server, body, want)
		}
		if got, want := resp.Header.Get("Location"), o.URL("{other}/robots.txt"); got != want {
			t.Errorf("%s: Location is %q, want %q", server, got, want)
		}
		if got, ok := resp.Header["Content-Type"]; ok {
			t.Errorf("%s: Content-Type is %q", server, got)
		}
	}
	for i, r := range o.Log() {
		if r.Server != spec.Servers[i] || r.Method != "GET" || r.Status != 302 || !origins[r.Host] {
			t.Errorf("log: %+v", r)
		}
	}
	for text, want := range map[string]string{
		"/a?b": all[0] + "/a?b", "//a": all[0] + "//a", "{tls}/a{main}": all[3] + "/a{main}", "http://foo.test/{main}": "http://foo.test/{main}",
	} {
		if got := o.URL(text); got != want {
			t.Errorf("URL(%q) is %q, want %q", text, got, want)
		}
	}
}

// TestNeededServers starts only the servers that the scenario mentions.
func TestNeededServers(t *testing.T) {
	t.Parallel()
	expecting := serving()
	expecting.Steps[0].Expect = []spec.Expectation{{Probe: spec.Probe{URL: "{third}/a"}}}
	counting := serving()
	counting.Steps[0].Requests = []spec.RequestCount{{Server: "third"}}
	for name, s := range map[string]*spec.Scenario{
		"serve":  serving(spec.Response{Server: "third"}),
		"header": serving(spec.Response{Headers: map[string]string{"Location": "{third}/a"}}),
		"body":   serving(spec.Response{Body: []byte("Sitemap: {third}/a")}),
		"expect": expecting, "requests": counting,
	} {
		o := open(t, s, access.Limits{})
		var running []string
		for _, server := range spec.Servers {
			if o.URL("{"+server+"}") != "{"+server+"}" {
				running = append(running, server)
			}
		}
		if diff := cmp.Diff([]string{"main", "third"}, running); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if file, err := o.CAFile(t.TempDir()); file != "" || err != nil || o.RootCAs() != nil {
			t.Errorf("%s: there is a certificate: %q, %v", name, file, err)
		}
	}
}

func TestCAFile(t *testing.T) {
	t.Parallel()
	o := open(t, serving(spec.Response{Server: "tls", Body: []byte(rules)}), access.Limits{})
	name, err := o.CAFile(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	pool := o.RootCAs().Clone()
	if pool.AppendCertsFromPEM(text); !pool.Equal(o.RootCAs()) {
		t.Error("the file has another certificate")
	}
	if _, body := mustGet(t, client(t, o), strings.Replace(o.URL("{tls}/robots.txt"), "127.0.0.1", "localhost", 1)); body != rules {
		t.Errorf("as localhost: %q", body)
	}
	untrusting := &http.Client{Transport: &http.Transport{}}
	if _, _, err := get(t, untrusting, o.URL("{tls}/robots.txt")); err == nil {
		t.Error("a client that does not know the authority got an answer")
	}
	o.Close()
	if log := o.Log(); len(log) != 2 || log[1].Method != "" || log[1].Server != "tls" {
		t.Errorf("log: %+v", log)
	}
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	ungzip := func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }
	inflate := func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) }
	// Its decoding was tried with Node: the standard library has no decoder.
	stored := func(r io.Reader) (io.Reader, error) {
		b, err := io.ReadAll(r)
		b, ok := bytes.CutPrefix(b, []byte("\x10\x02\x10"))
		b, ended := bytes.CutSuffix(b, []byte("\x03"))
		if !ok || !ended {
			err = fmt.Errorf("%q", b)
		}
		return bytes.NewReader(b), err
	}
	tests := []struct {
		encoding string
		decode   func(io.Reader) (io.Reader, error)
		headers  map[string]string
		want     []string
	}{
		{"gzip", ungzip, nil, []string{"gzip"}},
		{"deflate", inflate, nil, []string{"deflate"}},
		{"br", stored, nil, []string{"br"}},
		{"gzip", ungzip, map[string]string{"Content-Encoding": ""}, nil},
		{"gzip", ungzip, map[string]string{"content-encoding": "x-gzip"}, []string{"x-gzip"}},
	}
	for _, test := range tests {
		body := strings.Repeat("#", 34)
		o := open(t, serving(spec.Response{Body: []byte(body), Encoding: test.encoding, Headers: test.headers}), access.Limits{})
		resp, got := mustGet(t, client(t, o), o.URL("/robots.txt"))
		if diff := cmp.Diff(test.want, resp.Header["Content-Encoding"]); diff != "" {
			t.Errorf("%s %v: %s", test.encoding, test.headers, diff)
		}
		decoded, err := test.decode(strings.NewReader(got))
		if err != nil {
			t.Errorf("%s: %v", test.encoding, err)
			continue
		}
		if text, err := io.ReadAll(decoded); string(text) != body {
			t.Errorf("%s: got %q, %v", test.encoding, text, err)
		}
	}
}

// TestChoose takes the responses in their order, and counts Times in each step.
func TestChoose(t *testing.T) {
	t.Parallel()
	s := serving(
		spec.Response{Status: 503, Times: 2},
		spec.Response{Status: 410, Target: "/a?b=%2f"},
		spec.Response{Status: 200, Times: 1},
		spec.Response{Status: 201},
		spec.Response{Status: 202},
	)
	s.Steps = append(s.Steps, s.Steps[0], spec.Step{})
	o := open(t, s, access.Limits{})
	c := client(t, o)
	for step, want := range [][]int{{503, 503, 200, 201, 201}, {503, 503, 200, 201, 201}, {404, 404}} {
		o.SetStep(step)
		var got []int
		for range want {
			resp, _ := mustGet(t, c, o.URL("/robots.txt"))
			got = append(got, resp.StatusCode)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("step %d: %s", step, diff)
		}
	}
	o.SetStep(0)
	for target, want := range map[string]int{"/a?b=%2f": 410, "/a?b=/": 200, "/a": 200} {
		if resp, _ := mustGet(t, c, o.URL(target)); resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", target, resp.StatusCode, want)
		}
	}
	o.SetStep(9)
	if resp, _ := mustGet(t, c, o.URL("/robots.txt")); resp.StatusCode != 404 {
		t.Errorf("after the last step: %d", resp.StatusCode)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	o := open(t, serving(spec.Response{Server: "other", Target: "/plain", Body: []byte("x")}), access.Limits{})
	c := client(t, o)
	o.Links([]string{o.URL("/a"), o.URL("{other}/b?c&d\"")})
	tests := []struct {
		url, contentType, title string
		links                   []string
	}{
		{"/", "text/html", "main /", []string{o.URL("/a"), o.URL("{other}/b?c&amp;d&#34;")}},
		{"/a", "text/html", "main /a", nil},
		{"/a%22%3E", "text/html", "main /a%22%3E", nil},
		{"{other}/", "text/html", "other /", nil},
		{"{other}/plain", "text/html", "", nil},
		{"{other}/robots.txt", "text/plain; charset=utf-8", "", nil},
	}
	link, title := regexp.MustCompile(`href="([^"]*)"`), regexp.MustCompile(`<title>(.*)</title>`)
	for _, test := range tests {
		resp, body := mustGet(t, c, o.URL(test.url))
		if got := resp.Header.Get("Content-Type"); got != test.contentType {
			t.Errorf("%s: Content-Type is %q", test.url, got)
		}
		got := ""
		if found := title.FindStringSubmatch(body); found != nil {
			got = found[1]
		}
		if got != test.title {
			t.Errorf("%s: the title is %q, want %q", test.url, got, test.title)
		}
		var links []string
		for _, found := range link.FindAllStringSubmatch(body, -1) {
			links = append(links, found[1])
		}
		if diff := cmp.Diff(test.links, links); diff != "" {
			t.Errorf("%s: links: %s", test.url, diff)
		}
	}
}

// TestKeepAlive reads several responses from one connection. One that had a body where
// none belongs would be taken for the next one.
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	o := open(t, serving(
		spec.Response{Body: []byte(rules), Headers: map[string]string{"ETag": `"1"`}},
		spec.Response{Target: "/204", Status: 204, Body: []byte(rules)},
		spec.Response{Target: "/304", Status: 304, Body: []byte(rules)},
		spec.Response{Target: "/599", Status: 599, Body: []byte(rules)},
		spec.Response{Target: "/chunked", Fault: "chunked", Body: []byte(rules)},
		spec.Response{Target: "/empty", Fault: "chunked"},
	), access.Limits{})
	c := dial(t, o)
	in := bufio.NewReader(c)
	exchange := func(method, target, extra string) (int, string) {
		t.Helper()
		fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: test\r\nUser-Agent: FooBot\r\nAccept-Encoding: gzip\r\nAccept-Encoding: br\r\n%s", method, target, extra)
		resp, err := http.ReadResponse(in, &http.Request{Method: method})
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.Close {
			t.Fatalf("%s: %v, closes: %v", target, err, resp.Close)
		}
		return resp.StatusCode, string(body)
	}
	type answer struct {
		Status int
		Body   string
	}
	var got []answer
	add := func(method, target, extra string) {
		status, body := exchange(method, target, extra)
		got = append(got, answer{status, body})
	}
	add("GET", "/robots.txt", "\r\n")
	add("HEAD", "/robots.txt", "\r\n")
	add("POST", "/robots.txt", "Content-Length: 3\r\n\r\nabc")
	add("GET", "/204", "\r\n")
	add("GET", "/304", "\r\n")
	add("GET", "/599", "\r\n")
	add("GET", "/chunked", "\r\n")
	add("HEAD", "/chunked", "\r\n")
	add("GET", "/empty", "\r\n")
	add("GET", "http://test/599", "\r\n")
	want := []answer{{200, rules}, {200, ""}, {200, rules}, {204, ""}, {304, ""}, {599, rules}, {200, rules}, {200, ""}, {200, ""}, {599, rules}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	c.Close()
	o.Close()
	log := o.Log()
	if len(log) != len(want) {
		t.Fatalf("log: %+v", log)
	}
	wantEntry := access.Request{
		Server: "main", Method: "GET", Target: "/599", Host: "test", UserAgent: "FooBot",
		AcceptEncoding: "gzip, br", Proto: "HTTP/1.1", Status: 599,
	}
	if diff := cmp.Diff(wantEntry, log[9], cmpopts.IgnoreFields(access.Request{}, "At")); diff != "" {
		t.Error(diff)
	}
	if !slices.IsSortedFunc(log, func(a, b access.Request) int { return int(a.At - b.At) }) {
		t.Errorf("the log is not in order: %+v", log)
	}
}

// TestOldClient answers a client of HTTP/1.0 without chunks.
func TestOldClient(t *testing.T) {
	t.Parallel()
	const request = "GET /robots.txt HTTP/1.0\r\n\r\n"
	for fault, want := range map[string]string{
		"":          head + length + closing + rules,
		"chunked":   head + length + closing + rules,
		"bad-chunk": head + length + closing + half,
		"endless":   head + closing + strings.Repeat(rules, 3)[:80],
	} {
		o := open(t, serving(spec.Response{Body: []byte(rules), Fault: fault}), access.Limits{Bytes: 80})
		if got, err := raw(t, o, request); got != want || err != nil {
			t.Errorf("%s: got\n%q, %v, want\n%q", fault, got, err, want)
		}
	}
}

// TestDate follows the time that the steps say has passed.
func TestDate(t *testing.T) {
	t.Parallel()
	s := serving(spec.Response{})
	s.Steps = append(s.Steps, spec.Step{After: 25 * time.Hour}, spec.Step{After: 24 * time.Hour})
	o := open(t, s, access.Limits{})
	c := client(t, o)
	date := func() time.Time {
		resp, _ := mustGet(t, c, o.URL("/robots.txt"))
		at, err := http.ParseTime(resp.Header.Get("Date"))
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	first := date()
	o.SetStep(2)
	if passed := date().Sub(first); passed < 49*time.Hour {
		t.Errorf("only %s passed", passed)
	}
}

// TestNoRequest logs connections on which no request came, and answers what is none.
func TestNoRequest(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		send string
		want int // status
	}{
		"nothing":       {"", 0},
		"half":          {"GET /robots.txt HTTP/1.1\r\nHost: te", 400},
		"TLS":           {"\x16\x03\x01\x02\x00\x01\x00\x01", 400},
		"endless":       {"GET / HTTP/1.1\r\nX: " + strings.Repeat("a", 200_000), 400},
		"two lengths":   {"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
		"only newlines": {"\r\n\r\n\r\n", 400},
	}
	for name, test := range tests {
		o := open(t, serving(), access.Limits{})
		c := dial(t, o)
		io.WriteString(c, test.send) // fails if the server closes first
		c.(*net.TCPConn).CloseWrite()
		io.Copy(io.Discard, c)
		o.Close()
		log := o.Log()
		want := []access.Request{{Server: "main", Status: test.want}}
		if diff := cmp.Diff(want, log, cmpopts.IgnoreFields(access.Request{}, "At")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestIdle closes a connection on which nothing comes.
func TestIdle(t *testing.T) {
	t.Parallel()
	o := open(t, serving(), access.Limits{Idle: time.Millisecond})
	if _, err := io.Copy(io.Discard, dial(t, o)); err != nil {
		t.Error(err)
	}
	o.Close()
	if log := o.Log(); len(log) != 1 || log[0].Method != "" {
		t.Errorf("log: %+v", log)
	}
}

func TestLimitOfRequests(t *testing.T) {
	t.Parallel()
	o := open(t, serving(), access.Limits{Requests: 5})
	c := client(t, o)
	for i := range 5 {
		mustGet(t, c, o.URL(fmt.Sprintf("/%d", i)))
		if got := o.Exceeded(); got != "" {
			t.Errorf("after %d requests: %q", i, got)
		}
	}
	for range 3 {
		if _, _, err := get(t, c, o.URL("/")); err == nil {
			t.Error("there was an answer beyond the limit")
		}
	}
	if got := o.Exceeded(); got != "requests" || len(o.Log()) != 5 {
		t.Errorf("exceeded %q after %d requests", got, len(o.Log()))
	}
}

func TestLimitOfConnections(t *testing.T) {
	t.Parallel()
	o := open(t, serving(), access.Limits{Connections: 2})
	c := client(t, o)
	c.Transport.(*http.Transport).DisableKeepAlives = true
	request := func(c net.Conn) error {
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: test\r\n\r\n")
		_, err := http.ReadResponse(bufio.NewReader(c), nil)
		return err
	}
	first, second := dial(t, o), dial(t, o)
	if err := errors.Join(request(first), request(second)); err != nil {
		t.Fatal(err)
	}
	if err := request(dial(t, o)); err == nil {
		t.Error("a third connection got an answer")
	}
	if got := o.Exceeded(); got != "connections" {
		t.Errorf("exceeded %q", got)
	}
	first.Close()
	for { // the server needs a moment to see it
		if _, _, err := get(t, c, o.URL("/")); err == nil {
			break
		}
		runtime.Gosched()
	}
}

// TestLongValues bounds the memory of the log.
func TestLongValues(t *testing.T) {
	t.Parallel()
	o := open(t, serving(), access.Limits{})
	long := strings.Repeat("a", 10_000)
	raw(t, o, "GET /"+long+" HTTP/1.1\r\nHost: "+long+"\r\nUser-Agent: "+long+"\r\nAccept-Encoding: "+long+"\r\nConnection: close\r\n\r\n")
	for _, r := range o.Log() {
		if size := len(r.Target) + len(r.Host) + len(r.UserAgent) + len(r.AcceptEncoding); size != 8000 {
			t.Errorf("an entry of the log has %d octets", size)
		}
	}
}

// TestClose ends while connections of every kind are open, and leaves none of them.
func TestClose(t *testing.T) {
	responses := []spec.Response{{Server: "third", Target: "/refuse", Fault: "refuse"}, {Server: "tls", Target: "/silent", Fault: "silent"}}
	open := map[string]string{"nothing": "", "half": "GET /ha", "kept": "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "body": "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n"}
	for _, fault := range []string{"silent", "silent-in-body", "drip", "endless", "endless-headers"} {
		responses = append(responses, spec.Response{Target: "/" + fault, Fault: fault, Body: []byte(rules)})
		open[fault] = "GET /" + fault + " HTTP/1.1\r\nHost: a\r\n\r\n"
	}
	before := runtime.NumGoroutine()
	o, err := access.Open(serving(responses...), access.Limits{Idle: time.Hour, Bytes: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	var conns []net.Conn
	for _, text := range open {
		c := dial(t, o)
		io.WriteString(c, text)
		conns = append(conns, c)
	}
	secure, err := tls.Dial("tcp", strings.TrimPrefix(o.URL("{tls}"), "https://"), &tls.Config{RootCAs: o.RootCAs()})
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(secure, "GET /silent HTTP/1.1\r\nHost: a\r\n\r\n")
	conns = append(conns, secure)
	for len(o.Log()) < len(open)-1 { // all but "nothing" and "half"
		runtime.Gosched()
	}
	o.Close()
	o.Close()
	for _, c := range conns {
		io.Copy(io.Discard, c) // ends
		c.Close()
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(o.URL("{main}"), "http://")); err == nil {
		t.Error("the server still listens")
	}
	o.SetStep(1) // does nothing
}
