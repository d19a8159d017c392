package corpus

import (
	"bytes"
	"encoding/base64"
	"testing"
)

// FuzzTally: any file is counted once under each property of files, at most
// countedLines of its lines are counted, and all numbers are ranges.
func FuzzTally(f *testing.F) {
	for _, seed := range Seeds() {
		f.Add(seed.Robots)
	}
	for _, seed := range []string{"", "\uFEFF", "\r\n\r", ":", "allow:*$", "user-agent:#", "\x00", "Disallow: /%%%2"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, robots []byte) {
		before := bytes.Clone(robots)
		r := Rates{}
		r.Add(robots)
		if !bytes.Equal(robots, before) {
			t.Error("the file is changed")
		}
		for _, question := range []string{"start", "octets-per-file"} {
			if r.All(question) != 1 {
				t.Errorf("%s: %v", question, r[question])
			}
		}
		whole := r.All("octets") // the lines of pages and empty files are not counted
		for _, question := range []string{"line-ends", "last-line", "rule-without-group"} {
			if r.All(question) != whole {
				t.Errorf("%s: %v", question, r[question])
			}
		}
		lines := r["line"]
		if r.All("line") > countedLines || r.All("key-allow") != lines["allow"] || r.All("key-disallow") != lines["disallow"] ||
			r.All("rule-value") != lines["allow"]+lines["disallow"] || r.All("agent-value") != lines["user-agent"] {
			t.Errorf("lines %v, keys %v %v, values %v %v", lines, r["key-allow"], r["key-disallow"], r["rule-value"], r["agent-value"])
		}
		if r.All("agents-per-group") != r.All("rules-per-group") || r.All("path-stars") != r.All("path-length") {
			t.Errorf("groups %v %v, paths %v %v", r["agents-per-group"], r["rules-per-group"], r["path-stars"], r["path-length"])
		}
		for _, question := range []string{"octets-per-file", "lines-per-file", "groups-per-file", "agents-per-group", "rules-per-group", "line-length", "path-length", "path-stars", "path-slashes", "path-escapes"} {
			for answer := range r[question] {
				if _, _, err := RangeOf(answer); err != nil {
					t.Errorf("%s: %v", question, err)
				}
			}
		}
	})
}

// FuzzDecode: any line can be decoded or is an error, and a decoded file that is
// written again is decoded to the same file.
func FuzzDecode(f *testing.F) {
	for _, line := range []string{
		`{"host":"a.test","body_base64":"VXNlci1hZ2VudDogKgo="}`, `{"host":"b.test","body":"User-agent: *\n","status":200}`,
		`{"body":"\ud83e\udd16�"}`, `{"body":"\udc00"}`, `{"body":null,"body_base64":null}`, `{"body_base64":"AA=="}`, `{"BODY":"x"}`, `null`, `[]`, `0`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		file, err := decode(line)
		if err != nil {
			if file.Robots != nil || file.Name != "" {
				t.Errorf("%+v with error %v", file, err)
			}
			return
		}
		if file.Robots == nil {
			t.Error("no body and no error")
		}
		again, err := decode([]byte(`{"body_base64":"` + base64.StdEncoding.EncodeToString(file.Robots) + `"}`))
		if err != nil || !bytes.Equal(again.Robots, file.Robots) {
			t.Errorf("%q became %q, %v", file.Robots, again.Robots, err)
		}
	})
}
