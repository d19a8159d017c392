package process

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// A Checkup is one thing that Examine looked at.
type Checkup struct {
	// Name is short and permanent: "flush".
	Name string
	// About says what a sound adapter does.
	About string
	// Problem says what this one does instead and what to change; empty if it is
	// sound, or was not asked.
	Problem string
	// Hint shows the mend in the language of the adapter, if that is known.
	Hint string
	// Skipped says why it was not looked at; empty if it was.
	Skipped string
}

const (
	// patience is how long the doctor waits for one answer to a small question.
	patience = 3 * time.Second
	// bigFile is the size of the largest file asked about: beyond the limit that
	// RFC 9309 section 2.5 lets a parser set.
	bigFile = 1 << 20
	// burstSize is how many requests are sent as fast as the window allows.
	burstSize = 10_000
)

// checkups are run in this order. One is skipped if one that it needs was not
// sound: it would say the same once more.
var checkups = []struct {
	name, about string
	needs       []string
	run         func(*patient) error
}{
	{"hello", `answers {"hello":1} with its name, its version and what it can do`, nil, (*patient).greeting},
	{"flush", "answers a question without waiting for another or for the end of stdin", []string{"hello"}, (*patient).flush},
	{"id", "repeats the id of the request, whatever number it is", []string{"flush"}, (*patient).id},
	{"verdict", "tells allow from disallow", []string{"flush"}, (*patient).verdict},
	{"urls", "answers urls with allows, one element for each in order", []string{"verdict"}, (*patient).urls},
	{"unknown-field", "ignores fields that it does not know", []string{"flush"}, (*patient).unknownField},
	{"state", "forgets the last file when another one comes", []string{"verdict"}, (*patient).state},
	{"hash", "keeps the last file, if it says that it does", []string{"state"}, (*patient).hash},
	{"utf-8", "reads its stdin as UTF-8, whatever the locale", []string{"flush"}, (*patient).utf8},
	{"nul", "answers about files with NUL octets", []string{"flush"}, (*patient).nul},
	{"base64", "answers about a file, agent or URL that is no UTF-8", []string{"flush"}, (*patient).base64},
	{"kept", "keeps the file of a question, too, that it has no room for", []string{"hash", "base64"}, (*patient).kept},
	{"odd-input", "answers with error when the library throws, and goes on", []string{"flush"}, (*patient).oddInput},
	{"big", "answers about a file of 1 MiB", []string{"flush"}, (*patient).big},
	{"window", "answers as many requests at a time as its window says", []string{"flush"}, (*patient).window},
	{"burst", "answers 10,000 requests in a row", []string{"window"}, (*patient).burst},
	{"stdout", "prints nothing but answers on stdout", []string{"hello"}, (*patient).stdout},
	{"end", "answers what it was asked and exits when stdin ends", []string{"hello", "window"}, (*patient).end},
	{"sigterm", "ends on SIGTERM", []string{"hello"}, (*patient).sigterm},
}

// Examine tries an adapter in every way in which adapters go wrong, each in a
// fresh process, and returns what it found, in order. tell, if not nil, gets
// each as soon as it is known.
func Examine(ctx context.Context, opts Options, tell func(Checkup)) []Checkup {
	opts = opts.withDefaults()
	var all []Checkup
	language := ""
	unsound := map[string]bool{}
	for _, c := range checkups {
		if ctx.Err() != nil {
			break
		}
		result := Checkup{Name: c.name, About: c.about}
		for _, need := range c.needs {
			if unsound[need] {
				result.Skipped = "mend " + need + " first"
			}
		}
		if result.Skipped == "" {
			p, err := newPatient(ctx, &opts)
			if err == nil {
				language = cmp.Or(language, p.hello.Language)
				err = c.run(p)
				p.discharge()
			}
			var skip skipped
			switch {
			case errors.As(err, &skip):
				result.Skipped = string(skip)
			case err != nil:
				result.Problem = "the adapter " + err.Error()
				result.Hint = hint(language, c.name)
			}
		}
		// What was skipped for want of something makes others be skipped too.
		unsound[c.name] = result.Problem != "" || strings.HasPrefix(result.Skipped, "mend ")
		all = append(all, result)
		if tell != nil {
			tell(result)
		}
	}
	return all
}

// skipped is why a checkup does not apply.
type skipped string

func (s skipped) Error() string { return string(s) }

// A patient is one run of the adapter, asked line by line.
type patient struct {
	t     Transport
	hello wireHello
	lines chan string // of stdout; closed at its end
	junk  []string    // lines that are no answers
	last  int64
}

