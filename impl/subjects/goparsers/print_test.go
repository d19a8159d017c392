package goparsers

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	robots "github.com/benjaminestes/robots/v2"
)

// printEnv makes the test binary print as the library does.
const printEnv = "GOPARSERS_PRINT"

func TestMain(m *testing.M) {
	if os.Getenv(printEnv) != "" {
		// Only parse the file: a query would panic.
		_, _ = robots.From(200, strings.NewReader("User-agent: *\nDisallow: /\xff\n"))
		return
	}
	os.Exit(m.Run())
}

// TestBenjaminestesPrints: if this fails, the library no longer prints, and programs
// that use it need not redirect os.Stdout.
func TestBenjaminestesPrints(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), printEnv+"=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(out), "oh no! ") {
		t.Errorf("the library printed %q", out)
	}
}
