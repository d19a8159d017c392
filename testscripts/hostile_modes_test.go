//go:build linux

package testscripts

import (
	"bufio"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
	"unicode/utf16"
)

// A mode is one way in which an adapter is hostile, or unusual but acceptable.
type mode struct {
	name string
	ends ends
	// says is a pattern (RE2) that must match the output of every run with an
	// exit code other than 0. It distinguishes the fault from others. Names of
	// modes and folders are removed from the output first.
	says string
	// named is the text that names the culprit, if it is not "hostile".
	named string
	// flags are passed to every verb except check, which has none of them.
	flags string
	// large makes the verbs use files that do not fit into a pipe.
	large bool
	// fast lists the verbs of the fast subset.
	fast string

	// program makes the mode a --command, and is its whole program.
	program func(*adapter)

	start   func(*adapter)          // before anything is read
	greet   func(*adapter)          // instead of the hello
	greeted func(*adapter)          // after the hello
	answer  func(*adapter, request) // instead of an answer
	end     func(*adapter)          // at the end of stdin
}

// ends are the allowed exit codes of a run of each verb, as in "0|3". A verb
// without a code is not run.
type ends struct{ check, run, fuzz, scan, query, profile string }

var (
	// fine: the adapter is correct, even if unusual.
	fine = ends{"0", "0", "0", "0", "0", "0"}
	// unpolished: check complains; all answers are present and correct.
	unpolished = ends{"1", "0", "0", "0", "0", "0"}
	// wrong: all answers are present, and some are wrong.
	wrong = ends{"1", "1", "0", "0", "0", "0"}
	// maybeLost: it depends on timing whether answers arrive before the process
	// ends.
	maybeLost = ends{"0|1", "0|3", "0|3", "0|3", "0|3", "0|3"}
	// lost: the parser could not be started, or answered nothing.
	lost = ends{"1", "3", "3", "3", "3", "3"}
)

// quick is the limit on an answer for adapters that hang. The others keep the
// default, so that a busy machine does not make them hang too.
const quick = "--timeout 500ms"

// soon is the limit on a start for adapters that never send a hello.
const soon = "--start-timeout 2s"

// died matches the message about an adapter that ends, with its exit status or
// signal. On a busy machine the end of its stdout may be detected before the end
// of the process.
const died = `ended \(|closed its stdout`

const (
	// notJSON matches the message about a line that is not an answer.
	notJSON = `JSON object|stdout|not an answer`
	// notAsked matches the message about answers with ids that were not
	// requested.
	notAsked = `not asked|unasked|twice|repeat the id`
)

// say returns a greeting that prints the text.
func say(text string) func(*adapter) {
	return func(a *adapter) {
		a.read()
		a.print(text)
	}
}

// sayHello returns a greeting that prints a hello with other members.
func sayHello(members ...string) func(*adapter) { return say(hello(members...) + "\n") }

// each answers every request with the result of text.
func each(text func(request) string) func(*adapter, request) {
	return func(a *adapter, r request) { a.print(text(r)) }
}

// outcome answers every request with this member, regardless of its URLs.
func outcome(member string) func(*adapter, request) {
	return each(func(r request) string { return fmt.Sprintf(`{"id":%d,%s}`+"\n", r.ID, member) })
}

// on calls do instead of answering the chosen requests.
func on(chosen func(*adapter, request) bool, do func(*adapter, request)) func(*adapter, request) {
	return func(a *adapter, r request) {
		if chosen(a, r) {
			do(a, r)
			return
		}
		a.print(sound(r) + "\n")
	}
}

// nth chooses every nth request of a process.
func nth(n int) func(*adapter, request) bool {
	return func(a *adapter, _ request) bool { return a.asked%n == 0 }
}

// dollars chooses requests by their content, as a bug of a parser does.
func dollars(_ *adapter, r request) bool { return strings.Contains(r.robots(), "$") }

func hangs(a *adapter, _ request) { a.hang() }
func dies(a *adapter, _ request)  { fmt.Fprintln(os.Stderr, "Traceback: boom"); os.Exit(7) }

