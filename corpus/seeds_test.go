package corpus

import (
	"bytes"
	"strings"
	"testing"
)

// TestSeeds: the seeds have the properties that their names promise. An editor or git
// could break that by converting line ends.
func TestSeeds(t *testing.T) {
	t.Parallel()
	seeds := map[string]string{}
	for _, f := range Seeds() {
		seeds[f.Name] = string(f.Robots)
		if len(f.Robots) > 2048 {
			t.Errorf("%s is not small: %d octets", f.Name, len(f.Robots))
		}
	}
	if len(seeds) < 10 {
		t.Errorf("%d seeds", len(seeds))
	}
	for name, shows := range map[string]func(body string) bool{
		"empty.txt":  func(b string) bool { return b == "" },
		"closed.txt": func(b string) bool { return strings.HasSuffix(b, "/") },
		"crlf.txt": func(b string) bool {
			return strings.Count(b, "\r\n") == strings.Count(b, "\n") && strings.HasSuffix(b, "\r\n")
		},
		"lone-cr.txt":   func(b string) bool { return strings.Contains(b, "\r") && !strings.Contains(b, "\n") },
		"bom.txt":       func(b string) bool { return strings.HasPrefix(b, "\xEF\xBB\xBF") },
		"wildcards.txt": func(b string) bool { return strings.Count(b, "*") > 5 },
		"octets.txt": func(b string) bool {
			return strings.Contains(b, "\x00") && !bytes.Equal([]byte(b), bytes.ToValidUTF8([]byte(b), nil))
		},
		"html-error.txt":  func(b string) bool { return strings.HasPrefix(b, "<!DOCTYPE") },
		"many-groups.txt": func(b string) bool { return strings.Count(b, "User-agent") > 5 },
		"blank-lines.txt": func(b string) bool { return b != "" && strings.TrimSpace(b) == "" },
	} {
		if body, ok := seeds[name]; !ok || !shows(body) {
			t.Errorf("%s does not show what it should (is it there: %v): %q", name, ok, body)
		}
	}
}
