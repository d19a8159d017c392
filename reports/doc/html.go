package doc

import (
	"bufio"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed page.css
var pageCSS string

// HTML writes the document as one self-contained page without scripts, images or
// fonts. The page is also well-formed XML. The first heading of level 1 is the
// title of the page.
func (d Document) HTML(w io.Writer) error {
	h := &htmlWriter{w: bufio.NewWriter(w)}
	title := ""
	for _, b := range d {
		if heading, ok := b.(Heading); ok && heading.Level == 1 {
			title = heading.Text.String()
			break
		}
	}
	h.f("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n")
	h.f("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<meta name=\"color-scheme\" content=\"light dark\"/>\n")
	h.f("<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n", escapeHTML(title), pageCSS)
	h.blocks(d)
	h.f("</body>\n</html>\n")
	return h.w.Flush()
}

type htmlWriter struct {
	w *bufio.Writer
}

func (h *htmlWriter) f(format string, args ...any) { fmt.Fprintf(h.w, format, args...) }

func (h *htmlWriter) blocks(d Document) {
	for _, b := range d {
		switch b := b.(type) {
		case Heading:
			h.f("<h%d%s>%s</h%[1]d>\n", b.Level, idAttribute(b.ID), html(b.Text))
		case Para:
			if len(b.Text) > 0 {
				h.f("<p>%s</p>\n", html(b.Text))
			}
		case List:
			h.list(b)
		case Table:
			h.table(b)
		case Listing:
			lines := make([]string, len(b.Lines))
			for i, line := range b.Lines {
				lines[i] = html(line)
			}
			h.f("<pre>%s</pre>\n", strings.Join(lines, "\n"))
		case Code:
			h.f("<pre>%s</pre>\n", escapeHTML(strings.TrimSuffix(b.text(), "\n")))
		case Details:
			h.f("<details%s><summary>%s</summary>\n<div>\n", idAttribute(b.ID), html(b.Title))
			h.blocks(b.Body)
			h.f("</div>\n</details>\n")
		}
	}
}

func (h *htmlWriter) list(l List) {
	h.f("<ul>\n")
	for _, item := range l.Items {
		mark := ""
		if item.Mark != "" {
			mark = escapeHTML(item.Mark) + " "
		}
		h.f("<li>%s%s", mark, html(item.Text))
		if len(item.Body) > 0 {
			h.f("\n")
			h.blocks(item.Body)
		}
		h.f("</li>\n")
	}
	h.f("</ul>\n")
}

func (h *htmlWriter) table(t Table) {
	class := func(c int) string {
		if t.Columns[c].Right {
			return ` class="n"`
		}
		return ""
	}
	h.f("<div class=\"wide\"><table>\n<thead><tr>")
	for c, column := range t.Columns {
		h.f("<th%s>%s</th>", class(c), escapeHTML(column.Head))
	}
	h.f("</tr></thead>\n<tbody>\n")
	for _, row := range t.Rows {
		h.f("<tr>")
		for c, cell := range row {
			if len(row) < len(t.Columns) {
				h.f("<th colspan=\"%d\">%s</th>", len(t.Columns), html(cell))
				break
			}
			h.f("<td%s>%s</td>", class(c), html(cell))
		}
		h.f("</tr>\n")
	}
	h.f("</tbody></table></div>\n")
}

func idAttribute(id string) string {
	if id == "" {
		return ""
	}
	return fmt.Sprintf(" id=\"%s\"", escapeHTML(id))
}

// classes holds the CSS class of each tone.
var classes = [...]string{Good: "good", Warn: "warn", Bad: "bad", Faint: "faint"}

// html escapes a text for HTML.
func html(t Text) string {
	var b strings.Builder
	for _, s := range t {
		text := escapeHTML(s.S)
		if s.Code {
			text = "<code>" + text + "</code>"
		}
		if s.URL != "" {
			text = fmt.Sprintf("<a href=\"%s\">%s</a>", template.HTMLEscapeString(safeURL(s.URL)), text)
		}
		switch s.Tone {
		case Plain:
		case Strong:
			text = "<b>" + text + "</b>"
		default:
			text = fmt.Sprintf("<span class=\"%s\">%s</span>", classes[s.Tone], text)
		}
		b.WriteString(text)
	}
	return b.String()
}

// safeURL returns the URL if it is a web URL, or leads to this page or site.
func safeURL(url string) string {
	scheme, _, absolute := strings.Cut(url, ":")
	if absolute && scheme != "https" && scheme != "http" && !strings.ContainsAny(scheme, "/?#") {
		return "#"
	}
	return Printable(url)
}

func escapeHTML(s string) string { return template.HTMLEscapeString(Printable(s)) }
