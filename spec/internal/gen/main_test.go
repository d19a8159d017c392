package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

// TestUpToDate compares the generated file with spec/points.
func TestUpToDate(t *testing.T) {
	t.Parallel()
	want, err := generate(spec.Default().Points)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.FromSlash("../../../impl/reference/points_gen.go"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("impl/reference/points_gen.go is out of date: run go generate ./impl/reference (-file +spec/points):\n%s",
			cmp.Diff(string(got), string(want)))
	}
}

func TestChoiceName(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ point, choice, want string }{
		{"size-limit", "drop-cut-line", "SizeLimitDropCutLine"},
		{"byte-order-mark", "utf-16", "ByteOrderMarkUTF16"},
		{"nul", "line-end", "NULLineEnd"},
		{"invalid-utf8", "latin-1", "InvalidUTF8Latin1"},
		{"url-form", "rfc3986", "URLFormRFC3986"},
		{"index-html", "index-html-only", "IndexHTMLOnly"},
	} {
		if got := choiceName(&spec.Point{ID: tt.point}, tt.choice); got != tt.want {
			t.Errorf("%s/%s is %s, want %s", tt.point, tt.choice, got, tt.want)
		}
	}
}
