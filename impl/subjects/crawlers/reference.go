package crawlers

import (
	"context"
	"crypto/tls"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/access"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// Reference returns the reference fetcher under a named interpretation. Its clock can
// be set.
func Reference(interpretation string) (impl.Crawler, error) {
	policy, err := access.Named(interpretation)
	if err != nil {
		return nil, err
	}
	in, err := reference.Named(interpretation)
	if err != nil {
		return nil, err
	}
	info := spec.SubjectInfo{Name: impl.ReferenceName, Package: "github.com/repcheck/repcheck/impl/access", Version: interpretation, Language: "go"}
	return impl.FetcherCrawler(info, true, func(o impl.FetcherOptions) (impl.Fetcher, error) {
		return allowed{access.New(access.Options{Policy: policy, Interpretation: in, Clock: o.Now, TLS: &tls.Config{RootCAs: o.Roots}, Timeout: requestTime})}, nil
	}), nil
}

// allowed asks the reference fetcher.
type allowed struct{ *access.Fetcher }

func (f allowed) Allowed(ctx context.Context, agent, url string) (bool, error) {
	d, err := f.Fetcher.Allowed(ctx, agent, url)
	return d.Allow, err
}
