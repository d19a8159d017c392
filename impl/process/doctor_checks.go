package process

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// simple returns the members of a request that every parser can answer.
func simple(robots, url string) string {
	return string(encodeFile([]byte(robots), false).body) + "," + string(encodeQuestion("FooBot", []string{url}))
}

const (
	openFile     = "User-agent: *\nDisallow:\n"
	closedFile   = "User-agent: *\nDisallow: /\n"
	halfOpenFile = "User-agent: *\nDisallow: /no\n"
	somewhere    = "http://x.test/a"
)

func (t *trial) greeting() error {
	if t.ch.hello.Version == "" {
		return errors.New(`sent a hello without a version — add "version", so that reports can name it`)
	}
	return nil
}

func (t *trial) flush() error {
	_, err := t.ask(simple(openFile, somewhere), patience)
	if errors.Is(err, errSilent) {
		return fmt.Errorf("%w — flush stdout after each answer", err)
	}
	return err
}

func (t *trial) id() error {
	for _, id := range []int64{7, 3, 1 << 40} {
		if _, err := t.askAs(id, simple(openFile, somewhere), patience); err != nil {
			return err
		}
	}
	return nil
}

func (t *trial) verdict() error {
	return t.expect([]expectation{{halfOpenFile, "http://x.test/no", spec.Disallow}, {halfOpenFile, "http://x.test/yes", spec.Allow}},
		"check that the answer is not inverted and that the URL reaches the parser")
}

// An expectation is a verdict that every parser gives.
type expectation struct {
	robots, url string
	want        spec.Verdict
}

// expect sends one request after the other.
func (t *trial) expect(all []expectation, fix string) error {
	for _, e := range all {
		a, err := t.ask(simple(e.robots, e.url), patience)
		if err != nil {
			return err
		}
		if a.plural {
			return errPlural
		}
		if got := a.answers[0]; got.Verdict != e.want {
			return fmt.Errorf("answered %s for %s and the file %q, where every parser answers %s — %s",
				described(got), e.url, e.robots, e.want, fix)
		}
	}
	return nil
}

var errPlural = errors.New("answered url with allows — answer url with allow, and urls with allows")

// described is an answer in words.
func described(a spec.Answer) string {
	if a.Detail == "" {
		return string(a.Verdict)
	}
	return fmt.Sprintf("%s (%s)", a.Verdict, a.Detail)
}

func (t *trial) urls() error {
	file := string(encodeFile([]byte(halfOpenFile), false).body)
	a, err := t.ask(file+","+string(encodeQuestion("FooBot", []string{"http://x.test/no", "http://x.test/yes", "http://x.test/no"})), patience)
	switch {
	case err != nil:
		return err
	case !a.plural:
		return errors.New(`answered urls with allow — answer urls with "allows", a list`)
	case len(a.answers) != 3:
		return fmt.Errorf("sent %d allows for 3 urls — send one for each URL, in order", len(a.answers))
	}
	for i, want := range []spec.Verdict{spec.Disallow, spec.Allow, spec.Disallow} {
		if got := a.answers[i].Verdict; got != want {
			return fmt.Errorf("answered %s for URL %d of three, where every parser answers %s — keep the order of urls in allows", got, i+1, want)
		}
	}
	return nil
}

func (t *trial) unknownField() error {
	_, err := t.ask(`"later":{"a":[1]},`+simple(openFile, somewhere), patience)
	if err != nil {
		return fmt.Errorf("%w — ignore unknown fields, because later versions of the protocol may add some", err)
	}
	return nil
}

func (t *trial) state() error {
	return t.expect([]expectation{{closedFile, somewhere, spec.Disallow}, {openFile, somewhere, spec.Allow}, {closedFile, somewhere, spec.Disallow}},
		"parse each file again, or cache parsed files by the whole file")
}

// keepsFile returns an error if the adapter does not have the feature hash.
func (t *trial) keepsFile() error {
	if !slices.Contains(t.ch.hello.Features, "hash") {
		return skipped(`the hello does not have the feature "hash"`)
	}
	return nil
}