func newPatient(ctx context.Context, o *Options) (*patient, error) {
	ch, err := launch(ctx, o, nil)
	if err != nil {
		return nil, err
	}
	p := &patient{t: ch.t, hello: ch.hello, lines: make(chan string, MaxWindow)}
	go func() {
		defer close(p.lines)
		r := bufio.NewReader(ch.in.r)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			p.lines <- line
		}
	}()
	return p, nil
}

// discharge ends the run.
func (p *patient) discharge() {
	p.t.Kill()
	for range p.lines {
	}
	<-p.t.Done()
}

// say sends a request with these members beside its id, and returns the id.
func (p *patient) say(members string) int64 {
	p.last++
	return p.sayAs(p.last, members)
}

func (p *patient) sayAs(id int64, members string) int64 {
	// A failed write means that the adapter is gone; hear says so.
	_, _ = fmt.Fprintf(p.t, `{"id":%d,%s}`+"\n", id, members)
	return id
}

var errSilent = errors.New("gave no answer")

// hear waits for the next answer. Lines that are none are kept in junk.
func (p *patient) hear(wait time.Duration) (answer, error) {
	late := time.NewTimer(wait)
	defer late.Stop()
	for {
		select {
		case line, open := <-p.lines:
			if !open {
				<-p.t.Done()
				return answer{}, fmt.Errorf("ended (%s) though stdin was open — catch what the library throws and answer with error%s",
					p.t.State(), stderrNote(p.t.Stderr()))
			}
			if !strings.HasPrefix(strings.TrimSpace(line), "{") {
				p.junk = append(p.junk, line)
				continue
			}
			return decodeAnswer([]byte(line))
		case <-late.C:
			return answer{}, fmt.Errorf("%w for %v%s", errSilent, wait, stderrNote(p.t.Stderr()))
		}
	}
}

// ask sends one request and returns its answer.
func (p *patient) ask(members string, wait time.Duration) (answer, error) {
	id := p.say(members)
	a, err := p.hear(wait)
	if err == nil && a.id != id {
		err = fmt.Errorf("answered id %d to the request %d — repeat the id of the request", a.id, id)
	}
	return a, err
}

// simple is a question that every parser can answer.
func simple(robots, url string) string {
	return string(encodeFile([]byte(robots), false).body) + "," + string(encodeQuestion("FooBot", []string{url}))
}

const (
	openFile     = "User-agent: *\nDisallow:\n"
	closedFile   = "User-agent: *\nDisallow: /\n"
	halfOpenFile = "User-agent: *\nDisallow: /no\n"
	somewhere    = "http://x.test/a"
)

func (p *patient) greeting() error {
	if p.hello.Version == "" {
		return errors.New(`says no version in its hello — add "version", so that results can be told apart`)
	}
	return nil
}

func (p *patient) flush() error {
	_, err := p.ask(simple(openFile, somewhere), patience)
	if errors.Is(err, errSilent) {
		return fmt.Errorf("%w to one question — if it does print one, flush stdout after each answer", err)
	}
	return err
}

func (p *patient) id() error {
	for _, id := range []int64{7, 3, 1 << 40} {
		p.sayAs(id, simple(openFile, somewhere))
		if a, err := p.hear(patience); err != nil {
			return err
		} else if a.id != id {
			return fmt.Errorf("answered id %d to the request %d — repeat the id of the request, a number of up to 53 bits", a.id, id)
		}
	}
	return nil
}

func (p *patient) verdict() error {
	return p.expect([]expectation{{halfOpenFile, "http://x.test/no", spec.Disallow}, {halfOpenFile, "http://x.test/yes", spec.Allow}},
		"is the answer turned round, or the URL not handed on?")
}

// An expectation is what no parser can answer otherwise.
type expectation struct {
	robots, url string
	want        spec.Verdict
}

// expect asks one question after the other.
func (p *patient) expect(all []expectation, mend string) error {
	for _, e := range all {
		a, err := p.ask(simple(e.robots, e.url), patience)
		if err != nil {
			return err
		}
		if got := a.answers[0]; got.Verdict != e.want {
			return fmt.Errorf("said %s to %s under the file %q, where every parser says %s — %s",
				described(got), e.url, e.robots, e.want, mend)
		}
	}
	return nil
}

// described is an answer in words.
func described(a spec.Answer) string {
	if a.Detail == "" {
		return string(a.Verdict)
	}
	return fmt.Sprintf("%s (%s)", a.Verdict, a.Detail)
}

