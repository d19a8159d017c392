package access

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/repcheck/repcheck/impl/reference"
)

// A Decision is the answer whether a crawler may fetch a URL, with the reason. The
// zero value forbids.
type Decision struct {
	// Allow reports whether the crawler may fetch the URL.
	Allow  bool
	Reason Reason
	// Response is the response that decides, or the failure to get one. It is zero
	// for ReasonRobotsTxt.
	Response Response
	// Rule is the decision of the parser if the rules of a file decide, that is
	// for ReasonRules, ReasonStaleRules and ReasonRobotsTxt.
	Rule reference.Decision
	// Until is the time from which the answer must not be reused. A header such as
	// no-store makes it the present, so that every call of Allowed fetches the
	// file. It is the zero time for ReasonRobotsTxt, which does not expire.
	Until time.Time
}

// A Reason is the basis of a decision.
type Reason uint8

const (
	// ReasonUnreachable: the file is unreachable because of a server error, a
	// network error, or a response that the policy counts as one (section
	// 2.3.1.4).
	ReasonUnreachable Reason = iota
	// ReasonLongUnreachable: the file has been unreachable for 30 days (section
	// 2.3.1.4).
	ReasonLongUnreachable
	// ReasonUnavailable: the file is unavailable (section 2.3.1.3).
	ReasonUnavailable
	// ReasonForbidden: the status is 401 or 403, which the policy takes to close
	// the site.
	ReasonForbidden
	// ReasonRules: the rules of the file decide (section 2.3.1.1).
	ReasonRules
	// ReasonStaleRules: the rules of an older copy decide because the file is
	// unreachable (section 2.4).
	ReasonStaleRules
	// ReasonRobotsTxt: the URL is that of the file itself, which is always allowed
	// (section 2.2.2).
	ReasonRobotsTxt
)

var reasonNames = [...]string{
	"unreachable", "long unreachable", "unavailable", "forbidden", "rules", "stale rules", "robots.txt itself",
}

// String returns a short name, "stale rules".
func (r Reason) String() string {
	if int(r) >= len(reasonNames) {
		return "Reason(" + strconv.Itoa(int(r)) + ")"
	}
	return reasonNames[r]
}

// A Response is the last response to the requests for one file.
type Response struct {
	// URL is the URL that was requested, after redirects.
	URL string
	// Hop is the number of redirects that led to URL.
	Hop int
	// Status is the status code, or 0 if there was no response.
	Status int
	// Err is the network error or the error in the body, or nil.
	Err error
}

// String returns the URL with the status or the error.
func (r Response) String() string {
	switch {
	case r.Err != nil:
		return fmt.Sprintf("%s: %v", r.URL, r.Err)
	case r.Status != 0:
		return fmt.Sprintf("%s: status %d", r.URL, r.Status)
	}
	return r.URL
}

// ErrNoVerdict is the error of Allowed if the policy refuses to decide, by
// OtherStatusError or ServerErrorNoVerdict. The Decision says why and until when.
var ErrNoVerdict = errors.New("no verdict")

const (
	// longTime is the reasonably long period of section 2.3.1.4, which gives 30
	// days as an example.
	longTime = 30 * 24 * time.Hour
	// firstStage is the time without a copy of StaleCopyStaged.
	firstStage = 12 * time.Hour
)

// decide makes the decision about one URL.
func (f *Fetcher) decide(s *state, o origin, agent, url string) (Decision, error) {
	d := Decision{Response: s.response, Until: s.until}
	switch s.class {
	case classUnreachable:
		return f.decideUnreachable(d, s, o, agent, url)
	case classUnavailable:
		d.Allow, d.Reason = true, ReasonUnavailable
	case classForbidden:
		d.Reason = ReasonForbidden
	case classFile:
		d.obey(ReasonRules, s.copy.file, agent, url)
	}
	return d, nil
}

func (d *Decision) obey(reason Reason, file *reference.File, agent, url string) {
	d.Reason, d.Rule = reason, file.Test(agent, url)
	d.Allow = d.Rule.Allow
}

// decideUnreachable makes the decision while the file is unreachable. From the first
// failure on, the server-error point decides, except where the stale-copy point has
// a copy obeyed, and after 30 days the thirty-days point.
func (f *Fetcher) decideUnreachable(d Decision, s *state, o origin, agent, url string) (Decision, error) {
	policy, now := f.opts.Policy, f.opts.Clock()
	stage, long := s.since.Add(firstStage), s.since.Add(longTime)
	inStage, isLong := now.Before(stage), !now.Before(long)
	if policy.StaleCopy == StaleCopyStaged && inStage {
		d.Until = earlier(d.Until, stage)
	}
	if !isLong {
		d.Until = earlier(d.Until, long)
	}

	stale := policy.StaleCopy == StaleCopyKeepCopy || policy.StaleCopy == StaleCopyStaged && !inStage && !isLong
	switch {
	case s.copy != nil && (stale || isLong && policy.ThirtyDays == ThirtyDaysCachedCopy):
		d.obey(ReasonStaleRules, s.copy.file, agent, url)
		return d, nil
	case isLong && policy.ThirtyDays != ThirtyDaysDisallowForEver:
		d.Reason, d.Allow = ReasonLongUnreachable, true
		if policy.ThirtyDays == ThirtyDaysAllowIfSiteWorks {
			d.Allow = f.opts.SiteWorks != nil && f.opts.SiteWorks(o.name)
		}
		return d, nil
	}
	d.Reason = ReasonUnreachable
	switch s.failure {
	case failureAllow:
		d.Allow = true
	case failureNoVerdict:
		err := fmt.Errorf("%w: %s", ErrNoVerdict, s.response)
		if s.response.Err != nil {
			err = fmt.Errorf("%w: %s: %w", ErrNoVerdict, s.response.URL, s.response.Err)
		}
		return d, err
	}
	return d, nil
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
