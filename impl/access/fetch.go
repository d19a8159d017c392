package access

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/impl/reference"
)

const (
	// fiveRedirects is the number of redirects that section 2.3.1.2 has followed.
	fiveRedirects = 5
	// mostRedirects bounds RedirectLimitMore, above the 20 that web browsers follow.
	mostRedirects = 30
)

// A class is what section 2.3.1 makes of a response.
type class uint8

const (
	classUnreachable class = iota
	classUnavailable
	classForbidden
	classFile
)

// A failure is what an unreachable file means before 30 days are over.
type failure uint8

const (
	failureDisallow failure = iota
	failureAllow
	failureNoVerdict
)

// A result is what one fetch found.
type result struct {
	class    class
	failure  failure // of classUnreachable
	response Response
	header   http.Header     // of the response; nil if it must not be used
	file     *reference.File // of classFile
}

func (r result) unavailable() result {
	r.class = classUnavailable
	return r
}

func (r result) unreachable(f failure) result {
	r.class, r.failure = classUnreachable, f
	return r
}

// broken returns the result for a server error or a network error.
func (f *Fetcher) broken(r result, err error) result {
	r.response.Err = err
	switch f.opts.Policy.ServerError {
	case ServerErrorAllow:
		return r.unreachable(failureAllow)
	case ServerErrorNoVerdict:
		return r.unreachable(failureNoVerdict)
	}
	return r.unreachable(failureDisallow)
}

// fetch requests a file and follows redirects. If there is a copy, it is revalidated.
func (f *Fetcher) fetch(ctx context.Context, target *url.URL, agent string, kept *fileCopy) result {
	for hop := 0; ; hop++ {
		r, next := f.request(ctx, target, hop, agent, kept)
		if next == nil {
			return r
		}
		target = next
	}
}

// request makes one request. next is the target of a redirect that is to be
// followed, or nil.
func (f *Fetcher) request(ctx context.Context, target *url.URL, hop int, agent string, kept *fileCopy) (r result, next *url.URL) {
	r.response = Response{URL: target.String(), Hop: hop}
	header := http.Header{
		"Accept":          {"text/plain, */*;q=0.5"},
		"Accept-Encoding": {"gzip, deflate"},
		"User-Agent":      {agent},
	}
	if f.opts.UserAgent != "" {
		header.Set("User-Agent", f.opts.UserAgent)
	}
	conditional := kept.condition(header, r.response.URL)
	req := &http.Request{Method: http.MethodGet, URL: target, Header: header}
	resp, err := f.transport.RoundTrip(req.WithContext(ctx))
	if err != nil {
		return f.broken(r, err), nil
	}
	defer resp.Body.Close()
	r.response.Status, r.header = resp.StatusCode, resp.Header
	if conditional && resp.StatusCode == http.StatusNotModified {
		r.class, r.file, r.header = classFile, kept.file, kept.renewed(resp.Header)
		return r, nil
	}
	if next := redirectTarget(target, resp); next != nil {
		return f.follow(r, next)
	}
	return f.classify(r, resp), nil
}

// redirectTarget returns the URL that a redirect names, or nil if the response is
// no redirect to an http or https URL.
func redirectTarget(target *url.URL, resp *http.Response) *url.URL {
	switch resp.StatusCode {
	case 301, 302, 303, 307, 308:
	default:
		return nil
	}
	location := resp.Header.Get("Location")
	next, err := target.Parse(location)
	if location == "" || err != nil || !isHTTP(next) || next.Hostname() == "" {
		return nil
	}
	next.User, next.Fragment, next.RawFragment = nil, "", ""
	return next
}

// follow applies the limits of section 2.3.1.2 to a redirect.
func (f *Fetcher) follow(r result, next *url.URL) (result, *url.URL) {
	policy, limit := f.opts.Policy, fiveRedirects
	if policy.RedirectLimit == RedirectLimitMore {
		limit = mostRedirects
	}
	switch {
	case r.response.Hop >= limit && policy.RedirectLimit == RedirectLimitFiveThenUnreachable:
		return r.unreachable(failureDisallow), nil
	case r.response.Hop >= limit: // RFC9309-2.3.1.2-5
		return r.unavailable(), nil
	case policy.RedirectTarget == RedirectTargetRobotsOnly && next.Path != robotsPath:
		return r.unavailable(), nil
	}
	return r, next
}