func (t *trial) hash() error {
	if err := t.keepsFile(); err != nil {
		return err
	}
	for _, e := range []expectation{{closedFile, somewhere, spec.Disallow}, {openFile, somewhere, spec.Allow}} {
		file := encodeFile([]byte(e.robots), true)
		question := string(encodeQuestion("FooBot", []string{e.url}))
		for _, part := range []string{string(file.body) + "," + string(file.hash), string(file.hash)} {
			a, err := t.ask(part+","+question, patience)
			if err != nil {
				return err
			}
			if a.plural {
				return errPlural
			}
			if got := a.answers[0]; got.Verdict != e.want {
				return fmt.Errorf("answered %s to a request with %.20s…, where every parser answers %s — a request with a hash and no file is about the last file",
					described(got), part, e.want)
			}
		}
	}
	return nil
}

// kept sends a file for an agent that is not UTF-8, which many libraries cannot
// take, and then refers to that file.
func (t *trial) kept() error {
	if err := t.keepsFile(); err != nil {
		return err
	}
	file := encodeFile([]byte(closedFile), true)
	if _, err := t.ask(string(file.body)+","+string(file.hash)+","+string(encodeQuestion("\xFF", []string{somewhere})), patience); err != nil {
		return err
	}
	a, err := t.ask(string(file.hash)+","+string(encodeQuestion("FooBot", []string{somewhere})), patience)
	if err != nil {
		return err
	}
	if a.plural {
		return errPlural
	}
	if got := a.answers[0]; got.Verdict != spec.Disallow {
		return fmt.Errorf("answered %s to a request with a hash, where every parser answers %s — keep the file of every request, also of one that is answered with unsupported",
			described(got), spec.Disallow)
	}
	return nil
}

// answered sends the requests and accepts any answer: a parser may refuse odd
// input.
func (t *trial) answered(limit time.Duration, requests ...string) error {
	for _, members := range requests {
		if _, err := t.ask(members, limit); err != nil {
			return fmt.Errorf("got the request {%.120s} and %w", members, err)
		}
	}
	return nil
}

func (t *trial) utf8() error {
	// Not escaped, as JSON allows; a reader that expects another encoding fails.
	return t.answered(patience, `"robots":"User-agent: *\nDisallow: /é中😀\n","agent":"FooBot","url":"http://x.test/é中😀"`)
}

func (t *trial) nul() error {
	return t.answered(patience, simple("User-agent: *\nDisallow: /a\x00b\n\x00\n", somewhere), simple(openFile, "http://x.test/\x00"))
}

func (t *trial) base64() error {
	odd := encodeFile([]byte("# \xff\xfe\nUser-agent: *\nDisallow: /\xe9\n"), false).body
	open := string(encodeFile([]byte(openFile), false).body)
	return t.answered(patience,
		string(odd)+","+string(encodeQuestion("FooBot", []string{somewhere})),
		open+","+string(encodeQuestion("Foo\xff", []string{somewhere})),
		open+","+string(encodeQuestion("FooBot", []string{"http://x.test/\xff"})),
		open+","+string(encodeQuestion("FooBot", []string{"http://x.test/\xff", "http://x.test/\xfe"})))
}

func (t *trial) oddInput() error {
	var requests []string
	for _, url := range []string{"", ":", "/a", "http://", "http://[::1", "http://x.test/%", "http://x.test/%zz", "http://x.test/[*+?(", "mailto:a@x.test"} {
		requests = append(requests, simple("User-agent: *\nDisallow: /[*+?(\nDisallow: /%zz\nDisallow: *$*$\n", url))
	}
	for _, robots := range []string{"Disallow: /\n", ":\n", "User-agent\n", "User-agent: *\nCrawl-delay: x\n", "\n\r\n\r", "Sitemap: :\n", "{}\n"} {
		requests = append(requests, simple(robots, somewhere))
	}
	requests = append(requests, `"robots":"","agent":"","url":"http://x.test/"`)
	return t.answered(patience, requests...)
}

