package generate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/fuzz/internal/generate"
)

func TestEdit(t *testing.T) {
	t.Parallel()
	const file = "User-agent: a\r\nDisallow: /b"
	tests := []struct {
		name  string
		shape []byte
		want  string
	}{
		{"nothing", nil, file},
		{"an edit cut short", []byte{0, 1, 2}, file},
		{"repeat group", []byte{0, 1, 2, 0}, "User-agent: a\r\nDisallow: /b\r\nUser-agent: a\r\nDisallow: /b"},
		{"move line", []byte{1, 0, 1, 0}, "Disallow: /b\r\nUser-agent: a\r\n"},
		{"insert line", []byte{2, 1, 0, 2}, "User-agent: a\r\nCrawl-delay: 5\r\nDisallow: /b"},
		{"line ends of all", []byte{3, 0, 0, 2}, "User-agent: a\rDisallow: /b\r"},
		{"line end of one", []byte{3, 0, 1, 0}, "User-agent: a\nDisallow: /b"},
		{"key case", []byte{4, 1, 0, 0}, "User-agent: a\r\nDISALLOW: /b"},
		{"key case of a letter", []byte{4, 1, 0, 2}, "User-agent: a\r\ndisallow: /b"},
		{"special at the end", []byte{5, 1, 0xFF, 1}, "User-agent: a\r\nDisallow: /b$"},
		{"special inside", []byte{5, 1, 10, 0}, "User-agent: a\r\nDisallow: */b"},
		{"escape", []byte{6, 1, 1, 1}, "User-agent: a\r\nDisallow: /%62"},
		{"mark in front", []byte{8, 1, 0, 0}, "\uFEFF" + file},
		{"drop line", []byte{9, 1, 0, 0}, "User-agent: a\r\n"},
		{"several", []byte{9, 1, 0, 0, 9, 0, 0, 0}, ""},
		{"more than there is", []byte{9, 1, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 0, 7, 7, 7}, "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := []byte(file)
			if diff := cmp.Diff(tt.want, string(generate.Edit(before, tt.shape))); diff != "" {
				t.Error(diff)
			}
			if string(before) != file {
				t.Error("the edits changed the file they were given")
			}
		})
	}
}
