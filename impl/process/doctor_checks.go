package process

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// sendAll sends the requests of a check and compares the answers.
func (t *trial) sendAll(c check) error {
	for _, e := range c.send {
		a, err := t.ask(e)
		if err != nil && e.want == nil && c.fix != "" {
			err = fmt.Errorf("%w — %s", err, c.fix)
		}
		switch {
		case err != nil:
			return fmt.Errorf("got the request {%.120s} and %w", e.members, err)
		case e.want == nil:
			continue
		case len(e.want) == 1 && a.plural:
			return errors.New("answered url with allows — answer url with allow, and urls with allows")
		case len(e.want) > 1 && !a.plural:
			return errors.New(`answered urls with allow — answer urls with "allows", a list`)
		case len(a.answers) != len(e.want):
			return fmt.Errorf("sent %d allows for %d urls — send one for each URL, in order", len(a.answers), len(e.want))
		}
		for i, got := range a.answers {
			if got.Verdict != e.want[i] {
				return fmt.Errorf("answered %s for %s to the request {%.120s}, where every parser answers %s — %s",
					described(got), e.urls[i], e.members, e.want[i], c.fix)
			}
		}
	}
	return nil
}

// described returns an answer in words.
func described(a spec.Answer) string {
	if a.Detail == "" {
		return string(a.Verdict)
	}
	return fmt.Sprintf("%s (%s)", a.Verdict, a.Detail)
}

func (t *trial) greeting() error {
	if t.ch.hello.Version == "" {
		return errors.New(`sent a hello without a version — add "version", so that reports can name it`)
	}
	return nil
}

func (t *trial) flush() error {
	_, err := t.ask(query(fileOf(open), somewhere))
	if errors.Is(err, errSilent) {
		return fmt.Errorf("%w — flush stdout after each answer", err)
	}
	return err
}

// flood sends n requests, at most most at a time. It returns how many were
// answered: fewer than n without an error if the adapter is slow.
func (t *trial) flood(n, most int) (got int, err error) {
	members := query(fileOf(closed), somewhere).members
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
	got, err := t.flood(t.burstSize, t.ch.hello.window())
	if err == nil && got < t.burstSize {
		t.about = fmt.Sprintf("answers requests in a row: %d in %v", got, floodTime)
	}
	return err
}

func (t *trial) stdout() error {
	for _, e := range []exchange{query(fileOf(closed), somewhere),
		query(fileOf("User-agent: *\nfoo: bar\nDisalow: /\nCrawl-delay: x\n"), somewhere), query(fileOf(open), "http://x.test/%zz")} {
		if _, err := t.ask(e); err != nil {
			break // another check reports it
		}
	}
	t.late = false // here a time limit does not decide
	if t.junk != "" {
		return fmt.Errorf("printed a line that is not an answer: %s — write logs to stderr, and redirect what the library prints there", t.junk)
	}
	return nil
}

func (t *trial) end() error {
	n := min(t.ch.hello.window(), 8)
	for i := range n {
		if err := t.send(requestOf(int64(i+1), query(fileOf(closed), somewhere).members)); err != nil {
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
