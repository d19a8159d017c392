package fuzz

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, robots, agent, path string
		verdict                   spec.Verdict
		want                      []string // nil if nothing explains it
	}{
		{
			"the reference agrees", "User-agent: *\nDisallow: /\n", "FooBot", "/", spec.Disallow, []string{},
		},
		{
			"first match", "User-agent: *\nDisallow: /\nAllow: /a\n", "FooBot", "/a", spec.Disallow,
			[]string{"allow-lines=unknown", "precedence=first", "precedence=any-disallow"},
		},
		{
			"case of the agent", "User-agent: foobot\nDisallow: /\n", "FooBot", "/", spec.Allow,
			[]string{"agent-case=sensitive"},
		},
		{
			"the file is refused", "Disallow: /\n", "FooBot", "/", spec.Reject,
			[]string{"orphan-rules=reject-file"},
		},
		{
			"two choices", "User-agent: *\nDissallow /\n", "FooBot", "/", spec.Disallow,
			[]string{"separator=two-words + keys=google"},
		},
		{"a crash", "User-agent: *\n", "FooBot", "/", spec.Crash, nil},
		{"no choice does that", "User-agent: *\nDisallow: /a\n", "FooBot", "/b", spec.Disallow, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := Witness{Robots: []byte(tt.robots), Probe: spec.Probe{Agent: tt.agent, URL: spec.LongURL(tt.path)}}
			var got []string
			if causes := Explain(w, tt.verdict, nil); causes != nil {
				got = []string{}
				for _, c := range causes {
					got = append(got, c.String())
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFlipText(t *testing.T) {
	t.Parallel()
	want := Cause{{"precedence", "first"}, {"tie", "disallow"}}
	text, err := json.Marshal(want)
	if err != nil || string(text) != `["precedence=first","tie=disallow"]` {
		t.Fatalf("%s, %v", text, err)
	}
	var got Cause
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, wrong := range []string{"precedence", "precedence=last", "=first", "order=first"} {
		var f Flip
		if err := f.UnmarshalText([]byte(wrong)); err == nil || !strings.Contains(err.Error(), "point=choice") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}
