package doc

import (
	"slices"
	"strings"
)

const (
	gap = "  " // between two columns
	// leastRest is the room below which a column with Rest says too little to be
	// worth showing.
	leastRest = 24
)

// table writes a table in as many blocks as it needs: each has the key columns
// and as many of the others as fit.
func (t *textWriter) table(indent string, table Table) {
	widths := make([]int, len(table.Columns))
	rest := -1
	for c, column := range table.Columns {
		widths[c] = Width(column.Head)
		for _, row := range table.Rows {
			if len(row) == len(table.Columns) {
				widths[c] = max(widths[c], Width(cell(row[c], column).String()))
			}
		}
		if column.Rest {
			rest = c
		}
	}
	keys := min(max(table.Keys, 1), len(widths))
	room := t.width - Width(indent)
	for from := keys; from == keys || from < len(widths); {
		shown, used := make([]int, 0, len(widths)), 0
		for c := range keys {
			shown, used = append(shown, c), used+widths[c]+len(gap)
		}
		to := from
		for ; to < len(widths); to++ {
			width := widths[to]
			if to == rest {
				width = min(width, leastRest)
			}
			if to > from && used+width > room {
				break
			}
			shown, used = append(shown, to), used+width+len(gap)
		}
		if from > keys {
			t.line()
		}
		t.part(indent, table, widths, shown, room)
		if to == from {
			break
		}
		from = to
	}
}

// part writes the columns shown of a table.
func (t *textWriter) part(indent string, table Table, widths, shown []int, room int) {
	widths = slices.Clone(widths)
	for _, c := range shown {
		if table.Columns[c].Rest {
			used := 0
			for _, other := range shown {
				if other != c {
					used += widths[other] + len(gap)
				}
			}
			widths[c] = min(widths[c], room-used)
			if widths[c] < min(leastRest, Width(table.Columns[c].Head)) {
				shown = slices.DeleteFunc(slices.Clone(shown), func(s int) bool { return s == c })
			}
			break
		}
	}
	head := make(Row, len(table.Columns))
	for c, column := range table.Columns {
		head[c] = In(Strong, "%s", column.Head)
	}
	for i, row := range slices.Insert(slices.Clone(table.Rows), 0, head) {
		if len(row) < len(table.Columns) {
			t.para(indent, indent+gap, row[0].with(Strong))
			continue
		}
		line := []Span{{S: indent}}
		for k, c := range shown {
			text := row[c]
			if i > 0 {
				text = cell(row[c], table.Columns[c])
			}
			if table.Columns[c].Rest {
				text = Text{{S: Cut(text.String(), widths[c]), Tone: tone(text)}}
			}
			blanks := Span{S: strings.Repeat(" ", max(widths[c]-Width(text.String()), 0))}
			if table.Columns[c].Right {
				line = append(append(line, blanks), text...)
			} else {
				line = append(append(line, text...), blanks)
			}
			if k < len(shown)-1 {
				line = append(line, Span{S: gap})
			}
		}
		t.line(line...)
	}
}

// cell returns the text of a cell as one printable line of the width that its
// column allows.
func cell(text Text, column Column) Text {
	if column.Most > 0 && Width(OneLine(text.String())) > column.Most {
		return Text{{S: CutMiddle(OneLine(text.String()), column.Most), Tone: tone(text)}}
	}
	out := slices.Clone(text)
	for i := range out {
		out[i].S = strings.ReplaceAll(Printable(out[i].S), "\n", " ")
	}
	return out
}

// tone returns the tone that a text begins with.
func tone(text Text) Tone {
	if len(text) == 0 {
		return Plain
	}
	return text[0].Tone
}
