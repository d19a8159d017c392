package spec

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Problem is one error in the data.
type Problem struct {
	// Pos is "file:line" or "file:line:column".
	Pos string
	// Subject is the ID of the case, requirement or point; empty if it is not known
	// yet.
	Subject string
	// Message describes the error and what to write instead.
	Message string
}

// String returns "<position>: <subject>: <message>", without an unknown subject.
func (p Problem) String() string {
	if p.Subject == "" {
		return p.Pos + ": " + p.Message
	}
	return p.Pos + ": " + p.Subject + ": " + p.Message
}

// A reader converts YAML nodes to values. It collects all problems, so that one run
// shows all of them.
type reader struct {
	file     string
	subject  string
	problems *[]Problem
	// expanded is the total number of bytes that parts of bodies were expanded to.
	expanded int
}

// Limits for one file, far above the needs of the largest embedded file. They keep a
// mistake or an untrusted file from exhausting memory or flooding the screen.
const (
	maxFile     = 1 << 20  // bytes of YAML; ours are below 64 KiB
	maxBody     = 16 << 20 // bytes of one body; ours are below 6 MiB
	maxExpanded = 64 << 20 // bytes of all bodies and of the parts inside parts
	maxDepth    = 32       // nested lists and mappings; ours stay below 10
	maxProblems = 100
)

func (r *reader) pos(n *yaml.Node) string { return fmt.Sprintf("%s:%d", r.file, n.Line) }

func (r *reader) fail(n *yaml.Node, format string, args ...any) {
	switch {
	case len(*r.problems) > maxProblems:
		return
	case len(*r.problems) == maxProblems:
		*r.problems = append(*r.problems, Problem{Pos: r.file, Message: fmt.Sprintf("more than %d problems: fix these first", maxProblems)})
		return
	}
	*r.problems = append(*r.problems, Problem{
		Pos:     fmt.Sprintf("%s:%d:%d", r.file, n.Line, n.Column),
		Subject: r.subject,
		Message: fmt.Sprintf(format, args...),
	})
}

// document parses one file and returns its root, or nil after a problem.
func (r *reader) document(octets []byte) *yaml.Node {
	if len(octets) > maxFile {
		*r.problems = append(*r.problems, Problem{Pos: r.file, Message: fmt.Sprintf("the file is larger than %d bytes: split it, and write long bodies with repeat", maxFile)})
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(octets))
	var doc, second yaml.Node
	if err := decoder.Decode(&doc); err == io.EOF {
		*r.problems = append(*r.problems, Problem{Pos: r.file, Message: "the file is empty"})
		return nil
	} else if err != nil {
		r.notYAML(err)
		return nil
	}
	if err := decoder.Decode(&second); err == nil {
		r.fail(&second, "a second YAML document: a file holds one, so put its entries into the first")
		return nil
	} else if err != io.EOF {
		r.notYAML(err)
		return nil
	}
	if !r.plain(&doc, 0) {
		return nil
	}
	return doc.Content[0]
}

// notYAML records an error of the YAML library, which has the form "yaml: line 3:
// did not find …".
func (r *reader) notYAML(err error) {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	pos := r.file
	if rest, ok := strings.CutPrefix(msg, "line "); ok {
		if line, what, ok := strings.Cut(rest, ": "); ok {
			pos, msg = r.file+":"+line, what
		}
	}
	*r.problems = append(*r.problems, Problem{Pos: pos, Message: "not YAML: " + msg})
}

// plain reports whether n has no anchors and aliases, which could expand to far more
// than the size of the file, and is not nested deeper than maxDepth.
func (r *reader) plain(n *yaml.Node, depth int) bool {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		r.fail(n, "anchors and aliases are not supported: write the value out")
		return false
	case depth > maxDepth:
		r.fail(n, "nested more than %d levels deep", maxDepth)
		return false
	}
	for _, child := range n.Content {
		if !r.plain(child, depth+1) {
			return false
		}
	}
	return true
}

// fields maps the keys of a mapping to functions that read their values.
type fields map[string]func(*yaml.Node)

// mapping calls the function of each key of n with its value. An unknown or repeated
// key is a problem, and so is a node that is not a mapping.
func (r *reader) mapping(n *yaml.Node, what string, known fields) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "%s must be a mapping with the keys %s", what, keyList(known))
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if line, twice := seen[key.Value]; twice {
			r.fail(key, "key %q is already in line %d", key.Value, line)
			continue
		}
		seen[key.Value] = key.Line
		read, ok := known[key.Value]
		if !ok {
			r.fail(key, "unknown key %q in %s: %s", key.Value, what, didYouMean(key.Value, keys(known)))
			continue
		}
		read(value)
	}
}

