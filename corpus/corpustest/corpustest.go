// Package corpustest tells tests and benchmarks where a large corpus of real
// robots.txt files lies. The project holds none: it would be other people's
// text.
package corpustest

import (
	"os"
	"testing"
)

// Path is where the corpus should lie: where the environment variable
// REPCHECK_CORPUS says, or else beside the checkout, as seen from the folder of
// a package right under the project's root.
func Path() string {
	if path := os.Getenv("REPCHECK_CORPUS"); path != "" {
		return path
	}
	return "../../shared/corpus/real-robots.jsonl.gz"
}

// Real is Path where there is a corpus. Where there is none it skips the test,
// or fails it if REPCHECK_CORPUS is set, since whoever set it wants the test.
func Real(t testing.TB) string {
	t.Helper()
	path := Path()
	_, err := os.Stat(path)
	switch {
	case err == nil:
	case os.Getenv("REPCHECK_CORPUS") != "":
		t.Fatalf("REPCHECK_CORPUS leads to no corpus; set it to the absolute path of one, or unset it: %v", err)
	default:
		t.Skipf("no corpus of real files: set REPCHECK_CORPUS to one (%v)", err)
	}
	return path
}
