package access_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/repcheck/repcheck/impl/access"
)

// scenarios has a scenario for each point. It returns the verdicts, which depend on
// the choice.
var scenarios = map[string]func(testing.TB, access.Options) []string{
	"stale-copy": func(t testing.TB, opts access.Options) []string {
		return afterCopy(t, opts, status(503, ""), 25*time.Hour, 38*time.Hour, 60*24*time.Hour)
	},
	"media-type": func(t testing.TB, opts access.Options) []string {
		return each(t, opts,
			status(200, privateRules, "Content-Type", "text/plain; charset=utf-8"),
			html("<p>\n"+privateRules), html("<p>Not found"))
	},
	"forbidden-status": func(t testing.TB, opts access.Options) []string {
		return each(t, opts, status(401, ""), status(403, ""))
	},
	"too-many-requests": func(t testing.TB, opts access.Options) []string {
		return each(t, opts, status(429, ""))
	},
	"other-status": func(t testing.TB, opts access.Options) []string {
		return each(t, opts, status(304, ""), status(301, ""), status(302, "", "Location", "ftp://127.0.0.1/robots.txt"), status(600, ""))
	},
	"redirect-limit": func(t testing.TB, opts access.Options) []string {
		return each(t, opts, redirects(5), redirects(6), redirects(30), redirects(31))
	},
	"server-error": func(t testing.TB, opts access.Options) []string {
		return append(each(t, opts, status(500, "")),
			verdict(t, access.New(opts), raw(t, answer("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"+privateRules))+"/private"),
			verdict(t, access.New(opts), raw(t, answer("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"))+"/private"),
			verdict(t, access.New(opts), raw(t, answer(""))+"/private"))
	},
	"thirty-days": func(t testing.TB, opts access.Options) []string {
		opts.SiteWorks = func(string) bool { return true }
		works := afterCopy(t, opts, status(503, ""), 25*time.Hour, 31*24*time.Hour-1, 60*24*time.Hour)
		opts.SiteWorks = nil
		return append(works, afterCopy(t, opts, status(503, ""), 25*time.Hour, 60*24*time.Hour)...)
	},
	"cache-lifetime": func(t testing.TB, opts access.Options) []string {
		// The rules are gone after the first request.
		var verdicts []string
		for _, header := range [][]string{{"Cache-Control", "max-age=3600"}, {"Cache-Control", "max-age=172800"}, {}} {
			now := newClock()
			opts.Clock = now.Now
			o, f := newOrigin(t, status(200, privateRules, header...)), access.New(opts)
			verdict(t, f, o.URL+"/private")
			o.serve(status(404, ""))
			for _, age := range []int{59, 61, 23*60 + 59, 24*60 + 1} {
				now.at(minutes(age))
				verdicts = append(verdicts, verdict(t, f, o.URL+"/private"))
			}
		}
		return verdicts
	},
	"scope-equality": func(t testing.TB, opts access.Options) []string {
		o, f := newOrigin(t, status(200, privateRules)), access.New(opts)
		first := verdict(t, f, o.URL+"/private")
		o.serve(status(404, ""))
		return []string{first, verdict(t, f, strings.Replace(o.URL, "http://", "http://user@", 1)+"/private")}
	},
	"unavailable-body": func(t testing.TB, opts access.Options) []string {
		return each(t, opts, status(404, privateRules), status(403, privateRules))
	},
	"redirect-target": func(t testing.TB, opts access.Options) []string {
		home := func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				io.WriteString(w, privateRules)
				return
			}
			http.Redirect(w, r, "/", http.StatusFound)
		}
		return each(t, opts, home, redirects(1))
	},
}

func minutes(n int) time.Duration { return time.Duration(n) * time.Minute }

func html(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, body)
	}
}

// each returns the verdict on /private with each handler.
func each(t testing.TB, opts access.Options, handlers ...http.HandlerFunc) []string {
	t.Helper()
	var verdicts []string
	for _, h := range handlers {
		verdicts = append(verdicts, verdict(t, access.New(opts), newOrigin(t, h).URL+"/private"))
	}
	return verdicts
}

// afterCopy fetches rules, and returns the verdicts on a page that these allow at
// later times, when a handler answers.
func afterCopy(t testing.TB, opts access.Options, later http.HandlerFunc, times ...time.Duration) []string {
	t.Helper()
	now := newClock()
	opts.Clock = now.Now
	o, f := newOrigin(t, status(200, privateRules)), access.New(opts)
	verdicts := []string{verdict(t, f, o.URL+"/public")}
	o.serve(later)
	for _, d := range times {
		now.at(d)
		verdicts = append(verdicts, verdict(t, f, o.URL+"/public"))
	}
	return verdicts
}

