package conformance

import (
	"strings"
	"testing"
)

// TestExcerpt: a large file is cut.
func TestExcerpt(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("a", 4096)
	if got := excerpt([]byte(whole)); got != whole {
		t.Errorf("%d bytes are cut", len(whole))
	}
	if got := excerpt([]byte(whole + "b")); got != whole+"…" {
		t.Errorf("%d bytes become %d", len(whole)+1, len(got))
	}
}