func (t *trial) big() error {
	rules := "User-agent: *\n" + strings.Repeat("Disallow: /a/b/c/d/e/f\n", bigFile/23)
	return t.answered(bigPatience,
		simple(rules, somewhere), simple("User-agent: *\nDisallow: /"+strings.Repeat("a", bigFile), somewhere))
}

// flood sends n requests, at most most at a time. It returns how many were
// answered: fewer than n without an error if the adapter is slow.
func (t *trial) flood(n, most int) (got int, err error) {
	members := simple(closedFile, somewhere)
	sent, seen, begin := 0, map[int64]bool{}, time.Now()
	for got < n && time.Since(begin) < floodTime {
		var batch []outgoing
		for sent < n && sent-got < most {
			sent++
			batch = append(batch, requestOf(int64(sent), members))
		}
		if len(batch) > 0 {
			err = t.send(batch...)
		}
		var a answer
		if err == nil {
			a, err = t.receive(floodPatience)
		}
		switch {
		case err != nil:
			return got, fmt.Errorf("was sent %d requests, %d at a time, and after %d answers %w", sent, most, got, err)
		case a.id < 1 || a.id > int64(sent):
			return got, fmt.Errorf("sent an answer with id %d, which no request has — repeat the id of the request", a.id)
		case seen[a.id]:
			return got, fmt.Errorf("answered request %d twice — send one answer for each request", a.id)
		}
		seen[a.id] = true
		got++
	}
	return got, nil
}

func (t *trial) window() error {
	n := t.ch.hello.window()
	if _, err := t.flood(3*n, n); err != nil {
		return fmt.Errorf("%w — send a smaller window if the adapter cannot hold so many, or omit it", err)
	}
	return nil
}

func (t *trial) burst() error {
	got, err := t.flood(burstSize, t.ch.hello.window())
	if err == nil && got < burstSize {
		t.about = fmt.Sprintf("answers requests in a row: %d in %v", got, floodTime)
	}
	return err
}

func (t *trial) stdout() error {
	for _, members := range []string{simple(closedFile, somewhere), simple("User-agent: *\nfoo: bar\nDisalow: /\nCrawl-delay: x\n", somewhere), simple(openFile, "http://x.test/%zz")} {
		if _, err := t.ask(members, patience); err != nil {
			break // another check reports it
		}
	}
	t.late = false // no time limit decides here
	if t.junk != "" {
		return fmt.Errorf("printed a line that is not an answer: %s — write logs to stderr, and redirect what the library prints there", t.junk)
	}
	return nil
}

func (t *trial) end() error {
	n := min(t.ch.hello.window(), 8)
	for i := range n {
		if err := t.send(requestOf(int64(i+1), simple(closedFile, somewhere))); err != nil {
			return err
		}
	}
	t.closeStdin()
	for got := range n {
		if _, err := t.receive(patience); err != nil {
			return fmt.Errorf("sent %d of %d answers when stdin ended after the requests — answer all of them, then exit", got, n)
		}
	}
	if !t.exits(closeGrace) {
		return fmt.Errorf("was still running %v after stdin ended — leave the loop at the end of stdin", closeGrace*t.slack)
	}
	if state := t.ch.t.State(); state != "exit status 0" {
		return fmt.Errorf("ended with %s when stdin ended — exit with code 0%s", state, stderrNote(t.ch.t.Stderr()))
	}
	return nil
}

func (t *trial) sigterm() error {
	real, ok := t.ch.t.(terminator)
	if !ok {
		return skipped("it is not a process")
	}
	if err := real.terminate(); errors.Is(err, os.ErrProcessDone) {
		return t.ended()
	} else if err != nil {
		return skipped("SIGTERM cannot be sent: " + err.Error())
	}
	if !t.exits(closeGrace) {
		return fmt.Errorf("was still running %v after SIGTERM — do not catch SIGTERM, or exit when it comes", closeGrace*t.slack)
	}
	return nil
}
