package fuzz

import (
	"bytes"
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"time"
)

// ReduceOptions bound a reduction. The zero value works.
type ReduceOptions struct {
	// Asks is how many questions may be asked; 0 means 2000. About large files
	// there are fewer.
	Asks int
}

const defaultAsks = 2000

// maxAsked bounds the octets of all files that are asked about, and of the URLs.
// Of a file of 500 KiB that is four questions, each of which may take a slow
// parser, and the reference under all its choices, half a second. It is enough
// where a part of the file will do: then each question is about half as much.
const maxAsked = 2 << 20

// maxTried bounds the octets of all witnesses that are made, asked about or not;
// it takes a second at most.
const maxTried = 256 << 20

// A slow answer takes longer than slowAnswer and a second for each MiB of the
// witness. There are parsers that take a second for a file of a few lines, so a
// reduction ends after maxSlowAnswers of them. A busy machine makes single
// answers of a fast parser slow, and does not end the reduction.
const (
	slowAnswer     = 250 * time.Millisecond
	maxSlowAnswers = 12
)

// reduce makes a witness smaller while what holds of it does, and returns it
// with how often that was asked. The last witness of which it held is the one
// that is returned; of w itself it is taken to hold.
//
// It drops groups, lines, comments, blanks, parts of values and octets, where it
// helps the same octets of the URL, and at last gives what is left the names that
// every example has. It is greedy and, if the subjects are and answer at once,
// deterministic. What is well-formed stays so: half a character or half an escape
// would often hold, and show something else than the witness did.
func reduce(ctx context.Context, w Witness, o ReduceOptions, holds func(Witness) bool) (Witness, int) {
	if o.Asks <= 0 {
		o.Asks = defaultAsks
	}
	r := &reducer{ctx: ctx, holds: holds, input: w, defects: defectsOf(w), best: w, left: o.Asks, octets: maxAsked, work: maxTried, slow: maxSlowAnswers, tried: map[[sha256.Size]byte]bool{}}
	r.run()
	return r.best, o.Asks - r.left
}

// A reducer is a reduction under way.
type reducer struct {
	ctx     context.Context
	holds   func(Witness) bool
	input   Witness
	defects defects // of input
	best    Witness
	left    int                        // questions
	octets  int                        // of the witnesses of those
	work    int                        // octets of all witnesses that are made
	slow    int                        // answers that may still be slow
	tried   map[[sha256.Size]byte]bool // by witness
}

// over reports whether nothing more may be tried.
func (r *reducer) over() bool {
	return r.left <= 0 || r.octets <= 0 || r.work <= 0 || r.slow <= 0 || r.ctx.Err() != nil
}

func (r *reducer) run() {
	r.shorten()
	if len(r.best.Robots) > largeRobots {
		r.octets = maxPadded
		r.padLines()
		r.dropLines()
	}
	r.plainNames()
}

// shorten leaves out what it can until nothing more goes.
func (r *reducer) shorten() {
	for before := (Witness{}); before.Compare(r.best) != 0 && !r.over(); {
		before = r.best
		r.dropGroups()
		r.dropLines()
		r.shortenURL()
		r.renameSegments()
		r.trimLines()
		r.shortenValues()
		r.plainLineEnds()
		r.plainKeys()
		r.dropPairs()
	}
}

// largeRobots is the size, in octets, of a file that seems to be needed for its size.
const largeRobots = 64 << 10

// maxPadded is what maxAsked is for such a file, of which a campaign meets few.
const maxPadded = 64 << 20

// endLines is how many lines at each end of a large file are looked at first.
const endLines = 16

