package access_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl/access"
)

// TestLifetime: how long an answer is used, by its header and the policy (section
// 2.4).
func TestLifetime(t *testing.T) {
	t.Parallel()
	const hour = time.Hour
	date := func(d time.Duration) string { return start.Add(d).Format(http.TimeFormat) }
	for _, tt := range []struct {
		header               []string
		orLess, control, day time.Duration
	}{
		{nil, 24 * hour, 24 * hour, 24 * hour},
		{[]string{"Cache-Control", "public"}, 24 * hour, 24 * hour, 24 * hour},
		{[]string{"Cache-Control", "max-age=3600"}, hour, hour, 24 * hour},
		{[]string{"Cache-Control", `public , MAX-AGE="3600"`}, hour, hour, 24 * hour},
		{[]string{"Cache-Control", "max-age=7200", "Cache-Control", "max-age=3600"}, hour, hour, 24 * hour},
		{[]string{"Cache-Control", "max-age=172800"}, 24 * hour, 48 * hour, 24 * hour},
		{[]string{"Cache-Control", "max-age=172800", "Age", "3600"}, 24 * hour, 47 * hour, 24 * hour},
		{[]string{"Cache-Control", "max-age=60", "Age", "3600"}, 0, 0, 24 * hour},
		{[]string{"Cache-Control", "max-age=99999999999999999999"}, 24 * hour, (1 << 31) * time.Second, 24 * hour},
		{[]string{"Cache-Control", "max-age=-1"}, 0, 0, 24 * hour},
		{[]string{"Cache-Control", "max-age"}, 0, 0, 24 * hour},
		{[]string{"Cache-Control", "no-store, max-age=3600"}, 0, 0, 24 * hour},
		{[]string{"Cache-Control", "max-age=3600, no-cache"}, 0, 0, 24 * hour},
		{[]string{"Expires", date(hour)}, hour, hour, 24 * hour},
		{[]string{"Expires", date(48 * hour)}, 24 * hour, 48 * hour, 24 * hour},
		{[]string{"Expires", date(-hour)}, 0, 0, 24 * hour},
		{[]string{"Expires", "0"}, 0, 0, 24 * hour},
		{[]string{"Expires", date(hour), "Cache-Control", "max-age=60"}, time.Minute, time.Minute, 24 * hour},
	} {
		for choice, want := range map[string]time.Duration{
			"cache-lifetime=day-or-less": tt.orLess, "cache-lifetime=cache-control": tt.control, "cache-lifetime=day": tt.day,
		} {
			for _, code := range []int{200, 404} {
				o := newOrigin(t, status(code, "", append(tt.header, "Date", date(0))...))
				f := access.New(access.Options{Policy: policy(t, choice), Clock: newClock().Now})
				if got := allowed(t, f, o.URL).Until.Sub(start); got != want {
					t.Errorf("%s, status %d, %q: %v, want %v", choice, code, tt.header, got, want)
				}
			}
		}
	}
}

// TestExpiry: an answer is used until its time is over, and not from then on.
func TestExpiry(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code     int
		lifetime time.Duration
	}{{200, 24 * time.Hour}, {404, 24 * time.Hour}, {503, 5 * time.Minute}} {
		now := newClock()
		o, f := newOrigin(t, status(tt.code, "")), access.New(access.Options{Clock: now.Now})
		for i, age := range []time.Duration{0, tt.lifetime - 1, tt.lifetime} {
			now.at(age)
			allowed(t, f, o.URL)
			if want := 1 + i/2; len(o.requests()) != want {
				t.Errorf("status %d: %d requests after %v, want %d", tt.code, len(o.requests()), age, want)
			}
		}
	}
}

