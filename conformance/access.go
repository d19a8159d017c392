package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/repcheck/repcheck/conformance/internal/access"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// AccessOptions configure [Access]. Jobs is how many visits of one crawler run at a time;
// 0 means 8.
type AccessOptions struct {
	Options
	// Idle is how long a server keeps a connection open that it leaves without an answer;
	// 0 means 2 seconds.
	Idle time.Duration
}

// Access runs scenarios on crawlers and judges what they do. Each visit has servers and
// ports of its own. Each page of a scenario is a query: a crawler that fetches it has
// allowed it. A scenario that requires others is skipped for a crawler that fails
// these. The result has the form of [Run]'s.
func Access(ctx context.Context, data *spec.Data, scenarios []spec.Scenario, crawlers []impl.Crawler, o AccessOptions) *Result {
	if o.Idle == 0 {
		o.Idle = 2 * time.Second
	}
	if o.Jobs == 0 {
		o.Jobs = 8
	}
	if o.Interpretation == "" {
		o.Interpretation = spec.Interpretations[0]
	}
	cases := make([]spec.Case, len(scenarios))
	for i := range scenarios {
		cases[i] = scenarios[i].Case()
	}
	subjects := make([]impl.Subject, len(crawlers))
	for i, c := range crawlers {
		subjects[i] = &crawling{Crawler: c, data: data, options: o, visits: map[string]func() visited{}}
	}
	r := start(data, cases, subjects, &o.Options)
	r.judge(ctx, data, o.variants(cases), subjects, o.Options)
	for i := range r.Cases {
		r.Cases[i].Scenario = true
		if slices.ContainsFunc(r.Cases[i].Outcomes, func(o Outcome) bool { return o.Status >= Known }) {
			r.Cases[i].Robots = excerpt(cases[i].Robots)
		}
	}
	r.finish()
	return r
}

// crawling is the subject for a crawler.
type crawling struct {
	impl.Crawler
	data    *spec.Data
	options AccessOptions

	alone  sync.RWMutex // held for writing by a visit that must be alone
	mu     sync.Mutex   // guards visits
	visits map[string]func() visited
}

func (c *crawling) Kind() impl.Kind   { return impl.InManyProcesses }
func (c *crawling) Parallel() int     { return c.options.Jobs }
func (c *crawling) Stats() impl.Stats { return impl.Stats{} }
func (c *crawling) Err() error        { return nil }
func (c *crawling) Close() error      { return nil }

// Ask is not used: ask calls visit.
func (c *crawling) Ask(context.Context, []byte, []spec.Probe) []spec.Answer {
	panic("a crawler is sent to the site of a scenario")
}

// visited is a scenario after a visit: an answer for each query, whether all are right,
// and what the servers saw.
type visited struct {
	answers            []spec.Answer
	passed             bool
	requests, findings []string
}

// visit visits the site of a scenario, once.
func (c *crawling) visit(ctx context.Context, id string) visited {
	c.mu.Lock()
	once := c.visits[id]
	if once == nil {
		once = sync.OnceValue(func() visited { return c.visitSite(ctx, c.data.Scenario(id)) })
		c.visits[id] = once
	}
	c.mu.Unlock()
	return once()
}

func (c *crawling) visitSite(ctx context.Context, s *spec.Scenario) visited {
	of := s.Case()
	for _, id := range s.Requires {
		if c.data.Scenario(id) != nil && !c.visit(ctx, id).passed {
			return visited{answers: sameAnswer(len(of.Expect), spec.Unsupported, "not measurable, as the crawler fails "+id)}
		}
	}
	c.alone.RLock()
	v, late := c.crawl(ctx, s, 1)
	c.alone.RUnlock()
	if late && ctx.Err() == nil { // a busy machine must not make a crawler fail
		c.alone.Lock()
		v, _ = c.crawl(ctx, s, 2)
		c.alone.Unlock()
	}
	v.passed = true
	for i := range of.Expect {
		_, status := judgeOne(&of.Expect[i], v.answers[i].Verdict, c.options.Interpretation)
		v.passed = v.passed && status <= Pass
	}
	return v
}

// outcome judges the visit of a scenario. A fetcher may have no verdict where the
// documents leave a point open.
func (c *crawling) outcome(ctx context.Context, of *spec.Case) Outcome {
	began := time.Now()
	v := c.visit(ctx, of.ID)
	out := Outcome{Subject: c.Info().Name, Checks: []Check{}}
	if ctx.Err() != nil {
		return out
	}
	out = judge(of, out.Subject, v.answers, c.options.Interpretation)
	out.Elapsed, out.Requests, out.Findings = time.Since(began), v.requests, v.findings
	if of.Classifies() {
		out.Status = NotScored
		for i := range out.Checks {
			check := &out.Checks[i]
			if check.Got.Verdict == spec.Reject {
				check.Status = Classified
			}
			out.Status = max(out.Status, check.Status)
		}
	}
	return out
}

