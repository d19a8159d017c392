package conformance

import (
	"strings"
	"testing"
)

// FuzzBaseline: any file either is a baseline in which every entry has a subject,
// an interpretation and a reason, or is rejected with an error that names the
// file.
func FuzzBaseline(f *testing.F) {
	names, err := embedded.ReadDir("baselines")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		octets, err := embedded.ReadFile("baselines/" + name.Name())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(octets)
	}
	for _, seed := range []string{
		"", "---\n", "subject: a\ninterpretation: rfc9309\nknown:\n- reason: x\n  expires: 2027-06-30\n  cases: {a/b: {/: allow}}\n",
		"subject: a\ninterpretation: rfc9309\nknown: [null]\n", "subject: &a a\ninterpretation: *a\n---\n- x\n", "a: &a [*a]\n", "\xFF",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, octets []byte) {
		file, err := parseBaseline(octets, "my.yaml")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "my.yaml:") {
				t.Errorf("the error names no file: %v", err)
			}
			return
		}
		for _, s := range file.entries {
			if s.Subject == "" || s.Interpretation == "" {
				t.Errorf("%+v", s)
			}
			for _, item := range s.Known {
				if strings.TrimSpace(item.Reason) == "" || item.node.Line < 1 {
					t.Errorf("%+v", item)
				}
			}
		}
	})
}
