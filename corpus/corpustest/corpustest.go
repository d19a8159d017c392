// Package corpustest finds a large corpus of real robots.txt files for tests and
// benchmarks. The project does not include one, because the files belong to others.
package corpustest

import (
	"os"
	"testing"
)

// Path returns the path of the corpus: the environment variable REPCHECK_CORPUS or, if
// it is not set, a path next to the checkout. That path is relative to a package
// directly under the root of the project.
func Path() string {
	if path := os.Getenv("REPCHECK_CORPUS"); path != "" {
		return path
	}
	return "../../shared/corpus/real-robots.jsonl.gz"
}

// Real returns Path if there is a corpus. Otherwise it skips the test, or fails it if
// REPCHECK_CORPUS is set.
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
