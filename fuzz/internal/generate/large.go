package generate

import (
	"slices"
	"strings"

	"github.com/repcheck/repcheck/fuzz/internal/urls"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/lines"
)

// longLine makes a file of the grammar with one line that is longer than some
// parsers keep.
func (g *Generator) longLine() ([]byte, []spec.Probe) {
	robots, own := g.fromGrammar()
	file := editable(robots)
	line := &file[g.rng.IntN(len(file))]
	pad := strings.Repeat(choose(g, longPads), lineLimit+g.rng.IntN(64)-32)
	key, rest := line.Record()
	switch choose(g, longPlaces) {
	case "front":
		line.Text = pad + line.Text
	case "key":
		line.Text = key + pad + rest
	case "value":
		key, value, _ := strings.Cut(line.Text, ":")
		line.Text = key + ":" + pad + value
	case "end":
		line.Text += pad
	}
	robots = lines.Join(file)
	if len(g.rules) > 0 {
		path := g.rules[g.rng.IntN(len(g.rules))]
		own = append(own, spec.Probe{Agent: g.agent(), URL: spec.Origin + urls.Legal(fill(path, ""))})
	}
	return robots, own
}

// lineLimit is where Google's parser cuts a line, in bytes; see
// reference.LineLimit.
const lineLimit = 2083*8 - 1

// longPads are used to make a line long. Stars are rare, since several parsers
// take seconds for each such file; package complexity measures how the time
// grows.
var longPads = textsOf("long-pad", text{15, " "}, text{15, "a"}, text{1, "*"}, text{5, "#"}, text{5, "\t"}, text{5, "%"})

var longPlaces = textsOf("long-place", text{1, "front"}, text{1, "key"}, text{4, "value"}, text{2, "end"})

// largeFile makes two files of the grammar, with padding between them such that
// the second lies at the size where a parser may stop, give or take a few bytes.
func (g *Generator) largeFile() ([]byte, []spec.Probe) {
	first, own := g.fromGrammar()
	last, _ := g.fromGrammar()
	if len(first) > 0 && first[len(first)-1] != '\n' {
		first = append(first, '\n')
	}
	line := choose(g, largePads)
	// The limit is inside the second file or directly next to it.
	room := reference.ParsingLimit - len(first) - g.rng.IntN(len(last)+3)
	padding := strings.Repeat(line, room/len(line)) + "#" + strings.Repeat("a", room%len(line)) + "\n"
	return slices.Concat(first, []byte(padding), last), own
}

var largePads = textsOf("large-pad",
	text{3, "# " + "a comment that makes the file as long as it has to be ......................." + "\n"},
	text{1, "User-agent: Nobody\nDisallow: /nothing/that/is/asked/for\n"},
	text{1, "Sitemap: http://foo.test/sitemap-of-a-part-of-the-site.xml\n"},
	text{1, "\n"},
)