// padLines puts one comment of the same length in the place of lines that are only
// needed for where they put others: first of all runs of equal lines, then of all
// but those at the ends, then of ever smaller parts.
func (r *reducer) padLines() {
	r.tryLines(padRuns(fileLines(r.best.Robots)))
	lines := fileLines(r.best.Robots)
	if n := len(lines); n > 3*endLines && r.tryLines(slices.Concat(lines[:endLines], padOf(lines[endLines:n-endLines]), lines[n-endLines:])) {
		lines = fileLines(r.best.Robots)
	}
	for size := (len(lines) + 1) / 2; size > 0; size /= 2 {
		for i := 0; i < len(lines) && !r.over(); {
			from, to := i, min(i+size, len(lines))
			i = to
			for from > 0 && lines[from-1].comments() {
				from--
			}
			for to < len(lines) && lines[to].comments() {
				to++
			}
			if to-from > 1 && r.tryLines(slices.Concat(lines[:from], padOf(lines[from:to]), lines[to:])) {
				lines = fileLines(r.best.Robots)
				i = from + 1
			}
		}
	}
}

// padRuns is the lines with a comment in the place of each run of equal ones.
func padRuns(lines []fileLine) []fileLine {
	var padded []fileLine
	for i := 0; i < len(lines); {
		j := i + 1
		for j < len(lines) && lines[j] == lines[i] {
			j++
		}
		if j-i > 2 {
			padded = append(padded, padOf(lines[i:j])...)
		} else {
			padded = append(padded, lines[i:j]...)
		}
		i = j
	}
	return padded
}

// padOf is one comment as long as all the lines, which are two or more.
func padOf(lines []fileLine) []fileLine {
	end := lines[len(lines)-1].end
	room := -1 - len(end)
	for _, l := range lines {
		room += len(l.text) + len(l.end)
	}
	return []fileLine{{text: "#" + strings.Repeat("a", max(0, room)), end: end}}
}

// try takes w for the best if it is no larger and the signature holds.
func (r *reducer) try(w Witness) bool { return w.fits(r.best) && r.tryNamed(w) }

// tryNamed is try for names that may be longer than those they replace: then
// only the input bounds them.
func (r *reducer) tryNamed(w Witness) bool {
	r.work -= r.best.octets()
	if bytes.Equal(w.Robots, r.best.Robots) && w.Probe == r.best.Probe || !w.fits(r.input) || defectsOf(w)&^r.defects != 0 {
		return false
	}
	key := sha256.Sum256(slices.Concat(w.Robots, []byte("\x00"+w.Agent+"\x00"+w.URL)))
	if r.tried[key] || r.over() {
		return false
	}
	r.tried[key] = true
	r.left--
	r.octets -= w.octets()
	began := time.Now()
	held := r.holds(w)
	if time.Since(began) > slowAnswer+time.Duration(w.octets())*time.Second>>20 {
		r.slow--
	}
	if held {
		r.best = w
	}
	return held
}

// tryLines is try with other lines.
func (r *reducer) tryLines(lines []fileLine) bool {
	return r.try(Witness{Robots: joinLines(lines), Probe: r.best.Probe})
}

// drop leaves out ever smaller runs of n things, beginning with half of them.
// without tries to do without those from i up to, not including, j and reports
// whether it worked: then there are so many fewer. There may be even fewer: a
// CR and an LF that come together are one line end.
func (r *reducer) drop(n int, without func(i, j int) bool) {
	for size := (n + 1) / 2; size > 0; size /= 2 {
		for i := 0; i < n && !r.over(); {
			j := min(i+size, n)
			if without(i, j) {
				n -= j - i
			} else {
				i = j
			}
		}
	}
}

func (r *reducer) dropGroups() {
	starts := groupStarts(fileLines(r.best.Robots))
	r.drop(len(starts), func(i, j int) bool {
		lines := fileLines(r.best.Robots)
		starts := append(groupStarts(lines), len(lines))
		if j >= len(starts) {
			return false
		}
		return r.tryLines(slices.Delete(lines, starts[i], starts[j]))
	})
}

// groupStarts returns where groups begin: at the first line, and at each
// user-agent line that does not follow another.
func groupStarts(lines []fileLine) []int {
	var starts []int
	for i, l := range lines {
		if i == 0 || l.names() && !lines[i-1].names() {
			starts = append(starts, i)
		}
	}
	return starts
}

