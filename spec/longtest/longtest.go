// Package longtest adds the flag -long to the tests of packages that import it. It
// is not meant for users.
package longtest

import (
	"flag"
	"testing"
)

// Long is set by -long. Without it, tests cover less of the same: fewer parsers,
// fewer inputs, fewer combinations.
var Long = flag.Bool("long", false, "run the long tests too, which take minutes")

// Skip skips a test that only runs with -long. why says what else covers its subject.
func Skip(t testing.TB, why string) {
	t.Helper()
	if !*Long {
		t.Skipf("only with -long: %s", why)
	}
}
