package access_test

import (
	"strings"
	"time"

	"github.com/repcheck/repcheck/impl/access"
)

// A reply is what the simulated servers do with one request.
type reply struct {
	refuse   bool // no connection
	drop     bool // the connection is closed without a response
	status   int
	location string
	body     string
	// cut is the number of octets after which the body breaks off, or -1.
	cut     int
	media   string
	noStore bool
	noCache bool
	maxAge  int // in seconds, or -1
	expires int // in seconds after the present, or -1
	tag     bool
}

// An event is a fetch that the model remembers: what was found, and when.
type event struct {
	at      time.Time
	found   string // "file", "none", "forbidden" or "trouble"
	trouble string // "closed", "open" or "error"
	file    string
	partial bool
	tag     string // the URL whose copy has an entity tag
	until   time.Time
	keep    bool
	last    access.Response
	// life is what the headers say, also those of the copy that a 304 renews.
	life lifetime
}

// A lifetime is what Cache-Control and Expires say.
type lifetime struct {
	noStore, noCache bool
	maxAge           int
	expires          time.Time // zero without the field
}

// A model decides like sections 2.3 to 2.5, from the list of everything that
// happened. It does not share code with the fetcher, and knows the rules of the few
// bodies that replies have.
type model struct {
	policy  access.Policy
	works   bool
	history map[string][]event
	// requests are those that the model would have sent.
	requests []string
}

// ask returns the decision about /private on a host at a time. replies answer the
// requests in order, and then again from the first one on.
func (m *model) ask(host string, now time.Time, replies []reply) (allow bool, reason access.Reason, err bool, last access.Response, until time.Time) {
	key := host
	if m.policy.ScopeEquality == access.ScopeEqualityNormalised {
		host = "a.test"
		key = host
	}
	past := m.history[key]
	if len(past) == 0 || !past[len(past)-1].keep || !now.Before(past[len(past)-1].until) {
		past = append(past, m.fetch(host, past, now, replies))
		m.history[key] = past
	}
	e := past[len(past)-1]
	allow, reason, err, until = m.judge(past, now)
	return allow, reason, err, e.last, until
}

// judge decides from the past, the last event of which is not over.
func (m *model) judge(past []event, now time.Time) (allow bool, reason access.Reason, err bool, until time.Time) {
	e := past[len(past)-1]
	switch e.found {
	case "file":
		return !closes(e.file), access.ReasonRules, false, e.until
	case "none":
		return true, access.ReasonUnavailable, false, e.until
	case "forbidden":
		return false, access.ReasonForbidden, false, e.until
	}

	// The first event of the present trouble.
	first := len(past) - 1
	for first > 0 && past[first-1].found == "trouble" {
		first--
	}
	copied := first > 0 && past[first-1].found == "file" && past[first-1].keep
	since := past[first].at
	halfDay, month := since.Add(12*time.Hour), since.Add(30*24*time.Hour)
	until = e.until
	for _, stage := range []time.Time{halfDay, month} {
		if stage == halfDay && m.policy.StaleCopy != access.StaleCopyStaged {
			continue
		}
		if now.Before(stage) && stage.Before(until) {
			until = stage
		}
	}
	useCopy := false
	switch m.policy.StaleCopy {
	case access.StaleCopyKeepCopy:
		useCopy = true
	case access.StaleCopyStaged:
		useCopy = !now.Before(halfDay) && now.Before(month)
	}
	if !now.Before(month) && m.policy.ThirtyDays == access.ThirtyDaysCachedCopy {
		useCopy = true
	}
	if useCopy && copied {
		return !closes(past[first-1].file), access.ReasonStaleRules, false, until
	}
	if !now.Before(month) {
		switch m.policy.ThirtyDays {
		case access.ThirtyDaysAllow, access.ThirtyDaysCachedCopy:
			return true, access.ReasonLongUnreachable, false, until
		case access.ThirtyDaysAllowIfSiteWorks:
			return m.works, access.ReasonLongUnreachable, false, until
		}
	}
	return e.trouble == "open", access.ReasonUnreachable, e.trouble == "error", until
}

// closes reports whether a file closes /private.
func closes(file string) bool {
	return strings.Contains(file, "User-agent: *\nDisallow: /") && !strings.Contains(file, "Allow: /private\n")
}

// copyBefore returns the file that the fetcher can have kept, if any.
func copyBefore(past []event) *event {
	for i := len(past) - 1; i >= 0; i-- {
		switch {
		case past[i].found == "trouble":
		case past[i].found == "file" && past[i].keep:
			return &past[i]
		default:
			return nil
		}
	}
	return nil
}