// TestNotStored: after no-store there is neither a conditional request nor a copy.
func TestNotStored(t *testing.T) {
	t.Parallel()
	o := newOrigin(t, status(200, privateRules, "Cache-Control", "no-store", "ETag", `"1"`))
	f := access.New(access.Options{Policy: policy(t, "stale-copy=keep-copy"), Clock: newClock().Now})
	for range 2 {
		if got := verdict(t, f, o.URL+"/private"); got != "disallow rules" {
			t.Error(got)
		}
	}
	o.serve(status(503, ""))
	if got := verdict(t, f, o.URL); got != "disallow unreachable" {
		t.Error(got)
	}
	for _, r := range o.requests() {
		if r.Header.Get("If-None-Match") != "" {
			t.Error("a conditional request was sent")
		}
	}
}

// TestRevalidation: a 304 to a conditional request renews the copy, with the fields
// of the new header.
func TestRevalidation(t *testing.T) {
	t.Parallel()
	zero, hour := start.Format(http.TimeFormat), start.Add(time.Hour).Format(http.TimeFormat)
	const modified = "Thu, 01 Jan 2026 00:00:00 GMT"
	for _, tt := range []struct {
		header, renewed         []string
		ifNoneMatch, ifModified string
		first, second           time.Duration
	}{
		{[]string{"ETag", `"1"`}, nil, `"1"`, "", 24 * time.Hour, 24 * time.Hour},
		{[]string{"Last-Modified", modified}, nil, "", modified, 24 * time.Hour, 24 * time.Hour},
		{[]string{"ETag", `"1"`, "Cache-Control", "max-age=60"}, nil, `"1"`, "", time.Minute, time.Minute},
		{[]string{"ETag", `"1"`, "Cache-Control", "max-age=60", "Age", "20"}, nil, `"1"`, "", 40 * time.Second, time.Minute},
		{[]string{"ETag", `"1"`, "Expires", hour, "Date", zero}, nil, `"1"`, "", time.Hour, 0},
		{[]string{"ETag", `"1"`, "Last-Modified", modified, "Cache-Control", "no-cache"}, []string{"Cache-Control", "max-age=60"}, `"1"`, modified, 0, time.Minute},
	} {
		now := newClock()
		o := newOrigin(t, status(200, privateRules, tt.header...))
		f := access.New(access.Options{Clock: now.Now})
		for i, want := range []time.Duration{tt.first, tt.first + tt.second} {
			d := allowed(t, f, o.URL+"/private")
			if got := d.Until.Sub(start); d.Allow || d.Reason != access.ReasonRules || got != want {
				t.Errorf("%q: request %d: %+v, until %v, want %v", tt.header, i+1, d, got, want)
			}
			if i == 1 && d.Response.Status != 304 {
				t.Errorf("%q: status %d", tt.header, d.Response.Status)
			}
			now.at(want)
			o.serve(func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Date"] = nil
				status(304, "", tt.renewed...)(w, r)
			})
		}
		r := o.requests()[1]
		got := []string{r.Header.Get("If-None-Match"), r.Header.Get("If-Modified-Since")}
		if diff := cmp.Diff([]string{tt.ifNoneMatch, tt.ifModified}, got); diff != "" {
			t.Error(diff)
		}
	}
}

// TestRevalidationURL: the condition is for the URL that served the copy, and not for
// another one of the redirects.
func TestRevalidationURL(t *testing.T) {
	t.Parallel()
	now := newClock()
	o := newOrigin(t, nil)
	o.serve(func(w http.ResponseWriter, r *http.Request) {
		switch conditional := r.Header.Get("If-None-Match") != ""; {
		case r.URL.Path == "/robots.txt" && conditional:
			t.Error("the first request is conditional")
		case r.URL.Path == "/robots.txt":
			http.Redirect(w, r, "/rules", http.StatusFound)
		case conditional:
			w.WriteHeader(http.StatusNotModified)
		default:
			status(200, privateRules, "ETag", `"1"`)(w, r)
		}
	})
	f := access.New(access.Options{Clock: now.Now})
	for i, want := range []int{200, 304} {
		now.at(time.Duration(i) * 48 * time.Hour)
		if d := allowed(t, f, o.URL+"/private"); d.Allow || d.Response.Status != want || d.Response.Hop != 1 {
			t.Errorf("%+v, want status %d", d, want)
		}
	}
}

