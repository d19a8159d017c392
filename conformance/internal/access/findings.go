package access

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/spec"
)

// A Finding is something in a log that a crawler should not do, whether or not a
// scenario expects anything about it.
type Finding struct {
	// Kind is one of FindingKinds.
	Kind string `json:"kind"`
	// Text describes it in one sentence.
	Text string `json:"text"`
	// Lines are the indexes of the log entries that show it.
	Lines []int `json:"lines"`
}

// The kinds of findings.
const (
	RedirectLoop     = "redirect-loop"      // one redirect was requested more than 20 times in a step
	Refetch          = "refetch"            // robots.txt was requested again for each page
	OtherAgent       = "other-agent"        // a page was requested under another name than robots.txt
	BeyondRedirect   = "beyond-redirect"    // another server got requests that no redirect or link explains
	PageBeforeRobots = "page-before-robots" // a page was requested before robots.txt
	Flood            = "flood"              // the limit of requests was reached
)

// FindingKinds are the kinds of findings in the order in which Findings returns them.
var FindingKinds = []string{RedirectLoop, Refetch, OtherAgent, BeyondRedirect, PageBeforeRobots, Flood}

// mostRedirects is above what any crawler is known to follow on purpose: browsers and
// curl's own limit stop after 20 to 50 different redirects, and RFC 9309 asks for five.
const mostRedirects = 20

// A place is a target on a server.
type place struct{ server, target string }

func (p place) String() string { return "{" + p.server + "}" + p.target }

func (r *Request) place() place { return place{r.Server, r.Target} }

// A site is what a scenario says about its targets, and the log of a run.
type site struct {
	log       []Request
	redirects map[place]bool // to which a response redirects
	robots    map[place]bool // to which robots.txt redirects, in any number of hops
	linked    map[place]bool // about which the scenario asks
}

// Findings returns what the observation shows apart from its answers.
func Findings(s *spec.Scenario, o *Observation) []Finding {
	t := newSite(s, o.Log)
	var all []Finding
	for _, find := range []func() []Finding{t.redirectLoops, t.refetches, t.otherAgents, t.beyondRedirects, t.pagesBeforeRobots} {
		all = append(all, find()...)
	}
	if o.Exceeded == "requests" {
		f := Finding{Kind: Flood, Text: fmt.Sprintf("The crawler was stopped after %s.", requests(len(o.Log)))}
		if len(o.Log) > 0 {
			f.Lines = []int{len(o.Log) - 1}
		}
		all = append(all, f)
	}
	return all
}

func newSite(s *spec.Scenario, log []Request) *site {
	t := &site{log: log, redirects: map[place]bool{}, robots: map[place]bool{}, linked: map[place]bool{}}
	to := map[place][]place{}
	for i := range s.Steps {
		for k := range s.Steps[i].Serve {
			r := &s.Steps[i].Serve[k]
			for name, value := range r.Headers {
				if !redirects(r.Status) || !strings.EqualFold(name, "Location") {
					continue
				}
				from := place{r.Server, r.Target}
				if dest, ok := resolve(from, value); ok {
					to[from] = append(to[from], dest)
					t.redirects[dest] = true
				}
			}
		}
		for _, e := range s.Steps[i].Expect {
			if p, ok := resolve(place{mainServer, "/"}, e.URL); ok {
				t.linked[p] = true
			}
		}
	}
	var follow func(place)
	follow = func(from place) {
		for _, dest := range to[from] {
			if !t.robots[dest] {
				t.robots[dest] = true
				follow(dest)
			}
		}
	}
	for _, name := range spec.Servers {
		follow(place{name, robotsTxt})
	}
	return t
}

// redirects reports whether a client follows the Location of a response with the status.
func redirects(status int) bool { return slices.Contains([]int{301, 302, 303, 307, 308}, status) }

// resolve returns the place of a URL in which names of servers in braces are origins. The
// names serve as host names meanwhile.
func resolve(from place, text string) (place, bool) {
	for _, name := range spec.Servers {
		text = strings.ReplaceAll(text, "{"+name+"}", "http://"+name)
	}
	if strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//") {
		target, _, _ := strings.Cut(text, "#")
		return place{from.server, target}, true
	}
	base, err := url.Parse("http://" + from.server + from.target)
	if err != nil {
		return place{}, false
	}
	u, err := base.Parse(text)
	if err != nil || !slices.Contains(spec.Servers, u.Host) {
		return place{}, false
	}
	return place{u.Host, u.RequestURI()}, true
}

// isPage reports whether the request is for a page: no part of the search for
// robots.txt.
func (t *site) isPage(r *Request) bool {
	p := r.place()
	return r.Method != "" && p.target != robotsTxt && (!t.robots[p] || t.linked[p])
}

