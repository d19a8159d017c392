package main

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"

	"github.com/repcheck/repcheck/spec"
)

// generateAccess returns the Go file of impl/access. Unlike the parser, which has
// one array of choices, it has a struct with a field and a type for each point.
func generateAccess(points []spec.Point) ([]byte, error) {
	points = slices.DeleteFunc(slices.Clone(points), func(p spec.Point) bool { return p.Stage != "access" })
	var b bytes.Buffer
	b.WriteString(header + "access\n")
	writePolicy(&b, points)
	for i := range points {
		writeType(&b, &points[i])
	}
	writeTable(&b, points)
	writePolicies(&b, points)
	return format.Source(b.Bytes())
}

func writePolicy(b *bytes.Buffer, points []spec.Point) {
	b.WriteString("\n")
	writeComment(b, "A Policy is one choice for each question about the access to robots.txt that the documents "+
		"leave open or answer differently. The zero value is that of RFC 9309. Policies are comparable values.")
	b.WriteString("type Policy struct {\n")
	for _, p := range points {
		writeComment(b, p.Question)
		fmt.Fprintf(b, "%s %[1]s\n", goName(p.ID))
	}
	b.WriteString("}\n")
}

func writeType(b *bytes.Buffer, p *spec.Point) {
	b.WriteString("\n")
	writeComment(b, goName(p.ID)+": "+p.Question)
	fmt.Fprintf(b, "type %s uint8\n\nconst (\n", goName(p.ID))
	for value, c := range p.Choices {
		writeComment(b, choiceName(p, c.ID)+": "+c.Means)
		fmt.Fprintf(b, "%s %s = %d\n", choiceName(p, c.ID), goName(p.ID), value)
	}
	fmt.Fprintf(b, ")\n\n// String returns the ID of the choice, %q.\n", p.Choices[0].ID)
	fmt.Fprintf(b, "func (c %s) String() string { return choiceName(%q, uint8(c)) }\n", goName(p.ID), p.ID)
}

func writeTable(b *bytes.Buffer, points []spec.Point) {
	b.WriteString("\n// points holds the IDs of every point and its choices.\nvar points = []point{\n")
	for _, p := range points {
		var ids []string
		for _, c := range p.Choices {
			ids = append(ids, c.ID)
		}
		fmt.Fprintf(b, "{%q, %#v, func(p *Policy) *uint8 { return (*uint8)(&p.%s) }},\n", p.ID, ids, goName(p.ID))
	}
	b.WriteString("}\n")
}

// writePolicies writes the choices of each named interpretation that differ from
// those of RFC 9309.
func writePolicies(b *bytes.Buffer, points []spec.Point) {
	b.WriteString("\n// named holds the named policies, the default first.\nvar named = []namedPolicy{\n")
	for _, name := range spec.Interpretations {
		fmt.Fprintf(b, "{%q, Policy{\n", name)
		for i := range points {
			p := &points[i]
			if id := p.Interpretations[name].Choice; id != p.Choices[0].ID {
				fmt.Fprintf(b, "%s: %s,\n", goName(p.ID), choiceName(p, id))
			}
		}
		b.WriteString("}},\n")
	}
	b.WriteString("}\n")
}
