package impl

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/repcheck/repcheck/impl/process"
	"github.com/repcheck/repcheck/spec"
)

// A Crawler takes part in the scenarios of the access layer: it gets robots.txt itself,
// over HTTP. There are two kinds: a [Fetcher] is asked about URLs, a [CrawlCommand] is
// sent to a site.
type Crawler interface {
	Info() spec.SubjectInfo
	// Visit begins a visit of a site. A crawler that keeps files for later visits
	// keeps them for this visit only.
	Visit() (Visit, error)
}

// A Visit is one crawler at one site, until Close.
type Visit interface {
	// Step sends the crawler to the site. It returns an answer for each page, or nil if
	// the requests that the servers saw tell the answers. [ErrNoClock] means
	// that the crawler cannot be told that time has passed.
	Step(ctx context.Context, s Site) ([]spec.Answer, error)
	Close() error
}

// ErrNotMeasurable is wrapped by the error of a visit that a crawler cannot make.
var ErrNotMeasurable = errors.New("not measurable")

var errNoClock = fmt.Errorf("%w: its clock cannot be set", ErrNotMeasurable)

// A Site is a site at one moment.
type Site struct {
	// Seed is the URL of a page that links to Pages.
	Seed  string
	Pages []spec.Probe
	// Roots has the certificate of the site's HTTPS server, and so has RootsFile, in PEM.
	Roots     *x509.CertPool
	RootsFile string
	// Since is the time since the first step.
	Since time.Duration
}

// A Fetcher fetches robots.txt files and answers whether an agent may fetch a URL. An
// error means that it has no verdict; if it wraps [errors.ErrUnsupported], the fetcher
// is not what decides.
type Fetcher interface {
	Allowed(ctx context.Context, agent, url string) (bool, error)
}

// FetcherOptions are what a [Fetcher] under test is made with.
type FetcherOptions struct {
	// Now is the present time, which a scenario may move.
	Now func() time.Time
	// Roots are the certificates that the fetcher has to trust.
	Roots *x509.CertPool
}

// FetcherCrawler returns the crawler for the fetchers that open returns, one for each
// visit. hasClock is set if they use FetcherOptions.Now.
func FetcherCrawler(info spec.SubjectInfo, hasClock bool, open func(FetcherOptions) (Fetcher, error)) Crawler {
	return fetcherCrawler{info, hasClock, open}
}

type fetcherCrawler struct {
	info     spec.SubjectInfo
	hasClock bool
	open     func(FetcherOptions) (Fetcher, error)
}

func (c fetcherCrawler) Info() spec.SubjectInfo { return c.info }
func (c fetcherCrawler) Visit() (Visit, error) {
	return &fetcherVisit{fetcherCrawler: c, began: time.Now()}, nil
}

type fetcherVisit struct {
	fetcherCrawler
	began   time.Time
	since   time.Duration
	fetcher Fetcher
}

func (v *fetcherVisit) Step(ctx context.Context, s Site) ([]spec.Answer, error) {
	if s.Since > 0 && !v.hasClock {
		return nil, errNoClock
	}
	v.since = s.Since
	if v.fetcher == nil {
		var err error
		o := FetcherOptions{Now: func() time.Time { return v.began.Add(v.since) }, Roots: s.Roots}
		if v.fetcher, err = v.open(o); err != nil {
			return nil, err
		}
	}
	answers := make([]spec.Answer, len(s.Pages))
	for i, page := range s.Pages {
		answers[i] = v.ask(ctx, page.Agent, page.URL)
	}
	return answers, nil
}

// ask asks about one page. A fetcher that does not return when ctx ends is left behind.
func (v *fetcherVisit) ask(ctx context.Context, agent, page string) spec.Answer {
	done := make(chan spec.Answer, 1)
	go func() { done <- v.call(ctx, agent, page) }()
	select {
	case a := <-done:
		return a
	case <-ctx.Done():
	}
	select {
	case a := <-done:
		return a
	case <-time.After(lastWords):
		return spec.Answer{Verdict: spec.Timeout, Detail: "the fetcher did not return when its context ended"}
	}
}

// lastWords is how long a fetcher may take to return after its context has ended.
const lastWords = time.Second