// classify returns the result for a response that is not followed further.
func (f *Fetcher) classify(r result, resp *http.Response) result {
	policy, status := f.opts.Policy, resp.StatusCode
	switch {
	case status >= 200 && status <= 299:
		return f.read(r, resp)
	case (status == 401 || status == 403) && policy.ForbiddenStatus == ForbiddenStatusDisallow:
		r.class = classForbidden
		return r
	case status == 429 && policy.TooManyRequests == TooManyRequestsUnreachable:
		return r.unreachable(failureDisallow)
	case status >= 400 && status <= 499 && policy.UnavailableBody == UnavailableBodyObeyed:
		return f.read(r, resp)
	case status >= 400 && status <= 499:
		return r.unavailable()
	case status >= 500 && status <= 599:
		return f.broken(r, nil)
	}
	switch policy.OtherStatus {
	case OtherStatusUnavailable:
		return r.unavailable()
	case OtherStatusError:
		return r.unreachable(failureNoVerdict)
	}
	return r.unreachable(failureDisallow)
}

// read parses the body of a response.
func (f *Fetcher) read(r result, resp *http.Response) result {
	policy, media := f.opts.Policy, mediaType(resp.Header)
	if policy.MediaType == MediaTypePlainOnly && media != "" && media != "text/plain" {
		return r.unavailable()
	}
	body, err := f.body(resp)
	switch {
	case err != nil && (policy.ServerError != ServerErrorParsePartial || len(body) == 0):
		return f.broken(r, err)
	case policy.MediaType == MediaTypeHTMLAbsent && isHTML(media) && !hasUserAgent(body):
		return r.unavailable()
	}
	if err != nil {
		r.response.Err, r.header = err, nil
	}
	r.class, r.file = classFile, f.parser.Parse(body)
	return r
}

// mediaType returns the media type in lower case, or "" if there is none.
func mediaType(h http.Header) string {
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	if media == "" { // invalid parameters
		media, _, _ = strings.Cut(h.Get("Content-Type"), ";")
	}
	return strings.ToLower(strings.TrimSpace(media))
}

func isHTML(media string) bool { return media == "text/html" || media == "application/xhtml+xml" }

func hasUserAgent(body []byte) bool {
	isLineEnd := func(r rune) bool { return r == '\r' || r == '\n' }
	return slices.ContainsFunc(bytes.FieldsFunc(body, isLineEnd), func(line []byte) bool {
		key, _, ok := bytes.Cut(line, []byte{':'})
		return ok && bytes.EqualFold(bytes.TrimSpace(key), []byte("user-agent"))
	})
}

// body returns the decoded body up to the limit. If the body is longer and the
// parser has a limit, it is one byte longer than the limit, so that the parser
// knows. With an error, the body is what arrived before.
func (f *Fetcher) body(resp *http.Response) ([]byte, error) {
	limit := f.opts.MaxBytes
	reader, err := decoder(resp, 2*int64(limit)+maxHeader)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(reader, int64(limit)+1))
	if len(body) > limit && f.opts.Interpretation[reference.SizeLimit] == reference.SizeLimitNone {
		if next := body[limit]; next != '\r' && next != '\n' {
			// The first part of "Disallow: /foo" could forbid the whole site.
			limit = bytes.LastIndexAny(body[:limit], "\r\n") + 1
		}
		body = body[:limit]
	}
	return bytes.Clone(body), err
}

// mostEncodings is the number of content encodings of one body; a server that uses
// more than one is rare.
const mostEncodings = 2

// decoder returns a reader that decodes the body. The body and every decoded stage
// but the last have at most limit bytes, so a small body cannot make long work.
func decoder(resp *http.Response, limit int64) (io.Reader, error) {
	var codings []string
	for coding := range strings.SplitSeq(strings.Join(resp.Header.Values("Content-Encoding"), ","), ",") {
		if coding = strings.ToLower(strings.TrimSpace(coding)); coding != "" && coding != "identity" {
			codings = append(codings, coding)
		}
	}
	if len(codings) > mostEncodings {
		return nil, fmt.Errorf("%d content encodings", len(codings))
	}
	var reader io.Reader = resp.Body
	for _, coding := range slices.Backward(codings) {
		buffered := bufio.NewReader(io.LimitReader(reader, limit))
		start, err := buffered.Peek(2)
		if len(start) == 0 && err == io.EOF {
			return buffered, nil // an empty body has no encoding
		}
		switch {
		case coding == "gzip" || coding == "x-gzip":
			reader, err = gzip.NewReader(buffered)
		case coding == "deflate" && isZlib(start):
			reader, err = zlib.NewReader(buffered)
		case coding == "deflate":
			// Some servers leave out the zlib header of RFC 1950.
			reader, err = flate.NewReader(buffered), nil
		default:
			err = errors.New("it was not offered")
		}
		if err != nil {
			return nil, fmt.Errorf("content encoding %q: %w", coding, err)
		}
	}
	return reader, nil
}

// isZlib reports whether the bytes are a zlib header (RFC 1950 section 2.2).
func isZlib(start []byte) bool {
	return len(start) == 2 && start[0]&0xF == 8 && binary.BigEndian.Uint16(start)%31 == 0
}
