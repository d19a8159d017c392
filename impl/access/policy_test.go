package access_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl/access"
	"github.com/repcheck/repcheck/impl/reference"
)

func TestNamed(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(reference.Names(), access.Names()); diff != "" {
		t.Error(diff)
	}
	for _, name := range access.Names() {
		p, err := access.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, policy(t, p.Deviations()...)); diff != "" {
			t.Errorf("%s and its deviations: %s", name, diff)
		}
	}
	if p, err := access.Named("rfc9309"); err != nil || p != (access.Policy{}) {
		t.Errorf("rfc9309 is %v: %v", p, err)
	}
	if _, err := access.Named("bing"); err == nil || !strings.Contains(err.Error(), "google") {
		t.Errorf("an unknown name: %v", err)
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	var p access.Policy
	if err := p.Set("redirect-limit=more"); err != nil || p.RedirectLimit != access.RedirectLimitMore {
		t.Errorf("%v: %v", p, err)
	}
	if diff := cmp.Diff([]string{"redirect-limit=more"}, p.Deviations()); diff != "" {
		t.Error(diff)
	}
	if got := p.RedirectLimit.String(); got != "more" {
		t.Error(got)
	}
	if got := access.RedirectLimit(9).String(); got != "redirect-limit(9)" {
		t.Error(got)
	}
	for _, invalid := range []string{"", "redirect-limit", "redirect-limit=", "redirect-limit=all", "limit=more"} {
		if err := p.Set(invalid); err == nil {
			t.Errorf("%q is accepted", invalid)
		}
	}
}
