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
	// Kind is one of the constants below.
	Kind string `json:"kind"`
	// Text describes it in one sentence.
	Text string `json:"text"`
	// Lines are the indexes of the log entries that show it.
	Lines []int `json:"lines"`
}

// The kinds of findings, in the order in which Findings returns them.
const (
	RedirectLoop     = "redirect-loop"      // one redirect was requested more than 20 times in a step
	Refetch          = "refetch"            // robots.txt was requested again for each page
	OtherAgent       = "other-agent"        // a page was requested under another name than robots.txt
	BeyondRedirect   = "beyond-redirect"    // another server got requests that no redirect or link explains
	PageBeforeRobots = "page-before-robots" // a page was requested before robots.txt
	Flood            = "flood"              // the limit of requests was reached
)

// mostRedirects is well above the five of RFC 9309 section 2.3.1.2.
const mostRedirects = 20

// Findings returns what the log of a visit shows, whatever its answers are. exceeded is
// the result of [Origin.Exceeded].
func Findings(s *spec.Scenario, log []Request, exceeded string) []Finding {
	t := newSite(s, log)
	found := slices.Concat(t.redirectLoops(), t.refetches(), t.otherAgents(), t.beyondRedirects(), t.pagesBeforeRobots())
	if last := len(log) - 1; exceeded == "requests" && last >= 0 {
		found = append(found, Finding{Flood, fmt.Sprintf("The crawler was stopped after %d requests.", last+1), []int{last}})
	}
	return found
}

// A place is a target on a server.
type place struct{ server, target string }

func (p place) String() string { return "{" + p.server + "}" + p.target }

func (r *Request) place() place { return place{r.Server, r.Target} }

// A site is a log, and what the scenario says about the places in it.
type site struct {
	log       []Request
	redirects map[place]bool // a response redirects to it
	hops      map[place]bool // it is reached from robots.txt by redirects
	linked    map[place]bool // the scenario expects something about it
}