func exits(code int) func(*adapter) { return func(*adapter) { os.Exit(code) } }

// mute closes stdout and keeps running.
func mute(a *adapter, _ request) { a.out.Close(); a.hang() }

const (
	escapes  = "\x1b[2J\x1b]0;owned\a\x1b[31mred \u009b31m \u202egnp.exe\n"
	workflow = "::error::owned by an adapter\n"
)

// hostileModes are the modes of an adapter. Large texts are created only when
// needed, because every process of a run has this table.
var hostileModes = []mode{
	// Before and instead of the hello.
	{name: "no-hello", ends: lost, says: `no hello within`, flags: soon, fast: "query",
		greet: func(a *adapter) { a.read(); a.hang() }},
	{name: "no-hello-and-stdin-unread", ends: lost, says: `no hello within`, flags: soon,
		greet: (*adapter).hang},
	{name: "no-hello-but-busy", ends: lost, says: `no hello within`, flags: soon,
		greet: (*adapter).spin},
	{name: "hello-when-asked-something", ends: lost, says: `no hello within`, flags: soon,
		greet: func(a *adapter) { a.read(); a.read(); a.print(hello() + "\n") }},
	{name: "hello-without-line-end", ends: lost, says: `no hello within`, flags: soon,
		greet: func(a *adapter) { a.read(); a.print(hello()); a.hang() }},
	{name: "slow-hello", ends: fine, fast: "query",
		start: func(*adapter) { time.Sleep(1500 * time.Millisecond) }},
	{name: "hello-in-pieces", ends: fine, fast: "scan",
		greet: func(a *adapter) {
			a.read()
			for _, octet := range []byte(hello() + "\n") {
				a.print(string(octet))
				time.Sleep(time.Millisecond)
			}
		}},
	{name: "ends-at-once", ends: lost, says: `before its hello`, fast: "run", start: exits(0)},
	{name: "fails-at-once", ends: lost, says: `no such module`, fast: "scan",
		start: func(*adapter) { fmt.Fprintln(os.Stderr, "no such module"); os.Exit(3) }},
	{name: "killed-at-once", ends: lost, says: `before its hello`, fast: "fuzz",
		start: func(*adapter) { die(syscall.SIGKILL) }},
	{name: "half-a-hello", ends: lost, says: `before its hello`, fast: "check",
		greet: func(a *adapter) { a.read(); a.print(hello()[:20]); os.Exit(1) }},
	{name: "closes-stdout-before-hello", ends: lost, says: `closed its stdout`, fast: "check query",
		greet: func(a *adapter) { a.read(); mute(a, request{}) }},
	{name: "hello-of-log-lines", ends: lost, says: notJSON, fast: "check", greet: say("Loading the model...\n")},
	{name: "hello-of-a-list", ends: lost, says: notJSON, greet: say("[1]\n")},
	{name: "hello-of-null", ends: lost, says: notJSON, greet: say("null\n")},
	{name: "hello-of-blank-line", ends: lost, says: notJSON, greet: say("\n")},
	{name: "hello-of-nuls", ends: lost, says: notJSON, greet: say(strings.Repeat("\x00", 100) + "\n")},
	{name: "hello-with-byte-order-mark", ends: lost, says: notJSON, fast: "query", greet: say("\ufeff" + hello() + "\n")},
	{name: "hello-in-utf-16", ends: lost, says: notJSON, fast: "scan", greet: func(a *adapter) {
		a.read()
		for _, unit := range utf16.Encode([]rune("\ufeff" + hello() + "\n")) {
			a.print(string([]byte{byte(unit), byte(unit >> 8)}))
		}
	}},
	{name: "hello-deeply-nested", ends: lost, says: `JSON|KiB|bytes|octets`, greet: sayHello("x", strings.Repeat("[", 20000))},
	{name: "hello-of-four-megabytes", ends: lost, says: `64 KiB|65,?536`, fast: "check run",
		greet: func(a *adapter) { sayHello("lineage", `"`+strings.Repeat("x", 4<<20)+`"`)(a) }},
	{name: "hello-of-endless-line", ends: lost, says: `64 KiB|65,?536`, fast: "check",
		greet: func(a *adapter) { a.read(); repeat(a.out, strings.Repeat("x", 64<<10), 2<<30); a.hang() }},
	{name: "hello-of-endless-lines", ends: lost, says: notJSON,
		greet: func(a *adapter) { a.read(); repeat(a.out, strings.Repeat("log\n", 16<<10), 2<<30); a.hang() }},
	{name: "hello-twice", ends: lost, says: `without an id|hello`, fast: "query", greet: say(hello() + "\n" + hello() + "\n")},
	{name: "hello-of-version-2", ends: lost, says: `protocol version`, fast: "query", greet: sayHello("hello", "2")},
	{name: "hello-without-version", ends: lost, says: `protocol version`, greet: say(`{"name":"hostile","version":"1"}` + "\n")},
	{name: "hello-of-wrong-type", ends: lost, says: `wrong type`, greet: sayHello("hello", `"1"`)},

	// The name, the version and the window.
	{name: "name-of-a-path", ends: lost, says: `\bname\b`, fast: "run", greet: sayHello("name", `"../../escaped"`)},
	{name: "name-of-an-absolute-path", ends: lost, says: `\bname\b`, greet: sayHello("name", `"/tmp/escaped"`)},
	{name: "name-of-dots", ends: lost, says: `\bname\b`, fast: "fuzz", greet: sayHello("name", `".."`)},
	{name: "name-with-leading-dot", ends: lost, says: `\bname\b`, greet: sayHello("name", `".hostile"`)},
	{name: "name-with-blanks", ends: lost, says: `\bname\b`, fast: "scan", greet: sayHello("name", `"a hostile name"`)},
	{name: "name-in-upper-case", ends: lost, says: `\bname\b`, greet: sayHello("name", `"HOSTILE"`)},
	{name: "name-of-10000-letters", ends: lost, says: `\bname\b`, fast: "check", greet: sayHello("name", `"`+strings.Repeat("x", 10000)+`"`)},
	{name: "name-of-escapes", ends: lost, says: `\bname\b`, fast: "query", greet: sayHello("name", `"\u001b[31mhostile\u009b\u202e"`)},
	{name: "name-of-letters-beyond-ascii", ends: lost, says: `\bname\b`, greet: sayHello("name", `"röbots"`)},
	{name: "name-of-workflow-command", ends: lost, says: `\bname\b`, greet: sayHello("name", `"\n::error::hostile"`)},
	{name: "name-missing", ends: lost, says: `\bname\b`, fast: "query", greet: sayHello("name", "")},
	{name: "name-of-wrong-type", ends: lost, says: `\bname\b`, greet: sayHello("name", "1")},
	{name: "name-of-another-parser", ends: ends{"0", "2|3", "2|3", "2|3", "2|3", "2|3"}, named: `two parsers are named "reference"`, fast: "query",
		greet: sayHello("name", `"reference"`)},
	{name: "version-of-escapes", ends: lost, says: `\bversion\b`, fast: "query", greet: sayHello("version", `"\u001b[31m1\u202e"`)},
	{name: "version-of-10000-letters", ends: lost, says: `\bversion\b`, greet: sayHello("version", `"`+strings.Repeat("1", 10000)+`"`)},
	{name: "window-of-0", ends: lost, says: `\bwindow\b`, fast: "query", greet: sayHello("window", "0")},
	{name: "negative-window", ends: lost, says: `\bwindow\b`, greet: sayHello("window", "-1")},
	{name: "window-beyond-64-bits", ends: lost, says: `\bwindow\b`, greet: sayHello("window", "1e30")},
	{name: "huge-window", ends: fine, fast: "scan", greet: sayHello("window", "1000000000000")},
	{name: "features-of-wrong-type", ends: lost, says: `\bfeatures\b`, greet: sayHello("features", `{"line":true}`)},

	// Pipes and processes.
	{name: "closes-stdout-after-hello", ends: lost, says: `closed its stdout`, fast: "check run",
		greeted: func(a *adapter) { mute(a, request{}) }},
	{name: "closes-stdout-when-asked", ends: lost, says: `closed its stdout`, fast: "fuzz", answer: mute},
	{name: "closes-stdout-every-40-requests", ends: unpolished, says: `closed its stdout`, answer: on(nth(40), mute)},
	{name: "closes-stdin-before-hello", ends: lost, says: `no answer|closed its stdin`, flags: quick,
		greet: func(a *adapter) { a.read(); os.Stdin.Close(); a.print(hello() + "\n"); a.hang() }},
	{name: "closes-stdin-after-hello", ends: lost, says: `no answer|closed its stdin`, flags: quick, fast: "check query",
		greeted: func(a *adapter) { os.Stdin.Close(); a.hang() }},
	{name: "never-reads-requests", ends: lost, says: `no answer`, flags: quick, large: true, fast: "check scan",
		greeted: (*adapter).hang},
	{name: "stops-reading-large-requests", ends: ends{"1", "1|3", "0", "0", "3", "0|3"}, says: `no answer`, flags: quick, large: true, fast: "check",
		start: func(a *adapter) { a.short = true }},
	{name: "moves-stdout", ends: fine, fast: "query", start: func(a *adapter) {
		moved, err := syscall.Dup(1)
		if err != nil {
			panic(err)
		}
		os.Stdout.Close()
		a.out = os.NewFile(uintptr(moved), "stdout")
	}},
	{name: "serves-from-the-background", ends: maybeLost, says: `before its hello|no hello|closed its stdout`, flags: soon,
		start: func(a *adapter) { a.spawn("servant", false, true); os.Exit(0) }},
	{name: "serves-from-another-session", ends: maybeLost, says: `before its hello|no hello|closed its stdout`, flags: soon, fast: "query",
		start: func(a *adapter) { a.spawn("servant", true, true); os.Exit(0) }},
	{name: "grandchild-holds-pipes", ends: lost, says: died, fast: "run",
		answer: func(a *adapter, r request) { a.spawn("grandchild", false, true); dies(a, r) }},
	{name: "grandchild-in-another-session", ends: fine, fast: "check fuzz",
		start: func(a *adapter) { a.spawn("grandchild", true, false) }},
	{name: "grandchild-in-another-session-without-environment", ends: fine,
		start: func(a *adapter) { os.Clearenv(); a.spawn("grandchild", true, false) }},
	{name: "grandchild-in-another-session-holds-pipes", ends: lost, says: died, fast: "query",
		answer: func(a *adapter, r request) { a.spawn("grandchild", true, true); dies(a, r) }},
	{name: "grandchild-for-each-request", ends: fine, answer: on(nth(7), func(a *adapter, r request) {
		a.spawn("grandchild", true, false)
		a.print(sound(r) + "\n")
	})},
	{name: "hangs-beside-a-grandchild", ends: lost, says: `no answer`, flags: quick, fast: "scan",
		answer: func(a *adapter, _ request) { a.spawn("grandchild", true, true); a.hang() }},
	{name: "ignores-sigterm", ends: unpolished, says: `SIGTERM`, fast: "query",
		start: func(*adapter) { signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP) }},
	{name: "stays-after-end-of-stdin", ends: unpolished, says: `stdin`, fast: "query", end: (*adapter).hang},
	{name: "spins-after-end-of-stdin", ends: unpolished, says: `stdin`, end: (*adapter).spin},
	{name: "fails-at-end-of-stdin", ends: unpolished, says: `exit status 5`, end: exits(5)},
	{name: "stops-itself", ends: lost, says: `no answer`, flags: quick, fast: "query",
		answer: func(*adapter, request) { die(syscall.SIGSTOP) }},
	{name: "deletes-its-folder", ends: fine, fast: "scan", start: func(*adapter) {
		if folder, err := os.Getwd(); err == nil {
			_ = os.RemoveAll(folder)
		}
	}},

	// Deaths.
	{name: "dies-when-asked", ends: lost, says: `boom`, fast: "check fuzz", answer: dies},
	{name: "ends-when-asked", ends: lost, says: died, fast: "query",
		answer: func(*adapter, request) { os.Exit(0) }},
	{name: "killed-when-asked", ends: lost, says: died, fast: "scan",
		answer: func(*adapter, request) { die(syscall.SIGKILL) }},
	{name: "terminated-when-asked", ends: lost, says: died,
		answer: func(*adapter, request) { die(syscall.SIGTERM) }},
	{name: "aborts-when-asked", ends: lost, says: `goroutine`,
		answer: func(*adapter, request) {
			_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
			debug.SetTraceback("crash")
			panic("out of ideas")
		}},
	{name: "dies-every-20-requests", ends: unpolished, says: died, fast: "fuzz", answer: on(nth(20), dies)},
	{name: "dies-of-a-dollar", ends: wrong.but("fuzz", "0|3"), says: died, fast: "run", answer: on(dollars, dies)},
	{name: "half-an-answer", ends: lost, says: died, fast: "query",
		answer: func(a *adapter, r request) { a.print(sound(r)[:8]); dies(a, r) }},
	{name: "starts-once", ends: lost.but("query", "0"), says: `already running`, fast: "run", answer: on(nth(5), dies),
		start: func(a *adapter) {
			if a.mark("started") > 1 {
				fmt.Fprintln(os.Stderr, "already running")
				os.Exit(4)
			}
		}},
	{name: "another-name-at-restart", ends: lost.but("query", "0"), says: `says it is|ended`, answer: on(nth(5), dies),
		greet: func(a *adapter) {
			a.read()
			a.print(hello("name", fmt.Sprintf(`"hostile-%d"`, a.mark("started"))) + "\n")
		}},
	{name: "another-version-at-restart", ends: lost.but("query", "0"), says: `says it is|ended`, fast: "run", answer: on(nth(5), dies),
		greet: func(a *adapter) { a.read(); a.print(hello("version", fmt.Sprintf(`"%d"`, a.mark("started"))) + "\n") }},

	// Silence.
	{name: "hangs-when-asked", ends: lost, says: `no answer`, flags: quick, fast: "check query", answer: hangs},
	{name: "spins-when-asked", ends: lost, says: `no answer`, flags: quick, fast: "query",
		answer: func(a *adapter, _ request) { a.spin() }},
	{name: "hangs-every-11-requests", ends: unpolished, says: `no answer`, flags: quick, answer: on(nth(11), hangs)},
	{name: "hangs-once", ends: fine.but("check", "0|1"), says: `no answer`, flags: quick, fast: "query",
		answer: on(func(a *adapter, _ request) bool { return a.asked == 1 && a.mark("asked") == 1 }, hangs)},
	{name: "hangs-on-a-dollar", ends: ends{"1", "1", "0", "0", "0|3", "3"}, says: `no answer|timed out on`, flags: quick, answer: on(dollars, hangs)},
	{name: "answers-at-the-end-of-stdin", ends: lost, says: `flush`, flags: quick, fast: "check run",
		answer: func(a *adapter, r request) {
			held := sound(r) + "\n"
			for more := true; more; r, more = a.read() {
				held += sound(r) + "\n"
			}
			a.print(held)
		}},
	{name: "slow-but-sound", ends: ends{"0|1", "0", "0", "0", "0", ""}, says: `.`, // profile rightly takes five minutes
		answer: each(func(r request) string { time.Sleep(300 * time.Millisecond); return sound(r) + "\n" })},

	// Answers that break the protocol.
	{name: "wrong-ids", ends: lost, says: notAsked, fast: "query",
		answer: each(func(r request) string { r.ID += 1000; return sound(r) + "\n" })},
	{name: "negative-ids", ends: lost, says: notAsked,
		answer: each(func(r request) string { r.ID = -r.ID; return sound(r) + "\n" })},
	{name: "no-ids", ends: lost, says: `without an id`, fast: "fuzz",
		answer: each(func(r request) string { return `{` + strings.SplitN(sound(r), ",", 2)[1] + "\n" })},
	{name: "fractional-ids", ends: lost, says: `wrong type`, fast: "scan",
		answer: each(func(r request) string {
			return strings.Replace(sound(r), ",", ".5,", 1) + "\n"
		})},
	{name: "ids-of-strings", ends: lost, says: `wrong type`,
		answer: each(func(r request) string {
			return strings.Replace(sound(r), fmt.Sprintf(`"id":%d`, r.ID), fmt.Sprintf(`"id":"%d"`, r.ID), 1) + "\n"
		})},
	{name: "ids-beyond-64-bits", ends: lost, says: `wrong type`,
		answer: each(func(r request) string { return strings.Replace(sound(r), ",", "00000000000000000000,", 1) + "\n" })},
	{name: "answers-twice", ends: ends{"1", "0|3", "0|3", "0|3", "0", "0|3"}, says: `twice`, fast: "check run",
		answer: each(func(r request) string { return strings.Repeat(sound(r)+"\n", 2) })},
	{name: "answers-without-end", ends: ends{"1", "0|1|3", "0|3", "0|3", "0|3", "0|3"}, says: notAsked,
		answer: func(a *adapter, r request) { repeat(a.out, strings.Repeat(sound(r)+"\n", 1000), 2<<30) }},
	{name: "answers-before-being-asked", ends: ends{"1", "1|3", "0|3", "0|3", "0|3", "0|3"}, says: notAsked, fast: "query",
		greeted: func(a *adapter) {
			for id := range 100 {
				a.print(fmt.Sprintf(`{"id":%d,"allow":true}`+"\n", 100-id))
			}
		}},
	{name: "answers-unasked", ends: lost, says: notAsked,
		answer: each(func(r request) string { r.ID++; early := sound(r); r.ID--; return early + "\n" + sound(r) + "\n" })},
	{name: "answers-out-of-order", ends: fine, fast: "scan", greet: sayHello("window", "8"),
		answer: func(a *adapter, r request) {
			held := sound(r) + "\n"
			for a.in.Buffered() > 0 {
				next, _ := a.read()
				held = sound(next) + "\n" + held
			}
			a.print(held)
		}},
	{name: "no-json", ends: lost, says: notJSON, fast: "run", answer: each(func(request) string { return "allowed\n" })},
	{name: "truncated-json", ends: lost, says: notJSON,
		answer: each(func(r request) string { answer := sound(r); return answer[:len(answer)-1] + "\n" })},
	{name: "deeply-nested-json", ends: lost, says: notJSON, fast: "query",
		answer: each(func(r request) string { return with(sound(r), `"x":`+strings.Repeat("[", 1<<20)) + "\n" })},
	{name: "answers-with-byte-order-mark", ends: lost, says: notJSON,
		answer: each(func(r request) string { return "\ufeff" + sound(r) + "\n" })},
	{name: "answers-between-nuls", ends: lost, says: notJSON, fast: "scan",
		answer: each(func(r request) string { return "\x00\x00" + sound(r) + "\x00\n" })},
	{name: "duplicate-keys", ends: lost, says: `twice|duplicate`, fast: "query",
		answer: each(func(r request) string {
			return with(sound(r), strings.SplitN(strings.Trim(sound(r), "{}"), ",", 2)[1]) + "\n"
		})},
	{name: "no-verdict", ends: lost, says: `no verdict`, answer: outcome(`"allowed":true`)},
	{name: "two-verdicts", ends: lost, says: `more than one verdict`, fast: "scan",
		answer: each(func(r request) string { return with(sound(r), `"reject":"and no"`) + "\n" })},
	{name: "null-everywhere", ends: lost, says: `no verdict|wrong type`, fast: "query",
		answer: outcome(`"allow":null,"allows":null,"reject":null,"unsupported":null,"error":null,"line":null`)},
	{name: "verdicts-of-strings", ends: lost, says: `wrong type`, answer: outcome(`"allow":"yes"`)},
	{name: "more-allows-than-urls", ends: lost, says: `allows`, fast: "scan", answer: each(func(r request) string { return allows(r, +1) })},
	{name: "fewer-allows-than-urls", ends: lost, says: `allows`, fast: "run", answer: each(func(r request) string { return allows(r, -1) })},
	{name: "negative-lines", ends: lost, says: `\bline\b`, answer: each(func(r request) string {
		if _, several := r.urls(); several {
			return fmt.Sprintf(`{"id":%d,"lines":[-1]}`+"\n", r.ID)
		}
		return with(sound(r), `"line":-1`) + "\n"
	})},
	{name: "negative-times", ends: lost, says: `\bns\b`, answer: each(func(r request) string { return with(sound(r), `"ns":-9223372036854775808`) + "\n" })},
	{name: "huge-times", ends: fine.but("check", "0|1"), says: `\bns\b`, answer: each(func(r request) string { return with(sound(r), `"ns":9223372036854775807`) + "\n" })},
	{name: "log-lines-before-answers", ends: lost, says: notJSON, fast: "check",
		answer: each(func(r request) string { return "DEBUG parsing\n" + sound(r) + "\n" })},
	{name: "log-lines-after-answers", ends: ends{"1", "0|1|3", "0|3", "0|3", "0|3", "0|3"}, says: notJSON, fast: "fuzz",
		answer: each(func(r request) string { return sound(r) + "\nDEBUG parsed\n" })},
	{name: "blank-lines-between-answers", ends: ends{"1", "0|1|3", "0|3", "0|3", "0|3", "0|3"}, says: notJSON,
		answer: each(func(r request) string { return sound(r) + "\n\n" })},
	{name: "escapes-on-stdout", ends: lost, says: notJSON, fast: "query",
		answer: each(func(request) string { return escapes + workflow })},
	{name: "carriage-returns", ends: fine, fast: "fuzz",
		greet: say(hello() + "\r\n"), answer: each(func(r request) string { return sound(r) + "\r\n" })},
	{name: "unknown-members", ends: fine, fast: "query",
		answer: each(func(r request) string { return with(sound(r), `"later":{"a":[1,null,"\ud83d\ude00"]}`) + "\n" })},

	// Too much of everything.
	{name: "endless-line", ends: lost, says: `longer than|KiB|MiB`, fast: "check",
		answer: func(a *adapter, _ request) { repeat(a.out, strings.Repeat("x", 64<<10), 2<<30); a.hang() }},
	{name: "endless-lines", ends: lost, says: `without an id`,
		answer: func(a *adapter, _ request) { repeat(a.out, strings.Repeat("{}\n", 20<<10), 2<<30); a.hang() }},
	{name: "endless-line-behind-hello", ends: lost, says: `longer than|KiB|MiB`, fast: "query",
		greeted: func(a *adapter) { repeat(a.out, strings.Repeat(" ", 64<<10), 2<<30); a.hang() }},
	{name: "answers-of-megabytes", ends: wrong, says: `reject`, fast: "query",
		answer: func(a *adapter, r request) { outcome(`"reject":"`+strings.Repeat("too long ", 1<<17)+`"`)(a, r) }},
	{name: "patterns-of-megabytes", ends: fine.but("check", "0|1"), says: `pattern`,
		answer: each(func(r request) string {
			urls, several := r.urls()
			pattern := `"/` + strings.Repeat("x", 1<<20) + `"`
			if !several {
				return with(sound(r), `"pattern":`+pattern) + "\n"
			}
			one := strings.Repeat(`,"/"`, len(urls)-1)
			return with(sound(r), `"patterns":[`+pattern+one+`]`) + "\n"
		})},
	{name: "lone-surrogates", ends: wrong, says: `reject`, fast: "run", answer: outcome(`"reject":"\ud800 and \udfff"`)},
	{name: "escapes-in-answers", ends: wrong, says: `reject`, fast: "query",
		answer: outcome(`"reject":"\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e\n::error::owned"`)},
	{name: "gigabytes-on-stderr", ends: fine, answer: on(func(a *adapter, _ request) bool { return a.asked == 1 }, func(a *adapter, r request) {
		repeat(os.Stderr, strings.Repeat("a lot of logs\n", 5000), 1<<30)
		a.print(sound(r) + "\n")
	})},
	{name: "endless-line-on-stderr", ends: lost, says: died, fast: "scan",
		answer: func(a *adapter, r request) { repeat(os.Stderr, strings.Repeat("x", 64<<10), 64<<20); dies(a, r) }},
	{name: "escapes-on-stderr", ends: lost, says: `owned`, fast: "check query",
		answer: func(a *adapter, _ request) { fmt.Fprint(os.Stderr, escapes, workflow); os.Exit(1) }},
	{name: "escapes-on-stderr-at-once", ends: lost, says: `owned`, fast: "run",
		start: func(*adapter) { fmt.Fprint(os.Stderr, escapes, workflow); os.Exit(1) }},
	{name: "swallows-memory", ends: lost.but("check", ""), says: `memory`, flags: "--memory 200", fast: "query",
		answer: func(a *adapter, _ request) { a.swallowMemory() }},
	{name: "grandchild-swallows-memory", ends: lost.but("check", ""), says: `memory`, flags: "--memory 200",
		answer: func(a *adapter, _ request) { a.spawn("memory-grandchild", false, false); a.hang() }},
	{name: "reads-in-tiny-pieces", ends: fine, fast: "run", start: func(a *adapter) { a.in = bufio.NewReaderSize(oneByOne{os.Stdin}, 16) }},
	{name: "writes-in-tiny-pieces", ends: fine, answer: func(a *adapter, r request) {
		for _, octet := range []byte(sound(r) + "\n") {
			a.print(string(octet))
		}
	}},

	// Sound transport, strange parsers.
	{name: "unsupported-to-everything", ends: ends{"1", "3", "3", "3", "0|3", "3"}, says: `unsupported|answered no`, fast: "run fuzz",
		answer: outcome(`"unsupported":"not today"`)},
	{name: "error-to-everything", ends: ends{"1", "1|3", "0|3", "0|3", "0|3", "0|3"}, says: `TypeError`, fast: "run",
		answer: outcome(`"error":"TypeError: undefined is not a function"`)},
	{name: "rejects-everything", ends: wrong, says: `reject`, answer: outcome(`"reject":"no robots.txt"`)},
	{name: "allows-everything", ends: wrong, says: `allow`, fast: "scan",
		answer: each(func(r request) string { return verdicts(r, func(string) bool { return true }) + "\n" })},
	{name: "disallows-everything", ends: wrong, says: `disallow`,
		answer: each(func(r request) string { return verdicts(r, func(string) bool { return false }) + "\n" })},
	{name: "alternates", ends: wrong, says: `allow`, fast: "check",
		answer: func(a *adapter, r request) {
			n := a.asked
			a.print(verdicts(r, func(string) bool { n++; return n%2 == 0 }) + "\n")
		}},
	{name: "wrong-after-10-requests", ends: wrong.but("check", "0|1"), says: `allow|order`, fast: "run",
		answer: on(func(a *adapter, _ request) bool { return a.asked > 10 }, func(a *adapter, r request) {
			a.print(verdicts(r, func(url string) bool { return len(url)%2 == 0 }) + "\n")
		})},
}

// but returns e with the codes of one verb replaced.
func (e ends) but(verb, codes string) ends {
	*e.of(verb) = codes
	return e
}

// allows is an answer with too many or too few elements.
func allows(r request, surplus int) string {
	urls, _ := r.urls()
	list := strings.TrimSuffix(strings.Repeat("true,", max(0, len(urls)+surplus)), ",")
	return fmt.Sprintf(`{"id":%d,"allows":[%s]}`+"\n", r.ID, list)
}
