package process

import (
	"strings"

	"github.com/repcheck/repcheck/spec"
)

// A check looks for one mistake, in a process of its own. It is skipped if a
// check that it needs has failed, as it would report the same problem again.
type check struct {
	name, about string
	needs       []string
	// feature, if not empty, must be in the hello; otherwise the check is
	// skipped.
	feature string
	// send are requests, which are sent one after another. fix says what to
	// change if an answer differs from the one a request wants, or if a request
	// that wants no particular answer gets none.
	send []exchange
	fix  string
	// run replaces send if requests in a row are not enough.
	run func(*trial) error
}

// An exchange is a request and the answer that a correct adapter gives.
type exchange struct {
	id      int64 // 0 for the next one
	members string
	urls    []string
	want    []spec.Verdict // one for each of urls; nil for any answer
}

// query returns a request; file is the members that hold the file or its hash.
func query(file string, urls ...string) exchange { return queryAs("FooBot", file, urls...) }

func queryAs(agent, file string, urls ...string) exchange {
	return exchange{members: file + "," + string(encodeQuestion(agent, urls)), urls: urls}
}

func (e exchange) wants(v ...spec.Verdict) exchange { e.want = v; return e }

func (e exchange) as(id int64) exchange { e.id = id; return e }

// fileOf returns the member of a request that holds the file, and hashOf the one
// that holds its hash.
func fileOf(robots string) string { return string(encodeFile([]byte(robots), false).body) }
func hashOf(robots string) string { return string(encodeFile([]byte(robots), true).hash) }

// bothOf returns both members.
func bothOf(robots string) string { return fileOf(robots) + "," + hashOf(robots) }

const (
	open      = "User-agent: *\nUser-agent: FooBot\nDisallow: /closed\n"
	closed    = "User-agent: *\nUser-agent: FooBot\nDisallow: /\n"
	halfOpen  = "User-agent: *\nUser-agent: FooBot\nDisallow: /no\n"
	somewhere = "http://x.test/a"
	no, yes   = "http://x.test/no", "http://x.test/yes"
)

