package access

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/repcheck/repcheck/impl/reference"
)

// day is the time for which section 2.4 has a copy used, and the lifetime of an
// answer whose header does not name one.
const day = 24 * time.Hour

// A state is what is known about one origin after a fetch. It does not change.
type state struct {
	result
	// copy is the last file, also while the file is unreachable; nil if there is
	// none.
	copy *fileCopy
	// since is the time of the first of the failures without a success between
	// them, if the file is unreachable.
	since time.Time
	// until is the time of the next fetch.
	until time.Time
	// stored reports whether the header lets the answer be kept.
	stored bool
}

// A fileCopy is a parsed file with the header that it came with.
type fileCopy struct {
	file   *reference.File
	header http.Header
	url    string
}

// condition adds the fields of a conditional request for the copy to a request for
// url. It reports whether there are any.
func (c *fileCopy) condition(header http.Header, url string) bool {
	if c == nil || c.url != url {
		return false
	}
	tag, modified := c.header.Get("Etag"), c.header.Get("Last-Modified")
	if tag != "" {
		header.Set("If-None-Match", tag)
	}
	if modified != "" {
		header.Set("If-Modified-Since", modified)
	}
	return tag != "" || modified != ""
}

// renewed returns the header of the copy with the fields of a 304 response (RFC
// 9111 section 3.2).
func (c *fileCopy) renewed(newer http.Header) http.Header {
	header := cacheFields(c.header)
	header.Del("Date") // these two are about the older response
	header.Del("Age")
	for name, values := range cacheFields(newer) {
		header[name] = values
	}
	return header
}

// cacheFields returns the fields that matter to the cache.
func cacheFields(h http.Header) http.Header {
	kept := http.Header{}
	for _, name := range []string{"Age", "Cache-Control", "Date", "Etag", "Expires", "Last-Modified"} {
		if values := h.Values(name); len(values) > 0 {
			kept[name] = values
		}
	}
	return kept
}

// next returns the state after a fetch. prev is the state before it, or nil.
func (f *Fetcher) next(prev *state, r result, now time.Time) *state {
	s := &state{result: r, since: now, until: now.Add(f.opts.Retry), stored: true}
	s.header = cacheFields(r.header)
	switch {
	case r.class == classUnreachable && prev != nil:
		s.copy = prev.copy
		if prev.class == classUnreachable {
			s.since = prev.since
		}
	case r.class != classUnreachable && r.header != nil:
		var lifetime time.Duration
		lifetime, s.stored = f.lifetime(s.header, now)
		s.until = now.Add(lifetime)
	}
	if r.class == classFile {
		s.copy = &fileCopy{r.file, s.header, r.response.URL}
	}
	return s
}

// lifetime returns how long an answer is used, and whether it may be stored.
func (f *Fetcher) lifetime(h http.Header, now time.Time) (lifetime time.Duration, stored bool) {
	c := parseCacheControl(h, now)
	switch choice := f.opts.Policy.CacheLifetime; {
	case choice == CacheLifetimeDay || !c.known:
		return day, true
	case choice == CacheLifetimeDayOrLess:
		return min(day, c.lifetime), !c.noStore
	}
	return c.lifetime, !c.noStore
}

// A cacheControl is what a header says about the lifetime of an answer.
type cacheControl struct {
	lifetime time.Duration
	known    bool // whether the header names a lifetime
	noStore  bool
}

// parseCacheControl reads the header as a private cache does (RFC 9111 sections
// 4.2.1 and 5.2.2).
func parseCacheControl(h http.Header, now time.Time) cacheControl {
	var c cacheControl
	for directive := range strings.SplitSeq(strings.Join(h.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "no-store":
			return cacheControl{known: true, noStore: true}
		case "no-cache":
			c.known, c.lifetime = true, 0
		case "max-age":
			age := seconds(strings.Trim(value, ` "`))
			if !c.known || age < c.lifetime {
				c.known, c.lifetime = true, age
			}
		}
	}
	if c.known {
		c.lifetime = max(0, c.lifetime-seconds(h.Get("Age")))
	} else if expires := h.Values("Expires"); len(expires) > 0 {
		c.known = true
		date, err := http.ParseTime(h.Get("Date"))
		if err != nil {
			date = now
		}
		// A date that is invalid, such as 0, is in the past.
		if at, err := http.ParseTime(expires[0]); err == nil {
			c.lifetime = min(max(0, at.Sub(date)), maxDelta)
		}
	}
	return c
}

// maxDelta is the limit of RFC 9111 section 1.2.2 for times in seconds.
const maxDelta = (1 << 31) * time.Second

// seconds reads a number of seconds. An invalid number is 0.
func seconds(s string) time.Duration {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil && n == 0 { // if it is too large, n is not 0
		return 0
	}
	return time.Duration(min(n, 1<<31)) * time.Second
}

// An entry is an origin in the cache. The mutex of the Fetcher guards the fields.
type entry struct {
	key    string
	state  *state  // nil before the first fetch, or if it must not be stored
	flight *flight // nil if there is no fetch in progress
}

// A flight is a fetch in progress.
type flight struct {
	cancel  context.CancelFunc
	waiters int           // guarded by the mutex of the Fetcher
	done    chan struct{} // closed when state is set
	state   *state
}

// lookup returns the kept state of an origin, or fetches it.
func (f *Fetcher) lookup(ctx context.Context, o origin, agent string) (*state, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	now := f.opts.Clock()
	f.mu.Lock()
	e := f.entry(o.key)
	if s := e.state; s != nil && now.Before(s.until) {
		f.mu.Unlock()
		return s, nil
	}
	fl := e.flight
	if fl == nil {
		fl = &flight{done: make(chan struct{})}
		e.flight = fl
		// The fetch is for all that wait, so the end of one context must not end it.
		shared, cancel := context.WithTimeout(context.WithoutCancel(ctx), f.opts.Timeout)
		fl.cancel = cancel
		go f.fly(shared, fl, e, e.state, o, agent)
	}
	fl.waiters++
	f.mu.Unlock()

	select {
	case <-fl.done:
		return fl.state, nil
	case <-ctx.Done():
		f.leave(e, fl)
		return nil, ctx.Err()
	}
}

// leave ends a fetch that no caller waits for. Its result would be an error
// that says nothing about the server.
func (f *Fetcher) leave(e *entry, fl *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fl.waiters--
	if fl.waiters == 0 && e.flight == fl {
		e.flight = nil
		fl.cancel()
	}
}

// fly fetches the file and stores the new state.
func (f *Fetcher) fly(ctx context.Context, fl *flight, e *entry, prev *state, o origin, agent string) {
	defer fl.cancel()
	var kept *fileCopy
	if prev != nil {
		kept = prev.copy
	}
	r := f.fetch(ctx, o.robots, agent, kept)
	fl.state = f.next(prev, r, f.opts.Clock())

	f.mu.Lock()
	if e.flight == fl {
		e.flight, e.state = nil, nil
		if fl.state.stored {
			e.state = fl.state
		}
	}
	f.mu.Unlock()
	close(fl.done)
}

// entry returns the entry of an origin and makes it the one used last. The mutex
// must be locked.
func (f *Fetcher) entry(key string) *entry {
	if element, ok := f.entries[key]; ok {
		f.recent.MoveToFront(element)
		return element.Value.(*entry)
	}
	e := &entry{key: key}
	f.entries[key] = f.recent.PushFront(e)
	for f.recent.Len() > f.opts.MaxAuthorities {
		oldest := f.recent.Remove(f.recent.Back()).(*entry)
		delete(f.entries, oldest.key)
	}
	return e
}
