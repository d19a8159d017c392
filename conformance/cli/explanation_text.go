package cli

import (
	"io"

	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/reports/doc"
)

// A style says whether to color text.
type style bool

func (s style) paint(code, text string) string {
	if !s {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(text string) string { return s.paint("1", text) }
func (s style) dim(text string) string  { return s.paint("90", text) }

func (x *explanation) write(w io.Writer, interpretation string) error {
	return x.report(interpretation).Text(w, doc.TextOptions{Color: bool(x.style)})
}

func (x *explanation) answers(w io.Writer, answers []reports.SubjectAnswer) {
	_ = reports.Answers(answers).Text(w, doc.TextOptions{Color: bool(x.style)}) // the writer is a buffer
}
