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
