package process

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

// sickness is what is wrong with the adapter that "sick: …" plays.
const sickness = "sick: "

// sick is an adapter for a parser that knows two files, with one fault or none.
// It is written as an adapter's author would, a line in and a line out.
func sick(fault string, stdin io.Reader, stdout io.Writer) {
	in := bufio.NewReader(stdin)
	out := bufio.NewWriter(stdout)
	if fault == "big" {
		in = bufio.NewReaderSize(stdin, 16)
	}
	if fault == "sigterm" {
		signal.Ignore(syscall.SIGTERM)
	}
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
			fault == "burst" && asked == 5000:
			fmt.Fprintln(os.Stderr, "Traceback: "+fault)
			os.Exit(1)
		}
		answers := make([]spec.Answer, len(probes))
		for i, p := range probes {
			closed := strings.Contains(robots, "Disallow: /\n") || strings.Contains(robots, "Disallow: /no\n") && strings.Contains(p.URL, "/no")
			answers[i] = spec.Bool(closed == (fault == "verdict"))
		}
		if fault == "urls" {
			answers, several = answers[:1], false
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
		if fault == "window" && in.Buffered() > 200 { // a thread too few: the rest is lost
			continue
		}
		fmt.Fprintln(out, string(text))
		if fault != "flush" {
			out.Flush()
		}
	}
	if fault != "end" {
		out.Flush()
		return
	}
	time.Sleep(time.Minute)
}

// TestExamine plants one fault after the other and wants it found by its name,
// and nothing else but what follows from it.
func TestExamine(t *testing.T) {
	t.Parallel()
	names := []string{""}
	for _, c := range checkups {
		names = append(names, c.name)
	}
	for _, fault := range names {
		t.Run("fault "+fault, func(t *testing.T) {
			t.Parallel()
			var told []Checkup
			all := Examine(t.Context(), self(t, sickness+fault, 0), func(c Checkup) { told = append(told, c) })
			if diff := cmp.Diff(told, all); diff != "" || len(all) != len(checkups) {
				t.Errorf("%d checkups, told (-) and returned (+) differ:\n%s", len(all), diff)
			}
			found := map[string]Checkup{}
			for _, c := range all {
				if c.Problem != "" {
					found[c.Name] = c
				}
				if c.Skipped != "" && fault == "" {
					t.Errorf("%s is skipped: %s", c.Name, c.Skipped)
				}
			}
			if fault == "" {
				if len(found) > 0 {
					t.Errorf("a sound adapter: %v", found)
				}
				return
			}
			c, ok := found[fault]
			if !ok {
				t.Fatalf("not found by its name; found are %v", found)
			}
			if !strings.HasPrefix(c.Problem, "the adapter ") || !strings.Contains(c.Problem, " — ") {
				t.Errorf("the problem says no mend: %s", c.Problem)
			}
			if want := hints[fault]["python"]; c.Hint != want && fault != "hello" {
				t.Errorf("the hint is %q, want %q", c.Hint, want)
			}
			delete(found, fault)
			if len(found) > 0 {
				t.Errorf("sound, but found: %v", found)
			}
		})
	}
}

// TestExamineServe holds our own adapter loop to the doctor. Its parser is a
// fake, so that what is asked of verdicts does not apply.
func TestExamineServe(t *testing.T) {
	t.Parallel()
	for _, c := range Examine(context.Background(), self(t, "serve", 0), nil) {
		if c.Problem != "" && c.Name != "verdict" && c.Name != "state" && c.Name != "hash" && c.Name != "kept" {
			t.Errorf("%+v", c)
		}
	}
}
