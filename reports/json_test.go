package reports

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWriteJSONUnseen checks that characters that control a terminal or are
// invisible are escaped, that all others are not, and that the value is
// unchanged.
func TestWriteJSONUnseen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"ASCII", "a <b> & c", `"a <b> & c"`},
		{"letters", "中文 é 🤖 ⟦␀⟧", `"中文 é 🤖 ⟦␀⟧"`},
		{"C0", "\x1b[2J\x00", `"\u001b[2J\u0000"`},
		{"delete", "\x7f", `"\u007f"`},
		{"C1", "\u009b2J\u0085", `"\u009b2J\u0085"`},
		{"bidirectional override", "\u202eabc\u2066", `"\u202eabc\u2066"`},
		{"zero width", "a\u200bb\u200d\ufeff", `"a\u200bb\u200d\ufeff"`},
		{"blanks", "a\u00a0b\u3000", `"a\u00a0b\u3000"`},
		{"line separators", "\u2028\u2029", `"\u2028\u2029"`},
		{"fillers and selectors", "\u3164\ufe0f", `"\u3164\ufe0f"`},
		{"tag characters", "\U000e0041", `"\udb40\udc41"`},
		{"private use", "\U000f0000\ue000", `"\udb80\udc00\ue000"`},
		{"not UTF-8", "\xff", `"\ufffd"`},
	} {
		for name, write := range map[string]func(*bytes.Buffer, any) error{
			"WriteJSON":     func(b *bytes.Buffer, v any) error { return WriteJSON(b, v) },
			"WriteJSONLine": func(b *bytes.Buffer, v any) error { return WriteJSONLine(b, v) },
		} {
			var b bytes.Buffer
			if err := write(&b, test.text); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want+"\n", b.String()); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", test.name, name, diff)
			}
			var back string
			if err := json.Unmarshal(b.Bytes(), &back); err != nil || back != strings.ToValidUTF8(test.text, "\uFFFD") {
				t.Errorf("%s: %s gives back %q (%v)", test.name, name, back, err)
			}
		}
	}
}
