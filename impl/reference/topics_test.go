package reference_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/repcheck/repcheck/impl/reference"
)

// topics are, for each point of the stages that compare a rule with a URL, what the
// rule or the URL must contain for the point to be about them.
var topics = map[reference.Point]string{
	reference.URLForm:          `;|#|//`,
	reference.URLPart:          `[?#]`,
	reference.MalformedURL:     `[%:]`,
	reference.DotSegments:      `\.\.|//`,
	reference.RuleEscapes:      `%`,
	reference.URLEscapes:       `%`,
	reference.HexCase:          `%`,
	reference.RuleOctets:       `[^!-~]`,
	reference.URLOctets:        `[^!-~]`,
	reference.ReservedOctets:   `[:?#&$=;*%]`,
	reference.LiteralSpecials:  `[*$]|%2[4Aa]`,
	reference.EscapedSpecials:  `%2[4Aa]|%25`,
	reference.EscapePasses:     `%25`,
	reference.MalformedEscapes: `%`,
	reference.PlusSign:         `\+`,
	reference.EscapedText:      `%`,
	reference.PathCase:         `[A-Z]|%[45]`, // or the escape of a capital letter
	reference.FirstOctet:       `:`,
	reference.LeadingStar:      `\*`,
	reference.Wildcards:        `\*|%2[aA]`,
	reference.Dollar:           `\$|%24`,
	reference.IndexHTML:        `index`,
	reference.WildcardSearch:   `/.*/|\*|%2[aAfF]`,
	reference.EmptyValue:       `^$`,
}

// TestTopics: whatever the other choices are, one changes no answer about a rule and
// a URL that its point is not about.
func TestTopics(t *testing.T) {
	t.Parallel()
	var bases []reference.Interpretation
	for point := range topics {
		for c := range point.Choices() {
			in := reference.RFC9309()
			in[point] = reference.Choice(c)
			bases = append(bases, in)
		}
	}
	for _, point := range reference.Points() {
		if s := point.Stage(); topics[point] == "" && (s == "paths" || s == "patterns") {
			t.Errorf("topics has no entry for %s", point)
		}
	}
	type query struct{ rule, url string }
	rng := rand.New(rand.NewPCG(9309, 2))
	queries := make([]query, 150)
	for i := range queries {
		rule := smallHex(randomPath(rng))
		url := []string{rule, respell.Replace(rule), smallHex(randomPath(rng))}[i%3]
		queries[i] = query{rule, url}
	}
	for point, topic := range topics {
		about := regexp.MustCompile(topic)
		var apart []query
		for _, q := range queries {
			if !about.MatchString(q.rule) && !about.MatchString(q.url) {
				apart = append(apart, q)
			}
		}
		if len(apart) < 10 {
			t.Errorf("%s: only %d queries", point, len(apart))
		}
		for _, base := range bases {
			for c, choice := range point.Choices() {
				in := base
				in[point] = reference.Choice(c)
				if in == base || base[point] != reference.RFC9309()[point] {
					continue
				}
				before, after := reference.New(base), reference.New(in)
				for _, q := range apart {
					robots := []byte("User-agent: *\nDisallow: " + q.rule + "\n")
					if want, got := before.Parse(robots).Test("x", q.url), after.Parse(robots).Test("x", q.url); got.Allow != want.Allow {
						t.Errorf("%s=%s changes the answer about rule %q and URL %q: %v", point, choice, q.rule, q.url, base.Deviations())
						break
					}
				}
			}
		}
	}
}

// smallHex returns the path with the hex digits of its escapes in small letters, so
// that capital letters are not hex digits.
func smallHex(path string) string {
	return regexp.MustCompile(`%[0-9A-F]{2}`).ReplaceAllStringFunc(path, strings.ToLower)
}

// respell spells some octets of a path differently.
var respell = strings.NewReplacer(":", "%3a", "&", "%26", "%61", "a", "b", "%62", "%2F", "%2f", "\u00E9", "%c3%a9", ";", "%3b")
