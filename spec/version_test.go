package spec_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/repcheck/repcheck/spec"
)

// TestVersion fails if cases change without a new version.
func TestVersion(t *testing.T) {
	t.Parallel()
	if data := spec.Default(); strings.HasSuffix(data.Version, "-modified") || data.Version == "" {
		t.Errorf("the cases are not those of version %q: raise it in spec/VERSION by the rules in CONTRIBUTING.md, with the hash %s", data.Version, data.Hash)
	}
}

// TestVersionFile loads a case with several variants of the file VERSION.
func TestVersionFile(t *testing.T) {
	t.Parallel()
	const topic = `section: "2.2.2"
cases:
  - id: topic/one
    requirements: [RFC9309-2.2.2-1]
    level: MUST
    rationale: It follows.
    robots: ""
    expect: [{url: /a, verdict: allow}]
`
	fsys := fstest.MapFS{"cases/2.2.2/topic.yaml": {Data: []byte(topic)}}
	data, err := spec.Load(fsys, "folder")
	if err != nil {
		t.Fatal(err)
	}
	if data.Version != "" {
		t.Errorf("without the file the version is %q", data.Version)
	}
	const problem = "folder/VERSION: not one line with a version like 1.2.3 and the hash of its cases"
	for text, want := range map[string]string{
		"1.2.3 " + data.Hash + "\n":             "1.2.3",
		"0.10.0 000000000000\n":                 "0.10.0-modified",
		"":                                      problem,
		"1.2 " + data.Hash + "\n":               problem,
		"1.02.3 " + data.Hash + "\n":            problem,
		"1.2.3\n":                               problem,
		"1.2.3 " + data.Hash + "\n1.2.4 0000\n": problem,
	} {
		fsys["VERSION"] = &fstest.MapFile{Data: []byte(text)}
		data, err := spec.Load(fsys, "folder")
		switch {
		case want == problem && (err == nil || !strings.HasPrefix(err.Error(), problem)):
			t.Errorf("VERSION %q: error %v, want %q", text, err, problem)
		case want != problem && (err != nil || data.Version != want):
			t.Errorf("VERSION %q: version %q and error %v, want %q", text, data.Version, err, want)
		}
	}
}
