package reference

import "testing"

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
