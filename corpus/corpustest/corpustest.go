// Package corpustest finds a large corpus of real robots.txt files for tests and
// benchmarks. The project contains none, because the files belong to others.
package corpustest

import (
	"os"
	"testing"
)

// Path is the path of the corpus: that in the environment variable REPCHECK_CORPUS
// or, without it, one beside the checkout, relative to a package directly under the
// root of the project.
func Path() string {
	if path := os.Getenv("REPCHECK_CORPUS"); path != "" {
		return path
	}
	return "../../shared/corpus/real-robots.jsonl.gz"
}

// Real returns Path if there is a corpus. If there is none it skips the test, or
// fails it if REPCHECK_CORPUS is set.
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