// TestRecovery: a file that is reached again counts at once, and ends the count of the
// 30 days.
func TestRecovery(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	now := newClock()
	o, f := newOrigin(t, nil), access.New(access.Options{Clock: now.Now})
	for _, tt := range []struct {
		at   time.Duration
		code int
		want string
	}{
		{0, 503, "disallow unreachable"},
		{29 * day, 503, "disallow unreachable"},
		{30 * day, 503, "allow long unreachable"},
		{31 * day, 200, "disallow rules"},
		{33 * day, 503, "disallow unreachable"},
		{62 * day, 404, "allow unavailable"},
		{64 * day, 503, "disallow unreachable"},
		{94 * day, 500, "allow long unreachable"},
	} {
		now.at(tt.at)
		o.serve(status(tt.code, privateRules))
		if got := verdict(t, f, o.URL+"/private"); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.at, got, tt.want)
		}
	}
}

// TestPartial: what is received in part counts for a short time, whatever its header
// says.
func TestPartial(t *testing.T) {
	t.Parallel()
	url := raw(t, answer("HTTP/1.1 200 OK\r\nCache-Control: max-age=7200\r\nContent-Length: 500\r\n\r\n"+privateRules))
	f := access.New(access.Options{Policy: policy(t, "server-error=parse-partial"), Clock: newClock().Now})
	d := allowed(t, f, url+"/private")
	if d.Allow || d.Reason != access.ReasonRules || !errors.Is(d.Response.Err, io.ErrUnexpectedEOF) || !d.Until.Equal(start.Add(5*time.Minute)) {
		t.Errorf("%+v", d)
	}
}

// TestUntil: a decision is not reused beyond the end of its stage.
func TestUntil(t *testing.T) {
	t.Parallel()
	now := newClock()
	o := newOrigin(t, status(200, privateRules))
	f := access.New(access.Options{Clock: now.Now, Retry: 100 * time.Hour, Policy: policy(t, "stale-copy=staged")})
	allowed(t, f, o.URL)
	o.serve(status(503, ""))
	failed := 24 * time.Hour
	for _, tt := range []struct{ at, until time.Duration }{
		{failed, failed + 12*time.Hour},
		{failed + 12*time.Hour, failed + 100*time.Hour},
		{failed + 700*time.Hour, failed + 720*time.Hour},
		{failed + 720*time.Hour, failed + 800*time.Hour},
	} {
		now.at(tt.at)
		if got := allowed(t, f, o.URL).Until.Sub(start); got != tt.until {
			t.Errorf("at %v: until %v, want %v", tt.at, got, tt.until)
		}
	}
}

// TestMaxAuthorities: the origins used least recently are forgotten.
func TestMaxAuthorities(t *testing.T) {
	t.Parallel()
	origins := []*origin{newOrigin(t, status(200, "")), newOrigin(t, status(200, "")), newOrigin(t, status(200, ""))}
	f := access.New(access.Options{MaxAuthorities: 2})
	for _, i := range []int{0, 1, 0, 2, 0, 1} {
		allowed(t, f, origins[i].URL)
	}
	var got []int
	for _, o := range origins {
		got = append(got, len(o.requests()))
	}
	if diff := cmp.Diff([]int{1, 2, 1}, got); diff != "" {
		t.Error(diff)
	}
}

// TestNoVerdict: the error names the response, and the decision goes with it.
func TestNoVerdict(t *testing.T) {
	t.Parallel()
	o := newOrigin(t, status(503, ""))
	f := access.New(access.Options{Policy: policy(t, "server-error=no-verdict"), Clock: newClock().Now})
	d, err := f.Allowed(t.Context(), "ExampleBot", o.URL)
	if want := fmt.Sprintf("no verdict: %s/robots.txt: status 503", o.URL); !errors.Is(err, access.ErrNoVerdict) || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
	if d.Response.Status != 503 || !d.Until.Equal(start.Add(5*time.Minute)) {
		t.Errorf("%+v", d)
	}
}