// call asks about one page. A fetcher that panics has crashed, and one whose error has
// no verdict has refused to answer.
func (v *fetcherVisit) call(ctx context.Context, agent, page string) (a spec.Answer) {
	defer func() {
		if p := recover(); p != nil {
			a = spec.Answer{Verdict: spec.Crash, Detail: fmt.Sprintf("panic: %v", p)}
		}
	}()
	allow, err := v.fetcher.Allowed(ctx, agent, page)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return spec.Answer{Verdict: spec.Unsupported, Detail: err.Error()}
	case errors.Is(err, context.DeadlineExceeded):
		return spec.Answer{Verdict: spec.Timeout, Detail: err.Error()}
	case err != nil:
		return spec.Answer{Verdict: spec.Reject, Detail: err.Error()}
	}
	return spec.Allowed(allow)
}

func (v *fetcherVisit) Close() error { return nil }

// CrawlCommand returns the crawler for a program that crawls a site and exits.
//
// o.Command is its command line. In each word {seed} is replaced by the URL to begin
// with, {agent} by the product token, {dir} by an empty folder that is deleted
// afterwards, and {ca} by a file with the certificate of the site's HTTPS server, which
// common environment variables name too.
func CrawlCommand(info spec.SubjectInfo, o ProcessOptions) (Crawler, error) {
	if !strings.Contains(strings.Join(o.Command, " "), "{seed}") {
		return nil, errors.New("the command has no place for {seed}: write it where the crawler takes the URL to begin with")
	}
	program, err := exec.LookPath(o.Command[0])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoProgram, err)
	}
	if info.Name == "" {
		name := strings.TrimSuffix(filepath.Base(program), filepath.Ext(program))
		info = spec.SubjectInfo{Name: "crawler-" + strings.ToLower(name), Package: strings.Join(o.Command, " ")}
	}
	return &crawlCommand{info, o}, nil
}

// rootsVariables are the environment variables by which programs find certificates.
var rootsVariables = []string{"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "PERL_LWP_SSL_CA_FILE"}

type crawlCommand struct {
	info spec.SubjectInfo
	o    ProcessOptions
}

func (c *crawlCommand) Info() spec.SubjectInfo { return c.info }
func (c *crawlCommand) Visit() (Visit, error)  { return crawlVisit{c}, nil }

type crawlVisit struct{ *crawlCommand }

// Step runs the program. How it exits does not matter, as many crawlers exit with an
// error if a page could not be had; an Ending that the harness caused is an error.
func (v crawlVisit) Step(ctx context.Context, s Site) ([]spec.Answer, error) {
	if s.Since > 0 {
		return nil, errNoClock
	}
	agent := s.Pages[0].Agent
	if slices.ContainsFunc(s.Pages, func(p spec.Probe) bool { return p.Agent != agent }) {
		return nil, fmt.Errorf("%w: a crawler has one product token", ErrNotMeasurable)
	}
	dir, err := os.MkdirTemp("", "repcheck-crawl-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	o := v.o
	o.Command = nil
	o.Env = slices.Clone(o.Env)
	for _, name := range rootsVariables {
		o.Env = append(o.Env, name+"="+s.RootsFile)
	}
	fill := strings.NewReplacer("{seed}", s.Seed, "{agent}", agent, "{dir}", dir, "{ca}", s.RootsFile)
	for _, word := range v.o.Command {
		o.Command = append(o.Command, fill.Replace(word))
	}
	end, err := process.Run(ctx, o)
	switch {
	case err != nil:
		return nil, err
	case end.Late:
		return nil, fmt.Errorf("it did not end within %v: %w", o.Timeout, context.DeadlineExceeded)
	case end.Excess != "":
		return nil, &CrawlCrash{"it " + end.Excess}
	case end.Exit < 0:
		return nil, &CrawlCrash{"it ended (" + end.State + ")"}
	}
	return nil, nil
}

// A CrawlCrash is the error of a crawler that did not exit by itself.
type CrawlCrash struct{ how string }

func (e *CrawlCrash) Error() string { return e.how }

func (v crawlVisit) Close() error { return nil }
