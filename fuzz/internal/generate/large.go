package generate

import (
	"slices"
	"strings"

	"github.com/repcheck/repcheck/fuzz/internal/urls"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/lines"
)

// longLine is a file of the grammar in which one line is longer than some
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

// longPads are what makes a line long. Stars are rare, since each such file takes
// several parsers seconds; package complexity measures how the time grows.
var longPads = textsOf("long-pad", text{15, " "}, text{15, "a"}, text{1, "*"}, text{5, "#"}, text{5, "\t"}, text{5, "%"})

var longPlaces = textsOf("long-place", text{1, "front"}, text{1, "key"}, text{4, "value"}, text{2, "end"})

// largeFile is two files of the grammar with so much between them that the
// second lies about where a parser may stop, a few bytes more or less.
func (g *Generator) largeFile() ([]byte, []spec.Probe) {
	first, own := g.fromGrammar()
	last, _ := g.fromGrammar()
	if len(first) > 0 && first[len(first)-1] != '\n' {
		first = append(first, '\n')
	}
	line := choose(g, largePads)
	// The limit falls into the second file or just beside it.
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
