package reference

import "testing"

func TestIsMalformed(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]bool{
		"": false, "/a": false, "/100%25": false, "/?100%": false, "/a:b": false, "/1:/b": false,
		"http://foo.test": false, "http://foo.test:80/a": false, "http://[::1]:80/a": false, "a+b-c.9:/x": false, "http://u:p@foo.test/": false,
		"/100%": true, "/\n": true, "http://foo.test/\x7F": true,
		":": true, "1:/b": true, "%2Fabhttp://c": true,
		"http://foo.test\\b/a": true, "http://%66oo.test/": true, "http://[": true, "http://foo[1]/": true, "http://foo.test:b/": true, "HTTPS://foo.test:443http:": true,
	} {
		if got := isMalformed(url); got != want {
			t.Errorf("isMalformed(%q) is %v", url, got)
		}
	}
}