func (r *reducer) dropLines() {
	r.drop(len(fileLines(r.best.Robots)), func(i, j int) bool {
		lines := fileLines(r.best.Robots)
		return j <= len(lines) && r.tryLines(slices.Delete(lines, i, j))
	})
}

// mostPaired is how many lines a file has at most for all pairs to be tried.
const mostPaired = 16

// dropPairs drops two lines that hold each other up, such as a group's header and
// the rule that keeps it from being merged with the next.
func (r *reducer) dropPairs() {
	for i := 0; !r.over(); i++ {
		lines := fileLines(r.best.Robots)
		if len(lines) > mostPaired || i >= len(lines) {
			return
		}
		for j := i + 1; j < len(lines); j++ {
			rest := slices.Concat(lines[:i], lines[i+1:j], lines[j+1:])
			if r.tryLines(rest) {
				i = -1 // from the beginning: there are fewer now
				break
			}
		}
	}
}

// eachLine calls change for every line, by its index.
func (r *reducer) eachLine(change func(i int, l fileLine)) {
	for i := 0; !r.over(); i++ {
		r.work -= len(r.best.Robots)
		lines := fileLines(r.best.Robots)
		if i >= len(lines) {
			return
		}
		change(i, lines[i])
	}
}

// tryLine is try with another text for one line and reports whether it worked.
func (r *reducer) tryLine(i int, text string) bool {
	lines := fileLines(r.best.Robots)
	if i >= len(lines) {
		return false
	}
	lines[i].text = text
	return r.tryLines(lines)
}

// trimLines drops comments and the blanks around what is left.
func (r *reducer) trimLines() {
	r.eachLine(func(i int, l fileLine) {
		text, _, commented := strings.Cut(l.text, "#")
		if commented && r.tryLine(i, text) {
			l.text = text
		}
		if text = strings.Trim(l.text, " \t"); r.tryLine(i, text) {
			l.text = text
		}
		if text = strings.TrimLeft(l.text, " \t"); r.tryLine(i, text) {
			l.text = text
		}
		key, rest := l.record()
		r.tryLine(i, strings.TrimRight(key, " \t")+rest)
	})
}

// shortenValues drops halves, then quarters and so on down to octets, of the
// values; of lines with another key than those of the protocol, of the whole
// line. The agent's own name stays whole: a part of it names the agent for some.
func (r *reducer) shortenValues() {
	r.eachLine(func(i int, l fileLine) {
		kept := ""
		key, rest := l.record()
		if known(key) {
			kept = key + ":"
		}
		if l.names() && strings.EqualFold(strings.Trim(rest, ": \t"), r.best.Agent) {
			return
		}
		text := strings.TrimPrefix(l.text, kept)
		r.drop(len(text), func(from, to int) bool {
			shorter := text[:from] + text[to:]
			if !r.tryLine(i, kept+shorter) && !r.tryLineAndURL(i, kept+shorter, text[from:to]) {
				return false
			}
			text = shorter
			return true
		})
	})
}

// tryLineAndURL is tryLine with the octets dropped from the URL as well.
func (r *reducer) tryLineAndURL(i int, text, dropped string) bool {
	lines := fileLines(r.best.Robots)
	if i >= len(lines) {
		return false
	}
	lines[i].text = text
	origin, target := cutOrigin(r.best.URL)
	for _, at := range []int{strings.Index(target, dropped), strings.LastIndex(target, dropped)} {
		if at < 0 {
			return false
		}
		w := Witness{Robots: joinLines(lines), Probe: r.best.Probe}
		w.URL = origin + target[:at] + target[at+len(dropped):]
		if r.try(w) {
			return true
		}
	}
	return false
}

// shortenURL drops parts of what follows the origin.
func (r *reducer) shortenURL() {
	origin, target := cutOrigin(r.best.URL)
	r.drop(len(target), func(from, to int) bool {
		shorter := target[:from] + target[to:]
		w := r.best
		w.URL = origin + shorter
		if !r.try(w) {
			return false
		}
		target = shorter
		return true
	})
}
