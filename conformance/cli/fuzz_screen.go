package cli

import (
	"fmt"
	"strings"

	"golang.org/x/term"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/reports/doc"
)

// A screen shows the progress of a campaign: on a terminal as a page that is
// updated, elsewhere like the progress of other commands.
type screen struct {
	*progress
	color bool
	lines int // currently shown
}

func (e *env) newScreen() *screen {
	return &screen{progress: e.newProgress(), color: e.colors(e.stderr)}
}

func (s *screen) show(p fuzz.CampaignProgress) {
	if s.quiet || s.terminal == nil {
		s.tell("%s", reports.CampaignLine(&p))
		return
	}
	width, height, err := term.GetSize(int(s.terminal.Fd()))
	if err != nil {
		width, height = 80, 24
	}
	var b strings.Builder
	reports.CampaignProgress(&p).Text(&b, doc.TextOptions{Color: s.color, Width: width - 1})
	page := firstLines(b.String(), height-1)
	// Everything is one write, so that no partial page is visible: move up,
	// overwrite each line, then clear the rest of the old page.
	fmt.Fprint(s.terminal, s.up()+strings.ReplaceAll(page, "\n", "\x1b[K\n")+"\x1b[J")
	s.lines = strings.Count(page, "\n")
}

// firstLines returns the text, cut to at most n lines. The last of them says how
// many are left out.
func firstLines(text string, n int) string {
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) <= n {
		return text
	}
	n = max(n, 1)
	return strings.Join(lines[:n-1], "") + fmt.Sprintf("… %d more lines\n", len(lines)-n+1)
}

// up returns the sequence that moves to the beginning of the page.
func (s *screen) up() string {
	if s.lines == 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA\r", s.lines)
}

// clear removes the page.
func (s *screen) clear() {
	if s.lines > 0 {
		fmt.Fprint(s.terminal, s.up()+"\x1b[J")
		s.lines = 0
	}
}
