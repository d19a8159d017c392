// Package crawlers provides the crawlers and fetchers that repcheck compares. Those in
// Go are part of the binary: a fetcher runs in this process, and a crawler in a process
// of its own, for which the binary calls itself.
package crawlers

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/PuerkitoBio/gocrawl"
	"github.com/PuerkitoBio/goquery"
	"github.com/benjaminestes/robots/v2"
	"github.com/gocolly/colly/v2"
	"github.com/temoto/robotstxt"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// A Crawler has one of Crawl and Fetcher.
type Crawler struct {
	Info spec.SubjectInfo
	// Crawl crawls a site from one page, with the links of that page, and returns when
	// there is nothing left to fetch.
	Crawl func(seed, agent string) error
	// Fetcher returns a fetcher that uses no clock.
	Fetcher func(impl.FetcherOptions) (impl.Fetcher, error)
}

// All returns the crawlers, sorted by name.
func All() []Crawler {
	return []Crawler{
		{Info: info("benjaminestes-http", "github.com/benjaminestes/robots/v2", "v2.0.5"), Fetcher: overHTTP(askBenjaminestes)},
		{Info: info("colly", "github.com/gocolly/colly/v2", "v2.3.0"), Crawl: crawlWithColly},
		{Info: info("gocrawl", "github.com/PuerkitoBio/gocrawl", "v1.0.1"), Crawl: crawlWithGocrawl},
		{Info: info("temoto-http", "github.com/temoto/robotstxt", "v1.1.2"), Fetcher: overHTTP(askTemoto)},
	}
}

func info(name, path, version string) spec.SubjectInfo {
	return spec.SubjectInfo{Name: name, Package: path, Version: version, Language: "go"}
}

func crawlWithColly(seed, agent string) error {
	c := colly.NewCollector(colly.UserAgent(agent), colly.MaxDepth(2))
	c.IgnoreRobotsTxt = false
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	return c.Visit(seed)
}

// A once follows links and fetches no page twice.
type once struct{ gocrawl.DefaultExtender }

// Visit asks for the links of a page.
func (*once) Visit(*gocrawl.URLContext, *http.Response, *goquery.Document) (any, bool) {
	return nil, true
}

// Filter leaves out pages that were fetched before.
func (*once) Filter(_ *gocrawl.URLContext, visited bool) bool { return !visited }

func crawlWithGocrawl(seed, agent string) error {
	o := gocrawl.NewOptions(&once{})
	o.UserAgent, o.RobotUserAgent = agent, agent
	o.CrawlDelay, o.WorkerIdleTTL = time.Millisecond, time.Second
	o.SameHostOnly = false
	o.URLNormalizationFlags = 0
	o.LogFlags = gocrawl.LogNone
	return gocrawl.NewCrawlerWithOptions(o).Run(seed)
}

// An overHTTP fetcher gets robots.txt with net/http, as programs do whose library takes a
// status and a body, and gives both to ask.
type askHTTP func(status int, body io.Reader, agent, url string) (bool, error)

func overHTTP(ask askHTTP) func(impl.FetcherOptions) (impl.Fetcher, error) {
	return func(o impl.FetcherOptions) (impl.Fetcher, error) {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: o.Roots}, DisableKeepAlives: true}
		return fetcher{&http.Client{Transport: transport, Timeout: requestTime}, ask}, nil
	}
}

// requestTime is how long a fetcher waits for an answer.
const requestTime = 20 * time.Second

type fetcher struct {
	client *http.Client
	ask    askHTTP
}

// Allowed fetches the file for each URL.
func (f fetcher) Allowed(ctx context.Context, agent, url string) (bool, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false, err
	}
	request.URL.Path, request.URL.RawPath, request.URL.RawQuery, request.URL.User = "/robots.txt", "", "", nil
	request.Header.Set("User-Agent", agent)
	response, err := f.client.Do(request)
	if err != nil {
		return false, fmt.Errorf("the library takes a status and leaves errors of the client to its caller: %w (%w)", errors.ErrUnsupported, err)
	}
	defer response.Body.Close()
	return f.ask(response.StatusCode, io.LimitReader(response.Body, 64<<20), agent, url)
}

func askTemoto(status int, body io.Reader, agent, url string) (bool, error) {
	octets, err := io.ReadAll(body)
	if err != nil {
		return false, err
	}
	data, err := robotstxt.FromStatusAndBytes(status, octets)
	if err != nil {
		return false, err
	}
	_, path, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(url, "http://"), "https://"), "/")
	return data.TestAgent("/"+path, agent), nil
}

func askBenjaminestes(status int, body io.Reader, agent, url string) (bool, error) {
	file, err := robots.From(status, body)
	if err != nil {
		return false, err
	}
	return file.Test(agent, url), nil
}
