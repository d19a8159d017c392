package complexity

import (
	"bytes"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// Every family has a unique name, and the reference's answers to its queries are
// as stated.
func TestFamiliesAnswers(t *testing.T) {
	t.Parallel()
	subject, err := impl.Reference(spec.Interpretations[0], impl.InProcessOptions{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer subject.Close()
	name := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	seen := map[string]bool{}
	for _, f := range Families() {
		if !name.MatchString(f.Name) || seen[f.Name] || f.About == "" || f.first < 1 {
			t.Errorf("family %q: its name is taken or no name, or it does not say what it is about", f.Name)
		}
		seen[f.Name] = true
		for _, n := range []int{1, 2, 3, 8, f.first, 4 * f.first} {
			w := f.Query(n)
			a := subject.Ask(t.Context(), w.Robots, []spec.Probe{w.Probe})[0]
			if a.Verdict != f.Verdict {
				t.Errorf("%s: the reference answers n = %d with %s, want %s", f.Name, n, a.Verdict, f.Verdict)
			}
		}
	}
}

// A query of size n is always the same, grows in proportion to n, and there are
// enough sizes to fit an exponent.
func TestFamiliesSizes(t *testing.T) {
	t.Parallel()
	// An exponent takes four, and the first few may be below the noise.
	const leastSizes = mostFitted + 3
	for _, f := range Families() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			constant := f.Query(1).Octets()
			sizes, n := 0, f.first
			for ; f.fits(f.Query(n)); n *= 2 {
				sizes++
			}
			if sizes < leastSizes {
				t.Errorf("%d sizes can be asked, want %d", sizes, leastSizes)
			}
			for _, n := range []int{64, 1024, 8192} {
				one, two := f.Query(n), f.Query(2*n)
				if again := f.Query(n); one.Compare(again) != 0 { // cmp.Diff looks at each byte
					t.Errorf("the query of size %d differs from itself (-first +second):\n%s", n, cmp.Diff(one, again))
				}
				if one.Octets() < n {
					t.Errorf("the query of size %d has %d octets", n, one.Octets())
				}
				// Numbers sometimes get a digit longer.
				growth := float64(two.Octets()-constant) / float64(one.Octets()-constant)
				if growth < 1.95 || growth > 2.2 {
					t.Errorf("from n = %d to %d the query grows by %.2f, want about 2", n, 2*n, growth)
				}
			}
		})
	}
}

// Each query has n of the things of which its family promises n.
func TestFamiliesCounts(t *testing.T) {
	t.Parallel()
	const n = 100
	for _, test := range []struct{ family, unit string }{
		{"rules", "\nDisallow: "},
		{"wildcard-rules", "\nDisallow: "},
		{"same-rule", "\nDisallow: /a"},
		{"empty-rules", "Disallow:\n"},
		{"groups", "User-agent: bot"},
		{"agents", "User-agent: bot"},
		{"same-agent", "User-agent: FooBot\n"},
		{"agents-rules", "User-agent: bot"},
		{"agents-rules", "\nDisallow: "},
		{"unknown", "X-Unknown"},
		{"sitemaps", "Sitemap: "},
		{"comments", "# comment\n"},
		{"stars", "*"},
		{"invalid-octets", "\xFF"},
		{"boms", "\uFEFF"},
		{"nuls", "\x00"},
		{"carriage-returns", "\r"},
		{"hashes", "#"},
		{"percents", "%"},
		{"dollars", "$"},
	} {
		f, err := FindFamily(test.family)
		if err != nil {
			t.Fatal(err)
		}
		robots := f.Query(n).Robots
		if test.family == "stars" || test.family == "dollars" {
			// The star of "User-agent: *" and the one before the dollar signs.
			_, robots, _ = bytes.Cut(robots, []byte("\nDisallow: "))
		}
		if got := bytes.Count(robots, []byte(test.unit)); got != n {
			t.Errorf("%s has %q %d times, want %d", test.family, test.unit, got, n)
		}
	}
}

func TestFindFamily(t *testing.T) {
	t.Parallel()
	if _, err := FindFamily("five-star"); err == nil || !regexp.MustCompile(`"five-star".*five-stars, stars`).MatchString(err.Error()) {
		t.Errorf("error is %v, want one that lists the families", err)
	}
}

// The reference itself processes each byte once or a few times. That is tested
// where its steps can be counted; this test checks that it can answer the largest
// queries at all.
func TestFamiliesReferenceLargest(t *testing.T) {
	t.Parallel()
	in, err := reference.Named(spec.Interpretations[0])
	if err != nil {
		t.Fatal(err)
	}
	parser := reference.New(in)
	for _, f := range Families() {
		n := f.first
		for f.fits(f.Query(2 * n)) {
			n *= 2
		}
		w := f.Query(n)
		want := f.Verdict == spec.Allow
		if got := parser.Parse(w.Robots).Test(w.Agent, w.URL).Allow; got != want {
			t.Errorf("%s: n = %d is allowed: %v, want %v", f.Name, n, got, want)
		}
	}
}