// fetch makes the requests for one file.
func (m *model) fetch(host string, past []event, now time.Time, replies []reply) event {
	url := "http://" + host + "/robots.txt"
	old := copyBefore(past)
	for hop := 0; ; hop++ {
		r := replies[hop%len(replies)]
		conditional := old != nil && old.tag == url
		e := event{at: now, keep: true, until: now.Add(5 * time.Minute), last: access.Response{URL: url, Hop: hop}, life: lifetime{maxAge: -1}}
		if r.refuse {
			return m.trouble(e)
		}
		request := strings.TrimPrefix(url, "http://")
		if conditional {
			request += " conditional"
		}
		m.requests = append(m.requests, request)
		if r.drop {
			return m.trouble(e)
		}
		e.last.Status = r.status
		switch {
		case r.status == 304 && conditional:
			e.found, e.file, e.tag, e.life = "file", old.file, url, old.life
			return m.age(e, r, now)
		case isRedirect(r):
			if next := resolve(host, r.location); next != "" {
				if done := m.redirected(&e, hop, next); done {
					return m.age(e, r, now)
				}
				url = next
				host, _, _ = strings.Cut(strings.TrimPrefix(next, "http://"), "/")
				continue
			}
		}
		return m.received(e, url, r, now)
	}
}

func isRedirect(r reply) bool {
	return r.status == 301 || r.status == 302 || r.status == 303 || r.status == 307 || r.status == 308
}

// resolve returns the URL of a Location, or "" if it is of no use.
func resolve(host, location string) string {
	switch {
	case strings.HasPrefix(location, "http://") && !strings.Contains(location, "%z"):
		return location
	case strings.HasPrefix(location, "//"):
		return "http:" + location
	case strings.HasPrefix(location, "/"):
		return "http://" + host + location
	}
	return ""
}

// redirected reports whether a redirect is the end.
func (m *model) redirected(e *event, hop int, next string) bool {
	number := hop + 1 // of this redirect
	switch {
	case number <= 5, number <= 30 && m.policy.RedirectLimit == access.RedirectLimitMore:
	case m.policy.RedirectLimit == access.RedirectLimitFiveThenUnreachable:
		e.found, e.trouble = "trouble", "closed"
		return true
	default:
		e.found = "none"
		return true
	}
	if m.policy.RedirectTarget == access.RedirectTargetRobotsOnly && !strings.HasSuffix(next, "/robots.txt") {
		e.found = "none"
		return true
	}
	return false
}

// trouble is a server error or a network error.
func (m *model) trouble(e event) event {
	e.found, e.trouble = "trouble", "closed"
	if m.policy.ServerError == access.ServerErrorAllow {
		e.trouble = "open"
	}
	if m.policy.ServerError == access.ServerErrorNoVerdict {
		e.trouble = "error"
	}
	return e
}

// received judges a response that is no redirect.
func (m *model) received(e event, url string, r reply, now time.Time) event {
	body := r.status/100 == 2
	switch {
	case body:
	case r.status/100 == 4:
		e.found = "none"
		if (r.status == 401 || r.status == 403) && m.policy.ForbiddenStatus == access.ForbiddenStatusDisallow {
			e.found = "forbidden"
		} else if r.status == 429 && m.policy.TooManyRequests == access.TooManyRequestsUnreachable {
			e.found, e.trouble = "trouble", "closed"
		} else if m.policy.UnavailableBody == access.UnavailableBodyObeyed {
			body = true
		}
	case r.status/100 == 5:
		return m.trouble(e)
	case m.policy.OtherStatus == access.OtherStatusUnavailable:
		e.found = "none"
	case m.policy.OtherStatus == access.OtherStatusError:
		e.found, e.trouble = "trouble", "error"
	default:
		e.found, e.trouble = "trouble", "closed"
	}
	if !body {
		return m.age(e, r, now)
	}

	if m.policy.MediaType == access.MediaTypePlainOnly && r.media == "text/html" {
		e.found = "none"
		return m.age(e, r, now)
	}
	text := r.body
	if r.status == 204 {
		text = ""
	} else if r.cut >= 0 {
		text = r.body[:min(r.cut, len(r.body))]
		if m.policy.ServerError != access.ServerErrorParsePartial || text == "" {
			return m.trouble(e)
		}
		e.partial = true
	}
	if m.policy.MediaType == access.MediaTypeHTMLAbsent && r.media == "text/html" && !strings.Contains(text, "User-agent:") {
		e.found = "none"
		return m.age(e, r, now)
	}
	e.found, e.file = "file", text
	if e.partial {
		return e
	}
	if r.tag {
		e.tag = url
	}
	return m.age(e, r, now)
}

// age sets how long the event counts.
func (m *model) age(e event, r reply, now time.Time) event {
	const day = 24 * time.Hour
	if e.found == "trouble" {
		return e
	}
	if r.noStore || r.noCache || r.maxAge >= 0 {
		e.life.noStore, e.life.noCache, e.life.maxAge = r.noStore, r.noCache, r.maxAge
	}
	if r.expires >= 0 {
		e.life.expires = now.Add(time.Duration(r.expires) * time.Second)
	}
	life, said := day, true
	switch {
	case e.life.noStore, e.life.noCache:
		life = 0
	case e.life.maxAge >= 0:
		life = time.Duration(e.life.maxAge) * time.Second
	case !e.life.expires.IsZero():
		life = max(0, e.life.expires.Sub(now))
	default:
		said = false
	}
	if m.policy.CacheLifetime == access.CacheLifetimeDayOrLess && life > day || m.policy.CacheLifetime == access.CacheLifetimeDay {
		life = day
	}
	e.keep = !said || !e.life.noStore || m.policy.CacheLifetime == access.CacheLifetimeDay
	e.until = now.Add(life)
	return e
}
