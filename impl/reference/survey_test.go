package reference

import "testing"

// TestSurvey holds survey to its meaning for every octet at every place of a
// word and behind it.
func TestSurvey(t *testing.T) {
	t.Parallel()
	for c := range 256 {
		for at := range 19 {
			value := []byte("/abcdefghijklmnopqr")
			value[at] = byte(c)
			odd, blank := survey(value)
			wantOdd := c < ' ' || c >= 0x80
			if odd != wantOdd || (c == ' ' || c == '\t') && !blank || blank && !wantOdd && c != ' ' {
				t.Errorf("octet %02X at %d: odd %v, blank %v", c, at, odd, blank)
			}
		}
	}
}

func TestDecodePasses(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"/a": "/a", "/%41": "/%41", "/%2541": "/%41", "/%25252541": "/%41", "/%25": "/%25", "/%25zz": "/%25zz", "/%252541%2542": "/%41%42", "%": "%",
	} {
		if got := decodePasses(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
