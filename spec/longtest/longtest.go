// Package longtest adds the flag -long to the tests of packages that import it. It
// is not meant for users.
package longtest

import (
	"flag"
	"testing"
)

// Long is set by -long. Without it, tests use fewer parsers, inputs and
// combinations.
var Long = flag.Bool("long", false, "run the long tests too, which take minutes")

// Skip skips a test unless -long is set. why says what covers the same behaviour
// without -long.
func Skip(t testing.TB, why string) {
	t.Helper()
	if !*Long {
		t.Skipf("only with -long: %s", why)
	}
}