// checks returns all checks in the order in which they run.
func checks() []check {
	const allow, disallow = spec.Allow, spec.Disallow
	flushed := []string{"flush"}
	return []check{{
		name: "hello", about: `answers {"hello":1} with its name, version and features`, run: (*trial).greeting,
	}, {
		name: "flush", about: "answers a request without waiting for another one or for the end of stdin", needs: []string{"hello"}, run: (*trial).flush,
	}, {
		name: "id", about: "repeats the id of the request, for any number", needs: flushed,
		send: []exchange{query(fileOf(open), somewhere).as(7), query(fileOf(open), somewhere).as(3), query(fileOf(open), somewhere).as(1 << 40)},
	}, {
		name: "verdict", about: "distinguishes allow from disallow", needs: flushed,
		send: []exchange{query(fileOf(halfOpen), no).wants(disallow), query(fileOf(halfOpen), yes).wants(allow)},
		fix:  "check that the answer is not inverted and that the URL reaches the parser",
	}, {
		name: "urls", about: "answers urls with allows, one element for each URL, in order", needs: []string{"verdict"},
		send: []exchange{query(fileOf(halfOpen), no, yes, no).wants(disallow, allow, disallow)},
		fix:  "keep the order of urls in allows",
	}, {
		name: "unknown-field", about: "ignores unknown fields", needs: flushed,
		send: []exchange{query(`"later":{"a":[1]},`+fileOf(open), somewhere)},
		fix:  "ignore unknown fields, because later versions of the protocol may add some",
	}, {
		name: "state", about: "forgets the last file when another one comes", needs: []string{"verdict"},
		send: []exchange{query(fileOf(closed), somewhere).wants(disallow), query(fileOf(open), somewhere).wants(allow), query(fileOf(closed), somewhere).wants(disallow)},
		fix:  "parse each file again, or cache parsed files by the whole file",
	}, {
		name: "hash", about: "keeps the last file, if it has the feature hash", needs: []string{"state"}, feature: "hash",
		send: []exchange{
			query(bothOf(closed), somewhere).wants(disallow), query(hashOf(closed), somewhere).wants(disallow),
			query(bothOf(open), somewhere).wants(allow), query(hashOf(open), somewhere).wants(allow),
		},
		fix: "a request with a hash and no file is about the last file",
	}, {
		// Not escaped, as JSON allows; an adapter that expects another encoding
		// fails.
		name: "utf-8", about: "reads stdin as UTF-8 in any locale", needs: flushed,
		send: []exchange{{members: `"robots":"User-agent: *\nDisallow: /é中😀\n","agent":"FooBot","url":"http://x.test/é中😀"`}},
	}, {
		name: "nul", about: "answers requests with NUL bytes", needs: flushed,
		send: []exchange{query(fileOf("User-agent: *\nDisallow: /a\x00b\n\x00\n"), somewhere), query(fileOf(open), "http://x.test/\x00")},
	}, {
		name: "base64", about: "answers requests whose file, agent or URL is not UTF-8", needs: flushed,
		send: []exchange{
			query(fileOf("# \xff\xfe\nUser-agent: *\nDisallow: /\xe9\n"), somewhere),
			queryAs("Foo\xff", fileOf(open), somewhere),
			query(fileOf(open), "http://x.test/\xff"),
			query(fileOf(open), "http://x.test/\xff", "http://x.test/\xfe"),
		},
	}, {
		// Many libraries cannot handle such an agent.
		name: "kept", about: "keeps the file of a request that it answers with unsupported", needs: []string{"hash", "base64"}, feature: "hash",
		send: []exchange{queryAs("\xFF", bothOf(closed), somewhere), query(hashOf(closed), somewhere).wants(disallow)},
		fix:  "keep the file of every request, also of one that is answered with unsupported",
	}, {
		name: "odd-input", about: "answers with error when the library throws, and continues", needs: flushed, send: oddInput(),
	}, {
		name: "big", about: "answers a request with a file of 1 MiB", needs: flushed,
		send: []exchange{
			query(fileOf("User-agent: *\n"+strings.Repeat("Disallow: /a/b/c/d/e/f\n", bigFile/23)), somewhere),
			query(fileOf("User-agent: *\nDisallow: /"+strings.Repeat("a", bigFile)), somewhere),
		},
	}, {
		name: "window", about: "answers as many requests at a time as its window says", needs: flushed, run: (*trial).window,
	}, {
		name: "burst", about: "answers 10,000 requests in a row", needs: []string{"window"}, run: (*trial).burst,
	}, {
		name: "stdout", about: "prints only answers on stdout", needs: []string{"hello"}, run: (*trial).stdout,
	}, {
		name: "end", about: "answers all requests and exits when stdin ends", needs: []string{"hello", "window"}, run: (*trial).end,
	}, {
		name: "sigterm", about: "exits on SIGTERM", needs: []string{"hello"}, run: (*trial).sigterm,
	}}
}

// oddInput returns requests that a parser may refuse.
func oddInput() (all []exchange) {
	for _, url := range []string{"", ":", "/a", "http://", "http://[::1", "http://x.test/%", "http://x.test/%zz", "http://x.test/[*+?(", "mailto:a@x.test"} {
		all = append(all, query(fileOf("User-agent: *\nDisallow: /[*+?(\nDisallow: /%zz\nDisallow: *$*$\n"), url))
	}
	for _, robots := range []string{"Disallow: /\n", ":\n", "User-agent\n", "User-agent: *\nCrawl-delay: x\n", "\n\r\n\r", "Sitemap: :\n", "{}\n"} {
		all = append(all, query(fileOf(robots), somewhere))
	}
	return append(all, queryAs("", fileOf(""), "http://x.test/"))
}
