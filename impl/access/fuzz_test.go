package access_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl/access"
)

// A bits reads the choices of a test from the octets of a fuzz input. Behind the end
// it reads zeros.
type bits []byte

func (b *bits) below(n int) int {
	if len(*b) == 0 {
		return 0
	}
	value := int((*b)[0]) % n
	*b = (*b)[1:]
	return value
}

func pick[T any](b *bits, from ...T) T { return from[b.below(len(from))] }

func (b *bits) policy() access.Policy {
	var p access.Policy
	var point string
	var choices []string
	set := func() {
		if len(choices) > 0 {
			if err := p.Set(pick(b, choices...)); err != nil {
				panic(err)
			}
		}
	}
	for _, choice := range access.Choices() {
		if id, _, _ := strings.Cut(choice, "="); id != point {
			set()
			point, choices = id, nil
		}
		choices = append(choices, choice)
	}
	set()
	return p
}

func (b *bits) reply() reply {
	r := reply{cut: -1, maxAge: -1, expires: -1, media: pick(b, "text/plain", "text/html", "")}
	r.status = pick(b, 200, 302, 404, 503, 200, 304, 301, 308, 303, 307, 204, 206, 300, 302, 305, 400, 401, 403, 410, 429, 451, 500, 599, 600, 999)
	r.location = pick(b, "/robots.txt", "/other", "http://b.test/robots.txt", "//b.test/robots.txt", "", "ftp://b.test/robots.txt",
		"http://b.test/%zz", "http://a.test/robots.txt", "mailto:a@b.test")
	r.body = pick(b, privateRules, "", "User-agent: *\nDisallow: /private\nAllow: /private\n", "<html>Not found</html>\n", "User-agent: OtherBot\nDisallow: /\n")
	switch b.below(12) {
	case 1:
		r.refuse = true
	case 2:
		r.drop = true
	case 3:
		r.cut = pick(b, 0, 14, 25, 33, 100)
	}
	switch b.below(8) {
	case 1:
		r.noStore = true
	case 2:
		r.noCache = true
	case 3, 4:
		r.maxAge = pick(b, 0, 60, 7200, 200_000)
	case 5:
		r.expires = pick(b, 0, 60, 200_000)
	}
	r.tag = b.below(2) == 1
	return r
}

// servers are the servers of all hosts. They make the replies in order.
type servers struct {
	mu       sync.Mutex
	replies  []reply
	next     int
	requests []string
	now      func() time.Time
}

func (s *servers) dial(context.Context, string, string) (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.replies[s.next%len(s.replies)]
	s.next++
	if r.refuse {
		return nil, errors.New("refused")
	}
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		request, err := http.ReadRequest(bufio.NewReader(server))
		if err != nil {
			return
		}
		line := request.Host + request.RequestURI
		if request.Header.Get("If-None-Match") != "" {
			line += " conditional"
		}
		s.mu.Lock()
		s.requests = append(s.requests, line)
		s.mu.Unlock()
		if !r.drop {
			io.WriteString(server, r.http(s.now()))
		}
	}()
	return client, nil
}

// http returns the octets of the response.
func (r reply) http(now time.Time) string {
	var b strings.Builder
	length := len(r.body)
	if r.cut >= 0 {
		length = max(length, r.cut) + 1
	}
	fmt.Fprintf(&b, "HTTP/1.1 %d Text\r\nDate: %s\r\nContent-Length: %d\r\n", r.status, now.Format(http.TimeFormat), length)
	for _, field := range []struct {
		used        bool
		name, value string
	}{
		{r.media != "", "Content-Type", r.media},
		{r.location != "", "Location", r.location},
		{r.noStore, "Cache-Control", "no-store"},
		{r.noCache, "Cache-Control", "no-cache"},
		{r.maxAge >= 0, "Cache-Control", fmt.Sprintf("max-age=%d", r.maxAge)},
		{r.expires >= 0, "Expires", now.Add(time.Duration(r.expires) * time.Second).Format(http.TimeFormat)},
		{r.tag, "ETag", `"1"`},
	} {
		if field.used {
			fmt.Fprintf(&b, "%s: %s\r\n", field.name, field.value)
		}
	}
	b.WriteString("\r\n")
	if r.status == 204 || r.status == 304 {
		return b.String()
	}
	if r.cut >= 0 {
		b.WriteString(r.body[:min(r.cut, len(r.body))])
	} else {
		b.WriteString(r.body)
	}
	return b.String()
}

// FuzzFetcher compares the fetcher with the model after sequences of responses,
// failures and steps of time.
func FuzzFetcher(f *testing.F) {
	f.Add([]byte{})
	for seed := range 60 {
		data := make([]byte, 150)
		state := uint32(seed + 1)
		for i := range data {
			state = state*1664525 + 1013904223
			data[i] = byte(state >> 24)
		}
		f.Add(data)
		// The same with the policy of RFC 9309.
		clear(data[:12])
		f.Add(slices.Clone(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b := bits(data)
		now := newClock()
		m := &model{policy: b.policy(), works: b.below(2) == 1, history: map[string][]event{}}
		s := &servers{now: now.Now}
		fetcher := access.New(access.Options{
			Policy: m.policy, DialContext: s.dial, Clock: now.Now, SiteWorks: func(string) bool { return m.works },
		})
		var past time.Duration
		for step := 0; step < 12 && len(b) > 0; step++ {
			past += pick(&b, 0, time.Second, 61*time.Second, 5*time.Minute, 3*time.Hour, 12*time.Hour, 24*time.Hour, 50*time.Hour, 30*24*time.Hour)
			now.at(past)
			s.replies, s.next, s.requests, m.requests = nil, 0, nil, nil
			for range 1 + b.below(8) {
				s.replies = append(s.replies, b.reply())
			}
			host := pick(&b, "a.test", "A.test", "a.test:80")
			got, err := fetcher.Allowed(t.Context(), "ExampleBot", "http://"+host+"/private")
			s.mu.Lock()
			requests := s.requests
			s.mu.Unlock()

			allow, reason, noVerdict, last, until := m.ask(host, now.Now(), s.replies)
			where := fmt.Sprintf("step %d after %v, policy %q, replies %+v", step+1, past, m.policy.Deviations(), s.replies)
			if err != nil && !errors.Is(err, access.ErrNoVerdict) || (err != nil) != noVerdict {
				t.Fatalf("%s: error %v, want one: %t", where, err, noVerdict)
			}
			got.Response.Err = nil
			type answer struct {
				Allow    bool
				Reason   string
				Response access.Response
				Until    time.Time
				Requests []string
			}
			if diff := cmp.Diff(
				answer{allow, reason.String(), last, until, m.requests},
				answer{got.Allow, got.Reason.String(), got.Response, got.Until, requests}); diff != "" {
				t.Fatalf("%s: (-model +fetcher)\n%s", where, diff)
			}
		}
	})
}
