package doc

import (
	"slices"
	"strings"
)

const (
	gap = "  " // between two columns
	// leastRest is the width below which a column with Rest is left out, because
	// it would show too little.
	leastRest = 24
	// leastWrap is the width below which a column with Wrap gets its own block.
	leastWrap = 16
)

// table writes a table in as many blocks as it needs: each has the key columns
// and as many of the others as fit.
func (t *textWriter) table(indent string, table Table) {
	head := make(Row, len(table.Columns))
	for c, column := range table.Columns {
		head[c] = In(Strong, "%s", column.Head)
	}
	table.Rows = slices.Insert(slices.Clone(table.Rows), 0, head)
	widths, least := make([]int, len(table.Columns)), make([]int, len(table.Columns))
	columns, rest := make([]int, len(table.Columns)), -1
	for c, column := range table.Columns {
		for _, row := range table.Rows {
			if len(row) == len(table.Columns) {
				widths[c] = max(widths[c], Width(cell(row[c], column).String()))
			}
		}
		columns[c], least[c] = c, widths[c]
		if column.Rest {
			rest, least[c] = c, min(widths[c], leastRest)
			if column.Wrap {
				least[c] = min(widths[c], leastWrap)
			}
		}
	}
	keys := min(max(table.Keys, 1), len(columns))
	room := t.width - Width(indent)
	blocks := split(columns, least, keys, room)
	if len(blocks) > 1 && rest >= keys && !table.Columns[rest].Wrap {
		// Next to only some of the columns, the text would seem to belong to
		// them.
		blocks = split(slices.Delete(columns, rest, rest+1), least, keys, room)
	}
	for i, shown := range blocks {
		if i > 0 {
			t.line()
		}
		if slices.Contains(shown, rest) {
			left := room
			for _, c := range shown {
				if c != rest {
					left -= widths[c] + len(gap)
				}
			}
			widths[rest] = min(widths[rest], max(left, least[rest]))
		}
		t.part(indent, table, widths, shown)
	}
}

// split divides columns of these widths into blocks that fit into the room,
// provided that the key columns and one other column fit.
func split(columns, widths []int, keys, room int) (blocks [][]int) {
	used := 0
	for _, c := range columns[:keys] {
		room -= widths[c] + len(gap)
	}
	block := slices.Clone(columns[:keys])
	for _, c := range columns[keys:] {
		if used+widths[c] > room && len(block) > keys {
			blocks, block, used = append(blocks, block), slices.Clone(columns[:keys]), 0
		}
		block, used = append(block, c), used+widths[c]+len(gap)
	}
	return append(blocks, block)
}

// part writes the given columns of a table.
func (t *textWriter) part(indent string, table Table, widths, shown []int) {
	for _, row := range table.Rows {
		if len(row) < len(table.Columns) {
			t.para(indent, indent+gap, row[0].with(Strong))
			continue
		}
		cells, height := make([][]Text, len(shown)), 1
		for k, c := range shown {
			column := table.Columns[c]
			text := cell(row[c], column)
			if column.Rest && !column.Wrap {
				text = Text{{S: Cut(text.String(), widths[c]), Tone: text.tone()}}
			}
			cells[k] = wrap(text, widths[c])
			height = max(height, len(cells[k]))
		}
		for i := range height {
			line := []Span{{S: indent}}
			for k, c := range shown {
				var text Text
				if i < len(cells[k]) {
					text = cells[k][i]
				}
				if k > 0 {
					line = append(line, Span{S: gap})
				}
				blanks := Span{S: strings.Repeat(" ", max(widths[c]-Width(text.String()), 0))}
				if table.Columns[c].Right {
					line = append(append(line, blanks), text...)
				} else {
					line = append(append(line, text...), blanks)
				}
			}
			t.line(line...)
		}
	}
}

// cell returns the text of a cell as one printable line, cut to the width of its
// column.
func cell(text Text, column Column) Text {
	if column.Most > 0 && Width(OneLine(text.String())) > column.Most {
		return Text{{S: CutMiddle(OneLine(text.String()), column.Most), Tone: text.tone()}}
	}
	out := slices.Clone(text)
	for i := range out {
		out[i].S = strings.ReplaceAll(Printable(out[i].S), "\n", " ")
	}
	return out
}

// tone returns the tone that a text begins with.
func (t Text) tone() Tone {
	if len(t) == 0 {
		return Plain
	}
	return t[0].Tone
}
