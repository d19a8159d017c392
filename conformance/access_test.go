package conformance_test

import (
	"compress/gzip"
	"compress/zlib"
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/access"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/subjects/crawlers"
	"github.com/repcheck/repcheck/spec"
)

// quick makes the servers wait less. The reference waits longer than they do.
var quick = conformance.AccessOptions{Idle: 300 * time.Millisecond}

// TestAccessReference runs every scenario on the reference fetcher, under each
// interpretation.
func TestAccessReference(t *testing.T) {
	t.Parallel()
	data := spec.Default().Access()
	for _, name := range spec.Interpretations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fetcher, err := crawlers.Reference(name)
			if err != nil {
				t.Fatal(err)
			}
			o := quick
			o.Interpretation, o.FailOn = name, spec.May
			r := conformance.Access(t.Context(), data, data.Scenarios, []impl.Crawler{fetcher}, o)
			for _, c := range r.Cases {
				for _, check := range c.Outcomes[0].Checks {
					if check.Status >= conformance.Known {
						t.Errorf("%s: %s: got %+v, want %s", c.ID, spec.ProbeID(check.Probe), check.Got, check.Want)
					}
				}
			}
		})
	}
}

// policyFetcher returns the reference fetcher with a changed choice.
func policyFetcher(t *testing.T, choice string) impl.Crawler {
	var policy access.Policy
	if err := policy.Set(choice); err != nil {
		t.Fatal(err)
	}
	return impl.FetcherCrawler(spec.SubjectInfo{Name: "policy"}, true, func(o impl.FetcherOptions) (impl.Fetcher, error) {
		return asked{access.New(access.Options{Policy: policy, Clock: o.Now, TLS: &tls.Config{RootCAs: o.Roots}, Timeout: time.Minute,
			SiteWorks: func(string) bool { return true }})}, nil
	})
}

type asked struct{ *access.Fetcher }

func (f asked) Allowed(ctx context.Context, agent, url string) (bool, error) {
	d, err := f.Fetcher.Allowed(ctx, agent, url)
	return d.Allow, err
}

// untold are the points about which no scenario can be, with the reason.
var untold = map[string]string{
	"scope-equality": "the URLs of scenarios cannot spell a host in two ways; the tests of impl/access do",
}

// TestAccessChoices compares each choice of the reference fetcher with the verdicts
// that the scenarios have for it.
func TestAccessChoices(t *testing.T) {
	t.Parallel()
	data := spec.Default().Access()
	for _, choice := range access.Choices() {
		t.Run(choice, func(t *testing.T) {
			t.Parallel()
			point, id, _ := strings.Cut(choice, "=")
			var scenarios []spec.Scenario
			for _, s := range data.Scenarios {
				if s.Point == point {
					scenarios = append(scenarios, s)
				}
			}
			if why := untold[point]; (why == "") != (len(scenarios) > 0) {
				t.Fatalf("%d scenarios are about it, although: %q; add one to spec/cases/access, or change untold", len(scenarios), why)
			}
			compared := 0
			r := conformance.Access(t.Context(), data, scenarios, []impl.Crawler{policyFetcher(t, choice)}, quick)
			for i, c := range r.Cases {
				for k, check := range c.Outcomes[0].Checks {
					want, got := data.Case(c.ID).Expect[k].Choices[id], check.Got.Verdict
					if want == "" || got == spec.Unsupported {
						continue // a count of requests, or the machine has no IPv6
					}
					if compared++; got != want {
						t.Errorf("%s: %s: got %s, want %s", scenarios[i].Pos, spec.ProbeID(check.Probe), got, want)
					}
				}
			}
			if compared == 0 && len(scenarios) > 0 {
				t.Error("no answer was compared")
			}
		})
	}
}

// A wrongFetcher is an obvious fetcher that follows RFC 9309, except for what its fields
// say.
type wrongFetcher struct {
	client *http.Client
	now    func() time.Time
	files  map[string]*kept

	verdict       func(status int) spec.Verdict // of a status, empty if the body or the redirect decides
	hops          int                           // 5
	parseError    bool                          // an interrupted body is parsed
	failed        spec.Verdict                  // of an error of the network
	limit         int64                         // of octets
	life          time.Duration
	key           func(*url.URL) string
	path          string                       // of the file
	afterRedirect func(from, to *url.URL) bool // whether a redirect is followed
	bind          func(first, last *url.URL) string
	agent         func(string) string
	raw           bool // bodies stay encoded
	noQuery       bool
	ignoreRules   bool
}

type kept struct {
	at      time.Time
	verdict spec.Verdict
	file    *reference.File
}

