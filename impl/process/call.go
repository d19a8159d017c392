package process

import (
	"fmt"
	"unicode/utf8"

	"github.com/repcheck/repcheck/spec"
)

// mostURLs bounds a request, since a whole request must be answered within
// Options.Timeout: at 512 even a library that takes 5 ms for a URL is in time.
const mostURLs = 512

// A call is one call of Ask. Its answers belong to the client until done is
// closed, then to the caller.
type call struct {
	answers []spec.Answer        // no verdict: not yet answered
	left    int                  // how many have no verdict
	cost    int                  // starts spent on its failures
	failed  map[spec.Verdict]int // how many got Timeout, Crash, ProtocolError
	done    chan struct{}        // closed when left is 0
}

func newCall(n int) *call {
	return &call{answers: make([]spec.Answer, n), left: n, done: make(chan struct{})}
}

// over reports whether all probes are answered.
func (c *call) over() bool { return c.left == 0 }

// answer sets answer i, unless it is set already.
func (c *call) answer(i int, a spec.Answer) {
	if c.over() || c.answers[i].Verdict != "" {
		return
	}
	c.answers[i] = a
	if c.left--; c.left == 0 {
		close(c.done)
	}
}

// answerRest sets all answers that are not yet set.
func (c *call) answerRest(a spec.Answer) {
	for i := range c.answers {
		c.answer(i, a)
	}
}

// mostFailures is how many URLs of one call may each cost a failure. A file that
// kills a library or makes it hang often does so for every URL, and a call may
// have hundreds. A timeout takes seconds, a restart a fraction of one.
var mostFailures = map[spec.Verdict]int{spec.Timeout: 3, spec.Crash: 10, spec.ProtocolError: 10}

// fail counts one more failure.
func (c *call) fail(v spec.Verdict) {
	if c.failed == nil {
		c.failed = map[spec.Verdict]int{}
	}
	if c.failed[v]++; c.failed[v] == mostFailures[v] {
		c.answerRest(spec.Answer{Verdict: v,
			Detail: fmt.Sprintf("was not sent, after %d other queries about this file that ended in %s", mostFailures[v], v)})
	}
}

// A request is a request line and the destination of its answers.
type request struct {
	call  *call
	index []int // of the call's answers, one for each of urls
	file  *file // shared by all requests about it
	agent string
	urls  []string
	body  []byte // from encodeQuestion
	// canary is set for a request of our own, which shows whether the adapter can
	// answer anything.
	canary bool
	// late is set if the request was in flight when the adapter timed out; it is
	// then sent a second time, alone and with a longer limit. slow is set if
	// nothing else was in flight.
	late, slow bool
}

// newCanary returns the simplest query there is, in a call of its own.
func newCanary() *request {
	r := &request{call: newCall(1), index: []int{0}, file: encodeFile([]byte("User-agent: *\nDisallow: /a\n"), false),
		agent: "FooBot", urls: []string{"http://x.test/a"}, canary: true}
	r.encode()
	return r
}

func (r *request) encode() { r.body = encodeQuestion(r.agent, r.urls) }

// split returns a request for each URL.
func (r *request) split() []*request {
	parts := make([]*request, len(r.urls))
	for i := range r.urls {
		part := *r
		part.index, part.urls = r.index[i:i+1], r.urls[i:i+1]
		part.encode()
		parts[i] = &part
	}
	return parts
}

// requests groups probes into as few requests as the protocol allows: one for
// each agent. URLs that are not UTF-8 have a request of their own, since they are
// written in a field of their own.
func (c *call) requests(f *file, probes []spec.Probe) []*request {
	type key struct {
		agent string
		text  bool
	}
	var all []*request
	open := make(map[key]*request, 1)
	for i, p := range probes {
		k := key{p.Agent, utf8.ValidString(p.URL)}
		r := open[k]
		if r == nil || len(r.urls) == mostURLs {
			r = &request{call: c, file: f, agent: p.Agent}
			open[k] = r
			all = append(all, r)
		}
		r.index = append(r.index, i)
		r.urls = append(r.urls, p.URL)
	}
	for _, r := range all {
		r.encode()
	}
	return all
}
