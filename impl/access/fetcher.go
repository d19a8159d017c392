// Package access fetches robots.txt and decides whether a crawler may fetch a URL
// (RFC 9309 sections 2.3 to 2.5). Package reference parses what was fetched.
//
//	fetcher := access.New(access.Options{})
//	decision, err := fetcher.Allowed(ctx, "ExampleBot", "https://example.com/a")
//	if err == nil && decision.Allow {
//		// fetch the URL
//	}
//
// The file of a URL is found at its scheme, host and port. What the server answers
// decides:
//
//	200 to 299      the rules of the body are obeyed       section 2.3.1.1
//	a redirect      is followed, at least five times       section 2.3.1.2
//	400 to 499      the file is unavailable: all allowed   section 2.3.1.3
//	500 to 599      the file is unreachable: all closed    section 2.3.1.4
//	network errors  the same                               section 2.3.1.4
//
// An answer is kept for 24 hours, or less if the header says so (section 2.4), and
// 500 KiB of a file are parsed (section 2.5). Where the documents are open or
// differ, a [Policy] makes a choice, like an interpretation of package reference.
//
// The time, the memory and the number of requests for one file are bounded,
// whatever a server does. Proxies, cookies and credentials are not used. The
// package imports the standard library and package reference only.
//
// International host names are not converted: the two forms of one name are two
// hosts with one file each.
package access

import (
	"cmp"
	"container/list"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/repcheck/repcheck/impl/reference"
)

// Options configure a Fetcher. The zero value follows RFC 9309.
type Options struct {
	// Policy makes the choices about fetching, Interpretation those about parsing.
	Policy         Policy
	Interpretation reference.Interpretation

	// UserAgent is the User-Agent header of the requests. By default, it is the
	// product token of the crawler on whose behalf the file is fetched.
	UserAgent string

	// DialContext replaces the dialer of the net package, and TLS its default
	// configuration.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
	TLS         *tls.Config
	// BlockPrivate refuses connections to addresses that are not public, such as
	// loopback, private and link-local ones. It applies to the address that a
	// name resolves to, and also after a redirect. A host that is refused is
	// unreachable. A connection of DialContext is checked before anything is sent.
	BlockPrivate bool

	// MaxBytes is the number of decoded bytes that are parsed of a body; the rest
	// is not read. It is at least, and by default, 512,000 (section 2.5).
	MaxBytes int
	// Timeout limits one fetch with all its redirects. The default is 30 seconds.
	Timeout time.Duration
	// Retry is the time for which an unreachable file, or one that was received
	// in part, is not requested again. The default is 5 minutes.
	Retry time.Duration
	// MaxAuthorities is the number of hosts whose answers are kept; the ones used
	// least recently are forgotten. The default is 1,000. A kept answer takes
	// up to a few times MaxBytes.
	MaxAuthorities int

	// Clock returns the current time, for the cache only. The default is time.Now.
	Clock func() time.Time
	// SiteWorks reports whether the pages of an origin ("https://example.com") can
	// be fetched. It is called only with ThirtyDaysAllowIfSiteWorks, and nil
	// means that they cannot. It must be safe for concurrent use.
	SiteWorks func(origin string) bool
}

// A Fetcher fetches robots.txt files, keeps them and makes decisions. It is safe for
// concurrent use, and concurrent callers that need the same file share one fetch.
type Fetcher struct {
	opts      Options
	transport *http.Transport
	parser    *reference.Parser
	empty     *reference.File

	mu      sync.Mutex
	entries map[string]*list.Element // of *entry, by the key of the origin
	recent  *list.List               // the entry used last comes first
}

// New returns a Fetcher. It needs no Close: connections are not reused, and nothing
// runs while nothing is fetched.
func New(opts Options) *Fetcher {
	opts.MaxBytes = min(max(opts.MaxBytes, reference.ParsingLimit), mostBytes)
	opts.Timeout = cmp.Or(max(opts.Timeout, 0), 30*time.Second)
	opts.Retry = cmp.Or(max(opts.Retry, 0), 5*time.Minute)
	opts.MaxAuthorities = cmp.Or(max(opts.MaxAuthorities, 0), 1000)
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	parser := reference.New(opts.Interpretation)
	return &Fetcher{
		opts:      opts,
		transport: newTransport(opts),
		parser:    parser,
		empty:     parser.Parse(nil),
		entries:   map[string]*list.Element{},
		recent:    list.New(),
	}
}

// Allowed decides whether the crawler with the product token agent may fetch a URL,
// which must be absolute, with the scheme http or https. It fetches the robots.txt
// file first if no answer is kept.
//
// A failure to fetch the file is no error but a reason for the decision. The error is
// not nil only if the URL or the agent is invalid, if ctx ended, or if the policy
// refuses to decide: see ErrNoVerdict. With an error, Allow is false.
func (f *Fetcher) Allowed(ctx context.Context, agent, url string) (Decision, error) {
	if agent == "" || strings.ContainsFunc(agent+f.opts.UserAgent, isControl) {
		return Decision{}, fmt.Errorf("invalid product token %q or User-Agent header %q", agent, f.opts.UserAgent)
	}
	o, err := originOf(url, f.opts.Policy.ScopeEquality)
	if err != nil {
		return Decision{}, err
	}
	// RFC9309-2.2.2-11: whether this URL is allowed does not depend on a file.
	if rule := f.empty.Test(agent, url); rule.Reason == reference.ReasonRobotsTxt {
		return Decision{Allow: true, Reason: ReasonRobotsTxt, Rule: rule}, nil
	}
	s, err := f.lookup(ctx, o, agent)
	if err != nil {
		return Decision{}, fmt.Errorf("robots.txt of %s: %w", o.name, err)
	}
	return f.decide(s, o, agent, url)
}

func isControl(r rune) bool { return r < 0x20 || r == 0x7F }

// mostBytes is the number of bytes that the parser reads at most.
const mostBytes = 1 << 30

// maxHeader is the largest response header that is read, in bytes. It leaves room
// for cookies and security policies, which take a few KiB on real sites.
const maxHeader = 64 << 10

func newTransport(opts Options) *http.Transport {
	t := &http.Transport{
		DialContext:            dialer(opts),
		TLSClientConfig:        opts.TLS,
		MaxResponseHeaderBytes: maxHeader,
		// A site has one file, so there is hardly a second request that could use
		// the connection.
		DisableKeepAlives: true,
		Protocols:         &http.Protocols{},
	}
	t.Protocols.SetHTTP1(true)
	return t
}

// ErrPrivateAddress is the error of a Response if Options.BlockPrivate refused the
// address of the server.
var ErrPrivateAddress = errors.New("the address is not public")