func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

func soundFetcher(o impl.FetcherOptions) *wrongFetcher {
	return &wrongFetcher{
		client: &http.Client{
			Timeout:       time.Minute,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: o.Roots}, DisableKeepAlives: true, DisableCompression: true},
		},
		now: o.Now, files: map[string]*kept{},
		verdict: func(status int) spec.Verdict {
			switch {
			case status >= 200 && status < 300:
				return ""
			case status >= 400 && status < 500:
				return spec.Allow
			}
			return spec.Disallow
		},
		hops: 5, failed: spec.Disallow, limit: 512_000, life: 24 * time.Hour, key: origin, path: "/robots.txt",
		afterRedirect: func(*url.URL, *url.URL) bool { return true },
		bind:          func(first, _ *url.URL) string { return origin(first) },
		agent:         func(a string) string { return a },
	}
}

func (f *wrongFetcher) Allowed(ctx context.Context, agent, target string) (bool, error) {
	u, err := url.Parse(target)
	if err != nil {
		return false, err
	}
	k := f.files[f.key(u)]
	if k == nil || f.now().Sub(k.at) >= f.life {
		var bound string
		k, bound = f.fetch(ctx, agent, u)
		f.files[bound] = k
		if bound != f.key(u) {
			k = &kept{verdict: spec.Allow} // the rules hold elsewhere
		}
	}
	if k.verdict != "" {
		return k.verdict == spec.Allow, nil
	}
	return f.ignoreRules || k.file.Test(f.agent(agent), target).Allow, nil
}

func (f *wrongFetcher) fetch(ctx context.Context, agent string, page *url.URL) (*kept, string) {
	first := &url.URL{Scheme: page.Scheme, Host: page.Host, Path: f.path}
	at, k := first, &kept{at: f.now()}
	for hop := 0; ; hop++ {
		request, _ := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
		request.Header.Set("User-Agent", agent)
		request.Header.Set("Accept-Encoding", "gzip, deflate")
		response, err := f.client.Do(request)
		if err != nil {
			k.verdict = f.failed
			return k, f.bind(first, at)
		}
		location, err := response.Location()
		switch status := response.StatusCode; {
		case status >= 300 && status < 400 && err == nil:
			response.Body.Close()
			if hop == f.hops || !f.afterRedirect(at, location) {
				k.verdict = spec.Allow
				return k, f.bind(first, at)
			}
			if at = location; f.noQuery {
				at.RawQuery = ""
			}
			continue
		default:
			if k.verdict = f.verdict(status); k.verdict == "" {
				k.verdict = f.parse(response, k)
			}
		}
		response.Body.Close()
		return k, f.bind(first, at)
	}
}

func (f *wrongFetcher) parse(response *http.Response, k *kept) spec.Verdict {
	var body io.Reader = response.Body
	var err error
	switch encoding := response.Header.Get("Content-Encoding"); {
	case f.raw:
	case encoding == "gzip":
		body, err = gzip.NewReader(body)
	case encoding == "deflate":
		body, err = zlib.NewReader(body)
	}
	if err != nil {
		return f.failed
	}
	octets, err := io.ReadAll(io.LimitReader(body, f.limit))
	if err != nil && !f.parseError {
		return f.failed
	}
	k.file = reference.New(reference.RFC9309()).Parse(octets)
	return ""
}

