package reports

import "github.com/repcheck/repcheck/reports/doc"

// Options select how much of a result a report shows.
type Options struct {
	// Verbose shows everything. Without it, long lists are cut, with a note that
	// says so.
	Verbose bool
}

// title returns the heading of a whole report.
func title(s string) doc.Heading { return doc.Heading{Level: 1, Text: tone(doc.Plain, s)} }

// section returns the heading of a part of a report.
func section(s string) doc.Heading { return doc.Heading{Level: 2, Text: tone(doc.Plain, s)} }

// tone returns a text with one tone. Unlike [doc.In] it does not format.
func tone(t doc.Tone, s string) doc.Text { return doc.In(t, "%s", s) }

// paras makes a paragraph of each line that is not empty.
func paras(t doc.Tone, lines ...string) (d doc.Document) {
	for _, line := range lines {
		if line != "" {
			d = append(d, doc.Para{Text: tone(t, line)})
		}
	}
	return d
}

// items makes an item of each line.
func items(t doc.Tone, lines []string) (all []doc.Item) {
	for _, line := range lines {
		all = append(all, doc.Item{Text: tone(t, line)})
	}
	return all
}

// list makes a list, or nothing if there are no items.
func list(items []doc.Item) doc.Document {
	if len(items) == 0 {
		return nil
	}
	return doc.Document{doc.List{Items: items}}
}

// row makes a row of plain cells.
func row(cells ...string) doc.Row {
	r := make(doc.Row, len(cells))
	for i, cell := range cells {
		r[i] = tone(doc.Plain, cell)
	}
	return r
}

// columns makes columns of which the first few are aligned to the left.
func columns(left int, heads ...string) []doc.Column {
	all := make([]doc.Column, len(heads))
	for i, head := range heads {
		all[i] = doc.Column{Head: head, Right: i >= left}
	}
	return all
}