// sequence calls each for every element of n.
func (r *reader) sequence(n *yaml.Node, what string, each func(*yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, "%s must be a list", what)
		return
	}
	for _, element := range n.Content {
		each(element)
	}
}

func (r *reader) text(into *string, what string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
			r.fail(n, "%s must be text", what)
			return
		}
		*into = strings.TrimSpace(n.Value)
	}
}

func (r *reader) texts(into *[]string, what string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		r.sequence(n, what, func(element *yaml.Node) {
			var s string
			r.text(&s, what)(element)
			if s != "" {
				*into = append(*into, s)
			}
		})
	}
}

func (r *reader) number(into *int, what string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		v, err := strconv.Atoi(n.Value)
		if err != nil || v < 1 {
			r.fail(n, "%s must be a whole number from 1", what)
			return
		}
		*into = v
	}
}

// oneOf reads a word that must be among allowed.
func (r *reader) oneOf(into *string, what string, allowed []string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if !slices.Contains(allowed, n.Value) {
			r.fail(n, "%q is no %s: %s", n.Value, what, didYouMean(n.Value, allowed))
			return
		}
		*into = n.Value
	}
}

// verdict reads a verdict that must be among allowed.
func (r *reader) verdict(into *Verdict, allowed ...Verdict) func(*yaml.Node) {
	words := make([]string, len(allowed))
	for i, v := range allowed {
		words[i] = string(v)
	}
	return func(n *yaml.Node) {
		var word string
		r.oneOf(&word, "verdict", words)(n)
		*into = Verdict(word)
	}
}

// octets reads octet notation: text, or a list of parts.
func (r *reader) octets(into *[]byte, what string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		switch n.Kind {
		case yaml.ScalarNode:
			if n.Tag == "!!null" {
				r.fail(n, "%s is empty: write \"\" if that is meant", what)
				return
			}
			// Quotes make blanks at the end visible.
			value, blanks := n.Value, ""
			if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
				value = strings.TrimRight(n.Value, " ")
				blanks = n.Value[len(value):]
			}
			decoded, err := DecodeOctets(value)
			if err != nil {
				r.fail(n, "bad octet notation in %s: %v", what, err)
				return
			}
			*into = append(append(*into, decoded...), blanks...)
		case yaml.SequenceNode:
			for _, part := range n.Content {
				r.part(into, what, part)
			}
		default:
			r.fail(n, "%s must be text, or a list of texts and {repeat: text, times: n} and {base64: text}", what)
		}
	}
}

func (r *reader) part(into *[]byte, what string, n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		r.octets(into, what)(n)
		return
	}
	var piece []byte
	times := 1
	r.mapping(n, "a part of "+what, fields{
		"repeat": r.octets(&piece, what),
		"times":  r.number(&times, "times"),
		"base64": func(n *yaml.Node) {
			decoded, err := base64.StdEncoding.DecodeString(n.Value)
			if err != nil {
				r.fail(n, "bad base64 in %s: %v", what, err)
			}
			piece = decoded
		},
	})
	// Use a division, because the product may overflow an int.
	if times > (maxBody-min(len(*into), maxBody))/max(len(piece), 1) {
		r.fail(n, "%s is longer than %d bytes: lower times", what, maxBody)
		return
	}
	if r.expanded += len(piece) * times; r.expanded > maxExpanded {
		r.fail(n, "the bodies of this file are longer than %d bytes together: lower times, or split the file", maxExpanded)
		return
	}
	*into = append(slices.Grow(*into, len(piece)*times), bytes.Repeat(piece, times)...)
}

func keys[V any](m map[string]V) []string {
	all := make([]string, 0, len(m))
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

func keyList(known fields) string { return strings.Join(keys(known), ", ") }

// didYouMean suggests the candidate nearest to got, or all candidates if none is
// near.
func didYouMean(got string, candidates []string) string {
	if near := Nearest(got, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "use one of " + strings.Join(candidates, ", ")
}

// DidYouMean suggests the candidate nearest to got, in parentheses after a space. It
// returns "" if none is near.
func DidYouMean(got string, candidates []string) string {
	if near := Nearest(got, candidates); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// Nearest returns the candidate of which got may be a misspelling, or "" if none is
// near.
func Nearest(got string, candidates []string) string {
	best, bestDistance := "", len(got)/3+2
	for _, c := range candidates {
		if max(len(c)-len(got), len(got)-len(c)) >= bestDistance {
			continue // the distance is at least the difference in length; got may be huge
		}
		if d := distance(got, c); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// distance is the Levenshtein distance.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		previous := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := previous
			if a[i] != b[j] {
				cost = 1 + min(previous, row[j], row[j+1])
			}
			previous, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