func (p *patient) urls() error {
	file := string(encodeFile([]byte(halfOpenFile), false).body)
	a, err := p.ask(file+","+string(encodeQuestion("FooBot", []string{"http://x.test/no", "http://x.test/yes", "http://x.test/no"})), patience)
	switch {
	case err != nil:
		return err
	case !a.plural:
		return errors.New(`answered urls with allow — answer urls with "allows", a list`)
	case len(a.answers) != 3:
		return fmt.Errorf("gave %d allows for 3 urls — one for each, in order", len(a.answers))
	}
	for i, want := range []spec.Verdict{spec.Disallow, spec.Allow, spec.Disallow} {
		if got := a.answers[i].Verdict; got != want {
			return fmt.Errorf("said %s to the URL %d of three, where every parser says %s — allows has the order of urls", got, i+1, want)
		}
	}
	return nil
}

func (p *patient) unknownField() error {
	_, err := p.ask(`"later":{"a":[1]},`+simple(openFile, somewhere), patience)
	if err != nil {
		return fmt.Errorf("%w — later versions of the protocol may add fields: ignore those that are unknown", err)
	}
	return nil
}

func (p *patient) state() error {
	return p.expect([]expectation{{closedFile, somewhere, spec.Disallow}, {openFile, somewhere, spec.Allow}, {closedFile, somewhere, spec.Disallow}},
		"parse each file anew, or keep the parsed one by the whole file")
}

func (p *patient) hash() error {
	if !strings.Contains(strings.Join(p.hello.Features, " "), "hash") {
		return skipped(`the hello has no feature "hash"`)
	}
	for _, e := range []expectation{{closedFile, somewhere, spec.Disallow}, {openFile, somewhere, spec.Allow}} {
		file := encodeFile([]byte(e.robots), true)
		question := string(encodeQuestion("FooBot", []string{e.url}))
		for _, part := range []string{string(file.body) + "," + string(file.hash), string(file.hash)} {
			a, err := p.ask(part+","+question, patience)
			if err != nil {
				return err
			}
			if got := a.answers[0]; got.Verdict != e.want {
				return fmt.Errorf("said %s to a request with %.20s…, want %s — one with a hash and no file is about the file that was sent last",
					described(got), part, e.want)
			}
		}
	}
	return nil
}

// kept sends a file with a crawler that is no UTF-8, which many libraries cannot
// be asked about, and refers to that file.
func (p *patient) kept() error {
	if !strings.Contains(strings.Join(p.hello.Features, " "), "hash") {
		return skipped(`the hello has no feature "hash"`)
	}
	file := encodeFile([]byte(closedFile), true)
	if _, err := p.ask(string(file.body)+","+string(file.hash)+","+string(encodeQuestion("\xFF", []string{somewhere})), patience); err != nil {
		return err
	}
	a, err := p.ask(string(file.hash)+","+string(encodeQuestion("FooBot", []string{somewhere})), patience)
	if err != nil {
		return err
	}
	if got := a.answers[0]; got.Verdict != spec.Disallow {
		return fmt.Errorf("said %s to a request with a hash, want %s — the file was sent with a question before, which counts even if that cannot be asked",
			described(got), spec.Disallow)
	}
	return nil
}

// answered asks each and wants any answer; a parser may refuse what is odd.
func (p *patient) answered(wait time.Duration, requests ...string) error {
	for _, members := range requests {
		if _, err := p.ask(members, wait); err != nil {
			return fmt.Errorf("was asked {%.120s}: %w", members, err)
		}
	}
	return nil
}

func (p *patient) utf8() error {
	// Written raw, as JSON allows; a reader in another encoding chokes on it.
	return p.answered(patience, `"robots":"User-agent: *\nDisallow: /é中😀\n","agent":"FooBot","url":"http://x.test/é中😀"`)
}

func (p *patient) nul() error {
	return p.answered(patience, simple("User-agent: *\nDisallow: /a\x00b\n\x00\n", somewhere), simple(openFile, "http://x.test/\x00"))
}

func (p *patient) base64() error {
	odd := encodeFile([]byte("# \xff\xfe\nUser-agent: *\nDisallow: /\xe9\n"), false).body
	open := string(encodeFile([]byte(openFile), false).body)
	return p.answered(patience,
		string(odd)+","+string(encodeQuestion("FooBot", []string{somewhere})),
		open+","+string(encodeQuestion("Foo\xff", []string{somewhere})),
		open+","+string(encodeQuestion("FooBot", []string{"http://x.test/\xff"})),
		open+","+string(encodeQuestion("FooBot", []string{"http://x.test/\xff", "http://x.test/\xfe"})))
}