// TestChoices compares the verdicts under every choice with those expected, and
// demands that two choices of one point differ in them.
func TestChoices(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"stale-copy=disallow-at-once":          "allow rules, disallow unreachable, disallow unreachable, allow long unreachable",
		"stale-copy=keep-copy":                 "allow rules, allow stale rules, allow stale rules, allow stale rules",
		"stale-copy=staged":                    "allow rules, disallow unreachable, allow stale rules, allow long unreachable",
		"media-type=any":                       "disallow rules, disallow rules, allow rules",
		"media-type=plain-only":                "disallow rules, allow unavailable, allow unavailable",
		"media-type=html-absent":               "disallow rules, disallow rules, allow unavailable",
		"forbidden-status=allow":               "allow unavailable, allow unavailable",
		"forbidden-status=disallow":            "disallow forbidden, disallow forbidden",
		"too-many-requests=unavailable":        "allow unavailable",
		"too-many-requests=unreachable":        "disallow unreachable",
		"other-status=unreachable":             "disallow unreachable, disallow unreachable, disallow unreachable, disallow unreachable",
		"other-status=unavailable":             "allow unavailable, allow unavailable, allow unavailable, allow unavailable",
		"other-status=error":                   "no verdict, no verdict, no verdict, no verdict",
		"redirect-limit=five-then-unavailable": "disallow rules, allow unavailable, allow unavailable, allow unavailable",
		"redirect-limit=five-then-unreachable": "disallow rules, disallow unreachable, disallow unreachable, disallow unreachable",
		"redirect-limit=more":                  "disallow rules, disallow rules, disallow rules, allow unavailable",
		"server-error=disallow":                "disallow unreachable, disallow unreachable, disallow unreachable, disallow unreachable",
		"server-error=parse-partial":           "disallow unreachable, disallow rules, disallow unreachable, disallow unreachable",
		"server-error=no-verdict":              "no verdict, no verdict, no verdict, no verdict",
		"server-error=allow":                   "allow unreachable, allow unreachable, allow unreachable, allow unreachable",
		"thirty-days=allow": "allow rules, disallow unreachable, disallow unreachable, allow long unreachable, " +
			"allow rules, disallow unreachable, allow long unreachable",
		"thirty-days=cached-copy": "allow rules, disallow unreachable, disallow unreachable, allow stale rules, " +
			"allow rules, disallow unreachable, allow stale rules",
		"thirty-days=allow-if-site-works": "allow rules, disallow unreachable, disallow unreachable, allow long unreachable, " +
			"allow rules, disallow unreachable, disallow long unreachable",
		"thirty-days=disallow-for-ever": "allow rules, disallow unreachable, disallow unreachable, disallow unreachable, " +
			"allow rules, disallow unreachable, disallow unreachable",
		"cache-lifetime=day-or-less": "disallow rules, allow unavailable, allow unavailable, allow unavailable, " +
			"disallow rules, disallow rules, disallow rules, allow unavailable, " +
			"disallow rules, disallow rules, disallow rules, allow unavailable",
		"cache-lifetime=cache-control": "disallow rules, allow unavailable, allow unavailable, allow unavailable, " +
			"disallow rules, disallow rules, disallow rules, disallow rules, " +
			"disallow rules, disallow rules, disallow rules, allow unavailable",
		"cache-lifetime=day": "disallow rules, disallow rules, disallow rules, allow unavailable, " +
			"disallow rules, disallow rules, disallow rules, allow unavailable, " +
			"disallow rules, disallow rules, disallow rules, allow unavailable",
		"scope-equality=normalised":       "disallow rules, disallow rules",
		"scope-equality=authority-octets": "disallow rules, allow unavailable",
		"unavailable-body=ignored":        "allow unavailable, allow unavailable",
		"unavailable-body=obeyed":         "disallow rules, disallow rules",
		"redirect-target=any":             "disallow rules, disallow rules",
		"redirect-target=robots-only":     "allow unavailable, disallow rules",
	}
	others := map[string]string{} // the choice with these verdicts
	for _, choice := range access.Choices() {
		point, _, _ := strings.Cut(choice, "=")
		if scenarios[point] == nil || want[choice] == "" {
			t.Errorf("no scenario shows %s", choice)
			continue
		}
		if other, ok := others[point+want[choice]]; ok {
			t.Errorf("the scenario does not distinguish %s from %s", choice, other)
		}
		others[point+want[choice]] = choice
		t.Run(choice, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(scenarios[point](t, access.Options{Policy: policy(t, choice)}), ", ")
			if got != want[choice] {
				t.Errorf("got  %s\nwant %s", got, want[choice])
			}
		})
	}
}
