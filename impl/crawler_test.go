package impl_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// fetcherFunc is a fetcher whose answer depends on the URL.
type fetcherFunc func(ctx context.Context, url string) (bool, error)

func (f fetcherFunc) Allowed(ctx context.Context, _, url string) (bool, error) { return f(ctx, url) }

// TestFetcherCrawler: whatever a fetcher does, there is an answer for each page.
func TestFetcherCrawler(t *testing.T) {
	t.Parallel()
	forever := make(chan struct{})
	defer close(forever)
	crawler := impl.FetcherCrawler(spec.SubjectInfo{Name: "mine"}, false, func(impl.FetcherOptions) (impl.Fetcher, error) {
		return fetcherFunc(func(ctx context.Context, url string) (bool, error) {
			switch url {
			case "/panics":
				panic("oh")
			case "/fails":
				return false, errors.New("no file")
			case "/leaves":
				return false, errors.ErrUnsupported
			case "/waits":
				<-ctx.Done()
				return false, ctx.Err()
			case "/hangs":
				<-forever
			}
			return url == "/allowed", nil
		}), nil
	})
	visit, err := crawler.Visit()
	if err != nil {
		t.Fatal(err)
	}
	defer visit.Close()
	for url, want := range map[string]spec.Verdict{
		"/allowed": spec.Allow, "/other": spec.Disallow, "/panics": spec.Crash, "/fails": spec.Reject, "/leaves": spec.Unsupported,
		"/waits": spec.Timeout, "/hangs": spec.Timeout,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if url == "/waits" || url == "/hangs" {
			ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
		}
		answers, err := visit.Step(ctx, impl.Site{Pages: []spec.Probe{{Agent: "FooBot", URL: url}}})
		cancel()
		if err != nil || len(answers) != 1 || answers[0].Verdict != want {
			t.Errorf("%s: %+v, %v, want %s", url, answers, err, want)
		}
	}
	if _, err := visit.Step(t.Context(), impl.Site{Since: time.Hour}); !errors.Is(err, impl.ErrNotMeasurable) {
		t.Errorf("time passes without a clock: %v", err)
	}
}

// TestCrawlCommand checks what a crawler may not be, and that two product tokens are
// too many for one.
func TestCrawlCommand(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"no-such-crawler {seed}": "no-such-crawler",
		"go version":             "no place for {seed}",
	} {
		_, err := impl.CrawlCommand(spec.SubjectInfo{}, impl.ProcessOptions{Command: strings.Fields(command)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", command, err, want)
		}
	}
	crawler, err := impl.CrawlCommand(spec.SubjectInfo{}, impl.ProcessOptions{Command: []string{"go", "version", "{seed}"}})
	if err != nil {
		t.Fatal(err)
	}
	if name := crawler.Info().Name; name != "crawler-go" {
		t.Errorf("it is named %q", name)
	}
	visit, err := crawler.Visit()
	if err != nil {
		t.Fatal(err)
	}
	defer visit.Close()
	site := impl.Site{Pages: []spec.Probe{{Agent: "FooBot", URL: "/a"}, {Agent: "BarBot", URL: "/a"}}}
	if _, err := visit.Step(t.Context(), site); !errors.Is(err, impl.ErrNotMeasurable) {
		t.Errorf("two product tokens: %v", err)
	}
}