func (p *patient) oddInput() error {
	var requests []string
	for _, url := range []string{"", ":", "/a", "http://", "http://[::1", "http://x.test/%", "http://x.test/%zz", "http://x.test/[*+?(", "mailto:a@x.test"} {
		requests = append(requests, simple("User-agent: *\nDisallow: /[*+?(\nDisallow: /%zz\nDisallow: *$*$\n", url))
	}
	for _, robots := range []string{"Disallow: /\n", ":\n", "User-agent\n", "User-agent: *\nCrawl-delay: x\n", "\n\r\n\r", "Sitemap: :\n", "{}\n"} {
		requests = append(requests, simple(robots, somewhere))
	}
	requests = append(requests, `"robots":"","agent":"","url":"http://x.test/"`)
	return p.answered(patience, requests...)
}

func (p *patient) big() error {
	rules := "User-agent: *\n" + strings.Repeat("Disallow: /a/b/c/d/e/f\n", bigFile/23)
	return p.answered(10*time.Second,
		simple(rules, somewhere), simple("User-agent: *\nDisallow: /"+strings.Repeat("a", bigFile), somewhere))
}

// flood sends n requests with at most most in flight.
func (p *patient) flood(n, most int, wait time.Duration) error {
	members := simple(closedFile, somewhere)
	sent, got, seen := 0, 0, map[int64]bool{}
	for got < n {
		batch := &strings.Builder{}
		for sent < n && sent-got < most {
			sent++
			fmt.Fprintf(batch, `{"id":%d,%s}`+"\n", sent, members)
		}
		if batch.Len() > 0 {
			_, _ = io.WriteString(p.t, batch.String())
		}
		a, err := p.hear(wait)
		switch {
		case err != nil:
			return fmt.Errorf("was sent %d requests, %d at a time, and after %d answers %w", sent, most, got, err)
		case a.id < 1 || a.id > int64(sent) || seen[a.id]:
			return fmt.Errorf("answered id %d twice or unasked — one answer for each request", a.id)
		}
		seen[a.id] = true
		got++
	}
	return nil
}

func (p *patient) window() error {
	n := p.hello.window()
	if err := p.flood(3*n, n, 5*time.Second); err != nil {
		return fmt.Errorf("%w — offer a smaller window if it holds so many, or leave it out", err)
	}
	return nil
}

func (p *patient) burst() error { return p.flood(burstSize, p.hello.window(), 5*time.Second) }

func (p *patient) stdout() error {
	for _, members := range []string{simple(closedFile, somewhere), simple("User-agent: *\nfoo: bar\nDisalow: /\nCrawl-delay: x\n", somewhere), simple(openFile, "http://x.test/%zz")} {
		if _, err := p.ask(members, patience); err != nil {
			break // what that means, other checkups tell
		}
	}
	if len(p.junk) > 0 {
		return fmt.Errorf("printed a line that is no answer: %s — write logs to stderr, and turn what the library prints there too", excerpt([]byte(strings.TrimSpace(p.junk[0]))))
	}
	return nil
}

func (p *patient) end() error {
	n := min(p.hello.window(), 8)
	for range n {
		p.say(simple(closedFile, somewhere))
	}
	_ = p.t.CloseWrite()
	for got := range n {
		if _, err := p.hear(patience); err != nil {
			return fmt.Errorf("gave %d of %d answers when stdin ended behind the requests — answer all, then exit", got, n)
		}
	}
	select {
	case <-p.t.Done():
	case <-time.After(closeGrace):
		return fmt.Errorf("was still there %v after its stdin ended — leave the loop at the end of stdin", closeGrace)
	}
	if state := p.t.State(); state != "exit status 0" {
		return fmt.Errorf("ended with %s when stdin ended — exit with 0%s", state, stderrNote(p.t.Stderr()))
	}
	return nil
}

func (p *patient) sigterm() error {
	real, ok := p.t.(*process)
	if !ok || os.PathSeparator != '/' {
		return skipped("there are no signals here")
	}
	if err := real.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return skipped(err.Error())
	}
	select {
	case <-p.t.Done():
		return nil
	case <-time.After(closeGrace):
		return fmt.Errorf("was still there %v after SIGTERM — do not catch it, or exit when it comes", closeGrace)
	}
}
