package access_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/conformance/internal/access"
	"github.com/repcheck/repcheck/spec"
)

// parseLog reads a log: a line for each request, with the URL as scenarios write it, and
// then, where they matter, status=, fault=, agent= and step=. A line with a dash is a
// connection without a request.
func parseLog(t *testing.T, lines string) []access.Request {
	t.Helper()
	var log []access.Request
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		r := access.Request{Server: "main", Method: "GET", Target: words[0], Status: 200, UserAgent: "FooBot/1.0"}
		if words[0] == "-" {
			r = access.Request{Server: "main"}
		}
		if server, target, ok := strings.Cut(words[0], "}"); ok {
			r.Server, r.Target = server[1:], target
		}
		for _, word := range words[1:] {
			key, value, _ := strings.Cut(word, "=")
			var err error
			switch key {
			case "status":
				_, err = fmt.Sscan(value, &r.Status)
			case "step":
				_, err = fmt.Sscan(value, &r.Step)
			case "fault":
				r.Fault = value
			case "agent":
				r.UserAgent = value
			default:
				t.Fatalf("unknown word %q", word)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		log = append(log, r)
	}
	return log
}

func redirect(from, to string) spec.Response {
	r := spec.Response{Target: from, Status: 302, Headers: map[string]string{"location": to}}
	if server, target, ok := strings.Cut(from, "}"); ok {
		r.Server, r.Target = server[1:], target
	}
	return r
}

func TestFindings(t *testing.T) {
	t.Parallel()
	plain := serving()
	loop := serving(redirect("/robots.txt", "/loop"), redirect("/loop", "/robots.txt"))
	hops := serving(redirect("/robots.txt", "rules?a=b"), redirect("/rules?a=b", "{other}/robots.txt"), redirect("{other}/robots.txt", "/end"), redirect("/moved", "{third}/moved"))
	linked := serving()
	linked.Steps[0].Expect = []spec.Expectation{expect("{other}/a", spec.Allow), expect("//b", spec.Allow)}
	times := func(n int, line string) string { return strings.Repeat(line+"\n", n) }
	tests := []struct {
		name     string
		scenario *spec.Scenario
		log      string
		exceeded string
		want     []access.Finding
	}{
		{"a good crawler", plain, `
			/robots.txt
			/
			/public/a.html
			/public/b.html
			/robots.txt step=1
			/public/a.html step=1
			-`, "", nil},
		{"nothing", plain, "", "requests", nil},
		{"the seed comes first", plain, `
			/
			/robots.txt
			/a`, "", nil},

		{"20 times is no loop", loop, times(20, "/robots.txt status=302"), "", nil},
		{"a loop", loop, "/robots.txt status=302\n" + times(21, "/loop status=301") + "/robots.txt status=302", "",
			[]access.Finding{{Kind: access.RedirectLoop, Text: "The crawler requested {main}/loop 21 times in one step, although it is a redirect.", Lines: indexes(1, 22)}}},
		{"a loop over two steps", loop, times(15, "/loop status=302") + times(15, "/loop status=302 step=1"), "", nil},
		{"no redirect", plain, times(50, "/robots.txt status=503"), "", nil},

		{"refetched for each page", plain, `
			/robots.txt
			/
			/robots.txt
			/a`, "",
			[]access.Finding{{Kind: access.Refetch, Text: "The crawler requested {main}/robots.txt 2 times for 2 pages in one step.", Lines: []int{0, 2}}}},
		{"refetched by pages at the same time", plain, `
			/robots.txt
			/robots.txt
			/a
			/b`, "",
			[]access.Finding{{Kind: access.Refetch, Text: "The crawler requested {main}/robots.txt 2 times for 2 pages in one step.", Lines: []int{0, 1}}}},
		{"refetched after failures", plain, `
			/robots.txt status=500
			/a
			/robots.txt status=500
			/b`, "",
			[]access.Finding{{Kind: access.Refetch, Text: "The crawler requested {main}/robots.txt 2 times for 2 pages in one step.", Lines: []int{0, 2}}}},
		{"one page", plain, `
			/robots.txt
			/robots.txt
			/a`, "", nil},
		{"not for the second page", plain, `
			/robots.txt
			/a
			/b
			/robots.txt
			/robots.txt
			/c`, "", nil},
		{"retries", plain, `
			/robots.txt status=503
			/robots.txt status=429
			/robots.txt status=0 fault=reset
			/robots.txt fault=close-in-body
			/robots.txt
			/a
			/b`, "", nil},
		{"no retry", plain, `
			/robots.txt fault=chunked
			/robots.txt fault=http-1.0
			/a
			/b`, "",
			[]access.Finding{{Kind: access.Refetch, Text: "The crawler requested {main}/robots.txt 2 times for 2 pages in one step.", Lines: []int{0, 1}}}},
		{"redirects to itself", plain, `
			/robots.txt status=302
			/robots.txt
			/a
			/robots.txt status=302
			/robots.txt
			/b`, "", nil},
		{"in two steps", plain, `
			/robots.txt
			/a
			/robots.txt step=1
			/a step=1`, "", nil},

		{"another agent", plain, `
			/robots.txt agent=Robots
			/ agent=Mozilla
			/a agent=Robots
			/b agent=Mozilla`, "",
			[]access.Finding{{Kind: access.OtherAgent, Text: `The crawler requested pages as "Mozilla", but /robots.txt as "Robots".`, Lines: []int{0, 1, 3}}}},
		{"two agents with robots.txt", plain, `
			/robots.txt agent=A
			/a agent=A
			/b agent=A
			/robots.txt agent=B
			/robots.txt agent=C
			/c agent=B`, "", nil},
		{"a hop is no page", hops, `
			/robots.txt status=302
			/rules?a=b status=302 agent=B
			/`, "", nil},

		{"hops to other servers", hops, `
			/robots.txt status=302
			/rules?a=b status=302
			{other}/robots.txt status=302
			/end
			/moved status=302
			{third}/moved`, "", []access.Finding{
			{Kind: access.PageBeforeRobots, Text: "The crawler requested {third}/moved before {third}/robots.txt.", Lines: []int{5}},
		}},
		{"beyond the redirect", hops, `
			/robots.txt status=302
			{other}/robots.txt
			{third}/robots.txt
			{other}/
			{other}/favicon.ico`, "", []access.Finding{
			{Kind: access.BeyondRedirect, Text: "The crawler requested {third}/robots.txt, to which nothing redirects.", Lines: []int{2}},
			{Kind: access.BeyondRedirect, Text: "The crawler requested {other}/, to which nothing redirects.", Lines: []int{3, 4}},
		}},
		{"linked on another server", linked, `
			/robots.txt
			{other}/robots.txt
			{other}/a
			//b`, "", nil},

		{"page before robots.txt", plain, `
			/
			/a
			/b
			/robots.txt
			/c`, "",
			[]access.Finding{{Kind: access.PageBeforeRobots, Text: "The crawler requested {main}/a before {main}/robots.txt.", Lines: []int{1, 2}}}},
		{"robots.txt of another server", linked, `
			/robots.txt
			{other}/a`, "",
			[]access.Finding{{Kind: access.PageBeforeRobots, Text: "The crawler requested {other}/a before {other}/robots.txt.", Lines: []int{1}}}},
		{"robots.txt of an earlier step", plain, `
			/robots.txt
			/a
			/a step=1`, "", nil},

		{"flood", plain, "/robots.txt\n/a\n/b", "requests",
			[]access.Finding{{Kind: access.Flood, Text: "The crawler was stopped after 3 requests.", Lines: []int{2}}}},
		{"an endless body", plain, "/robots.txt fault=endless", "bytes", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := &access.Observation{Log: parseLog(t, test.log), Exceeded: test.exceeded}
			if diff := cmp.Diff(test.want, access.Findings(test.scenario, o)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func indexes(from, to int) []int {
	return slices.Collect(func(yield func(int) bool) {
		for i := from; i < to && yield(i); i++ {
		}
	})
}
