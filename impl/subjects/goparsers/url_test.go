package goparsers

import "testing"

func TestSplitURL(t *testing.T) {
	t.Parallel()
	tests := []struct{ url, origin, target string }{
		{"http://x.test/", "http://x.test", "/"},
		{"http://x.test", "http://x.test", "/"},
		{"http://x.test?a=b", "http://x.test", "/?a=b"},
		{"http://x.test#f", "http://x.test", "/"},
		{"http://x.test/#f", "http://x.test", "/"},
		{"http://x.test/a?b#c#d", "http://x.test", "/a?b"},
		{"http://x.test/a#b?c", "http://x.test", "/a"},
		{"http://x.test?a/b", "http://x.test", "/?a/b"},
		{"http://x.test/?", "http://x.test", "/?"},
		{"HTTP://u:p@X.test:80//a/../b", "HTTP://u:p@X.test:80", "//a/../b"},
		{"http://[::1]:8/a", "http://[::1]:8", "/a"},
		{"http://x.test/%7e%zz é\xff\x00\n\\", "http://x.test", "/%7e%zz é\xff\x00\n\\"},
		{"http://x.test/http://y.test/", "http://x.test", "/http://y.test/"},
		{"http:///a", "http://", "/a"},
		{"http://", "http://", "/"},
		{"//x.test/a", "//x.test", "/a"},
		{"/a?b", "", "/a?b"},
		{"/a://b", "", "/a://b"},
		{"?a", "", "/?a"},
		{"a", "", "a"},
		{"", "", "/"},
		{"#", "", "/"},
		{"://x.test/a", "", "://x.test/a"},
		{"1a://x.test/a", "", "1a://x.test/a"},
		{"a+b-c.1://x.test/a", "a+b-c.1://x.test", "/a"},
		{"mailto:a?b", "mailto:", "a?b"},
	}
	for _, tt := range tests {
		t.Run(tt.url, func(t *testing.T) {
			t.Parallel()
			if origin, target := splitURL(tt.url); origin != tt.origin || target != tt.target {
				t.Errorf("splitURL(%q) = %q, %q; want %q, %q", tt.url, origin, target, tt.origin, tt.target)
			}
		})
	}
}
