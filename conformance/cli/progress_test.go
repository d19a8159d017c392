package cli

import (
	"bytes"
	"testing"
	"time"
)

// TestProgress writes progress to a standard error that is not a terminal:
// without --progress always, it shows nothing.
func TestProgress(t *testing.T) {
	t.Parallel()
	for when, want := range map[string]string{"auto": "", "never": "", "always": "3 of 7 \u27e6U+001B\u27e7\n"} {
		var b bytes.Buffer
		e := &env{stderr: &textWriter{raw: &b}, progress: when}
		p := e.newProgress()
		p.started, p.told = time.Time{}, time.Time{} // long ago
		p.tell("%d of %d %s", 3, 7, "\x1b")
		p.done()
		if b.String() != want {
			t.Errorf("--progress %s shows %q, want %q", when, &b, want)
		}
	}
}