func (t *site) redirectLoops() []Finding {
	type key struct {
		step int
		place
	}
	lines := map[key][]int{}
	var order []key
	for i := range t.log {
		r := &t.log[i]
		if r.Method == "" || !redirects(r.Status) {
			continue
		}
		k := key{r.Step, r.place()}
		if lines[k] == nil {
			order = append(order, k)
		}
		lines[k] = append(lines[k], i)
	}
	var found []Finding
	for _, k := range order {
		if n := len(lines[k]); n > mostRedirects {
			found = append(found, Finding{RedirectLoop, fmt.Sprintf("The crawler requested %s %d times in one step, although it is a redirect.", k.place, n), lines[k]})
		}
	}
	return found
}

// refetches looks for a request for robots.txt before each of at least two pages: at each
// page there were as many as pages. Where robots.txt redirects, requests for it may be
// hops.
func (t *site) refetches() []Finding {
	var found []Finding
	t.eachServer(func(step int, server string, lines []int) {
		var fetches []int
		pages := 0
		each := true
		for i, line := range lines {
			r := &t.log[line]
			switch {
			case r.Target == robotsTxt && redirects(r.Status):
				return
			case r.Target == robotsTxt:
				again := i+1 < len(lines) && t.log[lines[i+1]].Target == robotsTxt
				if !again || !retried(r) {
					fetches = append(fetches, line)
				}
			case t.isPage(r):
				pages++
				each = each && len(fetches) >= pages
			}
		}
		if each && pages >= 2 {
			found = append(found, Finding{Refetch, fmt.Sprintf("The crawler requested {%s}%s %d times for %d pages in one step.", server, robotsTxt, len(fetches), pages), fetches})
		}
	})
	return found
}

// retried reports whether a client may well try again at once after the response.
func retried(r *Request) bool {
	return r.Status == 0 || r.Status == 429 || r.Status >= 500 || r.Fault != "" && r.Fault != "chunked" && r.Fault != "http-1.0"
}

// eachServer calls do with the log lines of each server in each step.
func (t *site) eachServer(do func(step int, server string, lines []int)) {
	type key struct {
		step   int
		server string
	}
	lines := map[key][]int{}
	var order []key
	for i := range t.log {
		r := &t.log[i]
		if r.Method == "" {
			continue
		}
		k := key{r.Step, r.Server}
		if lines[k] == nil {
			order = append(order, k)
		}
		lines[k] = append(lines[k], i)
	}
	for _, k := range order {
		do(k.step, k.server, lines[k])
	}
}

// otherAgents looks for names under which pages were requested, but robots.txt was not.
func (t *site) otherAgents() []Finding {
	var asked []string
	first := -1
	for i := range t.log {
		if r := &t.log[i]; r.Method != "" && r.Target == robotsTxt && !slices.Contains(asked, r.UserAgent) {
			asked = append(asked, r.UserAgent)
			if first < 0 {
				first = i
			}
		}
	}
	lines := []int{first}
	other := ""
	for i := range t.log {
		if r := &t.log[i]; first >= 0 && t.isPage(r) && !slices.Contains(asked, r.UserAgent) {
			lines = append(lines, i)
			other = r.UserAgent
		}
	}
	if len(lines) < 2 {
		return nil
	}
	return []Finding{{OtherAgent, fmt.Sprintf("The crawler requested pages as %q, but %s as %q.", other, robotsTxt, asked[0]), lines}}
}

// beyondRedirects looks for requests to other servers. Linked pages explain requests for
// them and for robots.txt of their server.
func (t *site) beyondRedirects() []Finding {
	explained := func(p place) bool {
		if p.server == mainServer || t.redirects[p] || t.linked[p] {
			return true
		}
		for link := range t.linked {
			if p == (place{link.server, robotsTxt}) {
				return true
			}
		}
		return false
	}
	lines := map[string][]int{}
	for i := range t.log {
		if r := &t.log[i]; r.Method != "" && !explained(r.place()) {
			lines[r.Server] = append(lines[r.Server], i)
		}
	}
	var found []Finding
	for _, name := range spec.Servers {
		if n := len(lines[name]); n > 0 {
			found = append(found, Finding{BeyondRedirect, fmt.Sprintf("The crawler sent %s to {%s} that no redirect leads to, the first for %s.", requests(n), name, t.log[lines[name][0]].Target), lines[name]})
		}
	}
	return found
}

// pagesBeforeRobots looks for pages, apart from the one where a crawl begins, that were
// requested before robots.txt of their server.
func (t *site) pagesBeforeRobots() []Finding {
	var found []Finding
	for _, name := range spec.Servers {
		var early []int
		for i := range t.log {
			r := &t.log[i]
			if r.Server != name || r.Method == "" {
				continue
			}
			if r.Target == robotsTxt {
				break
			}
			if r.Target != "/" && t.isPage(r) {
				early = append(early, i)
			}
		}
		if len(early) > 0 {
			found = append(found, Finding{PageBeforeRobots, fmt.Sprintf("The crawler requested %s before %s.", t.log[early[0]].place(), place{name, robotsTxt}), early})
		}
	}
	return found
}
