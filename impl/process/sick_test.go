package process

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/repcheck/repcheck/spec"
)

// sickness precedes the name of the fault with which the adapter "sick: …" runs.
const sickness = "sick: "

// sick is an adapter for a parser that knows two files, with one fault or none.
// It is written as an adapter author would write it, one line in and one line
// out. It returns the exit code.
func sick(fault string, stdin io.Reader, stdout, stderr io.Writer) int {
	in := bufio.NewReader(stdin)
	out := bufio.NewWriter(stdout)
	var last wireFile
	asked := 0
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			break
		}
		var q wireRequest
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			panic(err)
		}
		if q.Hello != nil {
			if fault == "hello" {
				fmt.Fprintln(out, `{"name":"sick"}`)
			} else {
				fmt.Fprintln(out, `{"hello":1,"name":"sick","version":"1","language":"python","features":["hash"],"window":16}`)
			}
			out.Flush()
			continue
		}
		asked++
		if q.Robots != nil || q.RobotsB64 != nil {
			if fault == "kept" && q.AgentB64 != nil {
				last = wireFile{Robots: new("")}
			} else if fault != "state" || last.Robots == nil {
				last = q.wireFile
			}
		} else if fault == "hash" {
			last = wireFile{Robots: new("")}
		}
		robots := string(octets(last.Robots, last.RobotsB64))
		probes, several := q.probes()
		switch {
		case fault == "unknown-field" && strings.Contains(line, `"later"`),
			fault == "utf-8" && strings.ContainsFunc(line, func(r rune) bool { return r > unicode.MaxASCII }),
			fault == "nul" && strings.Contains(line, `\u0000`),
			fault == "base64" && strings.Contains(line, `_b64`),
			fault == "odd-input" && strings.Contains(line, `http://[`),
			fault == "big" && len(line) > 64<<10,
			fault == "burst" && asked == smallBurst/2:
			fmt.Fprintln(stderr, "Traceback:\n  File "+fault)
			return 1
		}
		answers := make([]spec.Answer, len(probes))
		for i, p := range probes {
			closed := strings.Contains(robots, "Disallow: /\n") || strings.Contains(robots, "Disallow: /no\n") && strings.Contains(p.URL, "/no")
			answers[i] = spec.Allowed(closed == (fault == "verdict"))
		}
		if fault == "urls" {
			answers, several = answers[:1], false
		}
		if fault == "too many" && several {
			answers = append(answers, answers[0])
		}
		id := *q.ID
		if fault == "id" {
			id = int64(int32(id))
		}
		if fault == "stdout" {
			fmt.Fprintln(out, "parsed", len(robots), "octets")
		}
		text, err := json.Marshal(encodeAnswer(id, answers, several, 0))
		if err != nil {
			panic(err)
		}
		if fault == "window" && in.Buffered() > 200 { // one thread too few: the rest is lost
			continue
		}
		fmt.Fprintln(out, string(text))
		if fault != "flush" {
			out.Flush()
		}
	}
	out.Flush()
	return 0
}