func newSite(s *spec.Scenario, log []Request) *site {
	t := &site{log: log, redirects: map[place]bool{}, hops: map[place]bool{}, linked: map[place]bool{}}
	to := map[place][]place{}
	for i := range s.Steps {
		for _, r := range s.Steps[i].Serve {
			for name, value := range r.Headers {
				from := place{r.Server, r.Target}
				if dest, ok := resolve(from, value); ok && redirects(r.Status) && strings.EqualFold(name, "Location") {
					to[from] = append(to[from], dest)
					t.redirects[dest] = true
				}
			}
		}
		for _, e := range s.Steps[i].Expect {
			if strings.HasPrefix(e.URL, "/") {
				t.linked[place{mainServer, e.URL}] = true
			} else if p, ok := resolve(place{mainServer, "/"}, e.URL); ok {
				t.linked[p] = true
			}
		}
	}
	var follow func(place)
	follow = func(from place) {
		for _, dest := range to[from] {
			if !t.hops[dest] {
				t.hops[dest] = true
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

// resolve returns the place of a URL or a reference that names servers in braces instead
// of origins.
func resolve(from place, text string) (place, bool) {
	for _, name := range spec.Servers {
		text = strings.ReplaceAll(text, "{"+name+"}", "http://"+name)
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

// isPage reports whether the request is for a page. Neither robots.txt is one nor a hop
// from it.
func (t *site) isPage(r *Request) bool {
	p := r.place()
	return r.Method != "" && p.target != robotsTxt && (!t.hops[p] || t.linked[p])
}

// group returns the lines of the log that have a key, grouped by it, in the order of the
// first lines.
func group[K comparable](t *site, key func(r *Request) (K, bool)) [][]int {
	var groups [][]int
	index := map[K]int{}
	for i := range t.log {
		k, ok := key(&t.log[i])
		if !ok || t.log[i].Method == "" {
			continue
		}
		if _, seen := index[k]; !seen {
			index[k] = len(groups)
			groups = append(groups, nil)
		}
		groups[index[k]] = append(groups[index[k]], i)
	}
	return groups
}

func (t *site) redirectLoops() (found []Finding) {
	type key struct {
		step int
		place
	}
	for _, lines := range group(t, func(r *Request) (key, bool) { return key{r.Step, r.place()}, redirects(r.Status) }) {
		if len(lines) > mostRedirects {
			text := fmt.Sprintf("The crawler requested %s %d times in one step, although it is a redirect.", t.log[lines[0]].place(), len(lines))
			found = append(found, Finding{RedirectLoop, text, lines})
		}
	}
	return found
}

// refetches looks for requests for robots.txt before each of at least two pages: before
// each page there were as many as pages.
func (t *site) refetches() (found []Finding) {
	type key struct {
		step   int
		server string
	}
	for _, lines := range group(t, func(r *Request) (key, bool) { return key{r.Step, r.Server}, true }) {
		var fetches []int
		pages, each := 0, true
		for i, line := range lines {
			r := &t.log[line]
			switch {
			case t.isPage(r):
				pages++
				each = each && len(fetches) >= pages
			case r.Target != robotsTxt:
			case redirects(r.Status):
				each = false // the next request may be a hop
			case i+1 < len(lines) && t.log[lines[i+1]].Target == robotsTxt && mayRetry(r):
			default:
				fetches = append(fetches, line)
			}
		}
		if each && pages >= 2 {
			text := fmt.Sprintf("The crawler requested %s %d times for %d pages in one step.", t.log[fetches[0]].place(), len(fetches), pages)
			found = append(found, Finding{Refetch, text, fetches})
		}
	}
	return found
}

// mayRetry reports whether the response is a reason to send the request again at once.
func mayRetry(r *Request) bool {
	return r.Status == 429 || r.Status >= 500 || r.Fault != "" && r.Fault != "chunked" && r.Fault != "http-1.0"
}

// otherAgents looks for names under which pages were requested, but robots.txt was not.
func (t *site) otherAgents() []Finding {
	robots := map[string]bool{}
	var lines []int
	for i := range t.log {
		if r := &t.log[i]; r.Method != "" && r.Target == robotsTxt {
			if len(robots) == 0 {
				lines = append(lines, i)
			}
			robots[r.UserAgent] = true
		}
	}
	for i := range t.log {
		if r := &t.log[i]; t.isPage(r) && !robots[r.UserAgent] {
			lines = append(lines, i)
		}
	}
	if len(robots) == 0 || len(lines) < 2 {
		return nil
	}
	text := fmt.Sprintf("The crawler requested pages as %q, but %s as %q.", t.log[lines[1]].UserAgent, robotsTxt, t.log[lines[0]].UserAgent)
	return []Finding{{OtherAgent, text, lines}}
}

// beyondRedirects looks for requests to other servers. A link explains the request for
// it, and that for robots.txt of its server.
func (t *site) beyondRedirects() (found []Finding) {
	explained := map[place]bool{}
	for p := range t.linked {
		explained[p], explained[place{p.server, robotsTxt}] = true, true
	}
	for _, lines := range group(t, func(r *Request) (string, bool) {
		return r.Server, r.Server != mainServer && !t.redirects[r.place()] && !explained[r.place()]
	}) {
		text := fmt.Sprintf("The crawler requested %s, to which nothing redirects.", t.log[lines[0]].place())
		found = append(found, Finding{BeyondRedirect, text, lines})
	}
	return found
}

// pagesBeforeRobots looks for pages, apart from the one where a crawl begins, that were
// requested before robots.txt of their server.
func (t *site) pagesBeforeRobots() (found []Finding) {
	for _, lines := range group(t, func(r *Request) (string, bool) { return r.Server, true }) {
		if first := slices.IndexFunc(lines, func(i int) bool { return t.log[i].Target == robotsTxt }); first >= 0 {
			lines = lines[:first]
		}
		lines = slices.DeleteFunc(lines, func(i int) bool { return t.log[i].Target == "/" || !t.isPage(&t.log[i]) })
		if len(lines) > 0 {
			page := t.log[lines[0]].place()
			text := fmt.Sprintf("The crawler requested %s before %s.", page, place{page.server, robotsTxt})
			found = append(found, Finding{PageBeforeRobots, text, lines})
		}
	}
	return found
}