// crawl sends the crawler to the site of a scenario and reports whether it ran out of
// time.
func (c *crawling) crawl(ctx context.Context, s *spec.Scenario, slack time.Duration) (v visited, late bool) {
	none := func(verdict spec.Verdict, why error) visited {
		return visited{answers: sameAnswer(len(s.Case().Expect), verdict, why.Error())}
	}
	origin, err := access.Open(s, access.Limits{Idle: c.options.Idle})
	if errors.Is(err, access.ErrNoIPv6) {
		return none(spec.Unsupported, err), false
	} else if err != nil {
		return none(spec.ProtocolError, err), false
	}
	defer origin.Close()
	dir, err := os.MkdirTemp("", "repcheck-access-")
	if err != nil {
		return none(spec.ProtocolError, err), false
	}
	defer os.RemoveAll(dir)
	roots, err := origin.CAFile(dir)
	if err != nil {
		return none(spec.ProtocolError, err), false
	}
	visit, err := c.Visit()
	if err != nil {
		return none(spec.ProtocolError, err), false
	}
	defer visit.Close()

	var log []access.Request
	since := time.Duration(0)
	for n, step := range s.Steps {
		since += step.After
		origin.SetStep(n)
		site := impl.Site{Seed: origin.URL("/"), Roots: origin.RootCAs(), RootsFile: roots, Since: since}
		var links []string
		for _, e := range step.Expect {
			e.URL = origin.URL(e.URL)
			site.Pages = append(site.Pages, e.Probe)
			links = append(links, e.URL)
		}
		origin.Links(links)
		bounded, cancel := context.WithTimeout(ctx, slack*visitTime)
		answers, err := visit.Step(bounded, site)
		cancel()
		log = origin.Log()
		late = late || errors.Is(err, context.DeadlineExceeded)
		v.answers = append(v.answers, stepAnswers(step, n, answers, err, log)...)
	}
	for _, r := range log {
		v.requests = append(v.requests, r.String())
	}
	for _, f := range access.Findings(s, log, origin.Exceeded()) {
		v.findings = append(v.findings, f.Kind+": "+f.Text)
	}
	return v, late
}

// visitTime is how long one step of a visit may take.
const visitTime = 30 * time.Second

// stepAnswers returns the answers to the queries of a step, pages before counts of
// requests. Without answers of the crawler, those are the pages that it fetched.
func stepAnswers(step spec.Step, n int, answers []spec.Answer, err error, log []access.Request) []spec.Answer {
	count := func(server, target string) (seen int) {
		for _, r := range log {
			if r.Step == n && r.Server == server && r.Target == target {
				seen++
			}
		}
		return seen
	}
	if encoding := notOffered(step, n, log); encoding != "" && err == nil {
		err = fmt.Errorf("%w: it does not offer %s", impl.ErrNotMeasurable, encoding)
	}
	if errors.Is(err, impl.ErrNotMeasurable) {
		return sameAnswer(len(step.Expect)+len(step.Requests), spec.Unsupported, err.Error())
	}
	if answers == nil {
		for _, e := range step.Expect {
			a := spec.Allowed(count(spec.SplitPage(e.URL)) > 0)
			var crash *impl.CrawlCrash
			switch {
			case a.Verdict == spec.Allow || err == nil:
			case errors.Is(err, context.DeadlineExceeded):
				a = spec.Answer{Verdict: spec.Timeout, Detail: err.Error()}
			case errors.As(err, &crash):
				a = spec.Answer{Verdict: spec.Crash, Detail: err.Error()}
			default:
				a = spec.Answer{Verdict: spec.ProtocolError, Detail: err.Error()}
			}
			answers = append(answers, a)
		}
	}
	for _, c := range step.Requests {
		answers = append(answers, c.Answer(count(c.Server, c.Target)))
	}
	return answers
}

// notOffered returns an encoding in which a server answered although the crawler did not
// offer it, "" if there is none: what the crawler makes of it says nothing.
func notOffered(step spec.Step, n int, log []access.Request) string {
	for _, a := range step.Serve {
		if a.Encoding == "" || a.Headers["Content-Encoding"] != "" {
			continue
		}
		for _, r := range log {
			if r.Step == n && r.Server == a.Server && r.Target == a.Target && !strings.Contains(r.AcceptEncoding, a.Encoding) {
				return a.Encoding
			}
		}
	}
	return ""
}

func sameAnswer(n int, verdict spec.Verdict, why string) []spec.Answer {
	return slices.Repeat([]spec.Answer{{Verdict: verdict, Detail: why}}, n)
}