// wrong are the mutants: each breaks one sentence of sections 2.3 to 2.5.
var wrong = map[string]func(*wrongFetcher){
	"500 allows":            func(f *wrongFetcher) { f.status(500, 500, spec.Allow) },
	"502 allows":            func(f *wrongFetcher) { f.status(502, 502, spec.Allow) },
	"503 allows":            func(f *wrongFetcher) { f.status(503, 503, spec.Allow) },
	"504 allows":            func(f *wrongFetcher) { f.status(504, 504, spec.Allow) },
	"599 allows":            func(f *wrongFetcher) { f.status(599, 599, spec.Allow) },
	"rules of a 500 hold":   func(f *wrongFetcher) { f.status(500, 599, "") },
	"404 disallows":         func(f *wrongFetcher) { f.status(404, 404, spec.Disallow) },
	"410 disallows":         func(f *wrongFetcher) { f.status(410, 410, spec.Disallow) },
	"400 disallows":         func(f *wrongFetcher) { f.status(400, 400, spec.Disallow) },
	"451 disallows":         func(f *wrongFetcher) { f.status(451, 451, spec.Disallow) },
	"200 allows":            func(f *wrongFetcher) { f.status(200, 200, spec.Allow) },
	"200 disallows":         func(f *wrongFetcher) { f.status(200, 200, spec.Disallow) },
	"203 allows":            func(f *wrongFetcher) { f.status(203, 203, spec.Allow) },
	"rules are ignored":     func(f *wrongFetcher) { f.ignoreRules = true },
	"no redirect":           func(f *wrongFetcher) { f.hops = 0 },
	"one redirect":          func(f *wrongFetcher) { f.hops = 1 },
	"two redirects":         func(f *wrongFetcher) { f.hops = 2 },
	"four redirects":        func(f *wrongFetcher) { f.hops = 4 },
	"no redirect to others": func(f *wrongFetcher) { f.afterRedirect = func(from, to *url.URL) bool { return from.Host == to.Host } },
	"no redirect to HTTPS": func(f *wrongFetcher) {
		f.afterRedirect = func(from, to *url.URL) bool { return from.Scheme == to.Scheme }
	},
	"rules bind who served them":    func(f *wrongFetcher) { f.bind = func(_, last *url.URL) string { return origin(last) } },
	"redirects lose the query":      func(f *wrongFetcher) { f.noQuery = true },
	"errors of the network allow":   func(f *wrongFetcher) { f.failed = spec.Allow },
	"kept forever":                  func(f *wrongFetcher) { f.life = 1 << 62 },
	"kept for seven days":           func(f *wrongFetcher) { f.life = 7 * 24 * time.Hour },
	"4 KiB":                         func(f *wrongFetcher) { f.limit = 4 << 10 },
	"64 KiB":                        func(f *wrongFetcher) { f.limit = 64 << 10 },
	"256 KiB":                       func(f *wrongFetcher) { f.limit = 256 << 10 },
	"one file for all ports":        func(f *wrongFetcher) { f.keyed(func(u *url.URL) string { return u.Scheme + u.Hostname() }) },
	"one file for all schemes":      func(f *wrongFetcher) { f.keyed(func(*url.URL) string { return "" }) },
	"another path":                  func(f *wrongFetcher) { f.path = "/Robots.txt" },
	"gzip is not decoded":           func(f *wrongFetcher) { f.raw = true },
	"rules for everybody":           func(f *wrongFetcher) { f.agent = func(string) string { return "*" } },
	"rules for another agent":       func(f *wrongFetcher) { f.agent = func(string) string { return "OtherBot" } },
	"204 and 206 disallow with 203": func(f *wrongFetcher) { f.status(203, 206, spec.Disallow) },
}

// status changes the verdict of some statuses.
func (f *wrongFetcher) status(from, to int, v spec.Verdict) {
	sound := f.verdict
	f.verdict = func(status int) spec.Verdict {
		if status >= from && status <= to {
			return v
		}
		return sound(status)
	}
}

// keyed changes for which URLs a file holds.
func (f *wrongFetcher) keyed(key func(*url.URL) string) {
	f.key = key
	f.bind = func(first, _ *url.URL) string { return key(first) }
}

// TestAccessMutants runs the judging scenarios on a fetcher that follows RFC 9309, which
// passes all that MUST and SHOULD say, and on mutants of it, each of which fails one.
func TestAccessMutants(t *testing.T) {
	t.Parallel()
	data := spec.Default().Access()
	var scenarios []spec.Scenario
	for _, s := range data.Scenarios {
		if !s.Classifies() {
			scenarios = append(scenarios, s)
		}
	}
	failures := func(t *testing.T, change func(*wrongFetcher)) (failed []string) {
		mutant := impl.FetcherCrawler(spec.SubjectInfo{Name: "mutant"}, true, func(o impl.FetcherOptions) (impl.Fetcher, error) {
			f := soundFetcher(o)
			change(f)
			return f, nil
		})
		r := conformance.Access(t.Context(), data, scenarios, []impl.Crawler{mutant}, quick)
		for _, c := range r.Cases {
			if c.Outcomes[0].Status >= conformance.Known {
				failed = append(failed, c.ID)
			}
		}
		return failed
	}
	t.Run("sound", func(t *testing.T) {
		t.Parallel()
		for _, id := range failures(t, func(*wrongFetcher) {}) {
			if level := data.Case(id).Level; level.Weight() >= spec.Should.Weight() {
				t.Errorf("it fails %s (%s)", id, level)
			}
		}
	})
	sound := failures(t, func(*wrongFetcher) {})
	for name, change := range wrong {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			isNew := func(id string) bool { return !slices.Contains(sound, id) }
			if !slices.ContainsFunc(failures(t, change), isNew) {
				t.Errorf("no scenario fails it beside %v", sound)
			}
		})
	}
}
