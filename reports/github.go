package reports

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// GitHub shows ten errors and ten warnings of a step, and refuses a summary
// above 1 MiB.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
const (
	githubAnnotations = 10
	githubSummary     = 1 << 20
)

// GitHub writes the output of a step of a GitHub Action: the report of [Run] as
// text, in which no line acts as a workflow command, and at most ten annotations.
// The failures that count against the run come first. d may be nil.
func GitHub(w io.Writer, r *conformance.Result, d *spec.Data, l Locations, o Options, t doc.TextOptions) error {
	var b bytes.Buffer
	// GitHub processes no commands before the token, so parsers' output is safe.
	token := rand.Text()
	fmt.Fprintf(&b, "::stop-commands::%s\n", token)
	if err := Run(r, d, o).Text(&b, t); err != nil {
		return err
	}
	fmt.Fprintf(&b, "\n::%s::\n", token)
	var all []string
	for i := range r.Subjects {
		if lost := lostBecause(&r.Subjects[i]); lost != "" {
			all = append(all, annotation("error", "", 0, "repcheck", lost))
		}
	}
	for _, a := range alerts(r, l) {
		level := "error"
		if a.minor {
			level = "warning"
		}
		all = append(all, annotation(level, a.file, a.line, a.title, a.message+"\n"+a.help))
	}
	if more := len(all) - githubAnnotations; more > 0 {
		all = append(all[:githubAnnotations-1], annotation("error", "", 0, "repcheck", count(more+1, "further problem")+": see the job summary and the log"))
	}
	b.WriteString(strings.Join(all, ""))
	_, err := w.Write(b.Bytes())
	return err
}

// annotation returns a workflow command as one line. Without a file it has no
// position.
func annotation(level, file string, line int, title, message string) string {
	place := ""
	if file != "" {
		place = fmt.Sprintf("file=%s,line=%d,", githubProperty(doc.OneLine(file)), line)
	}
	return fmt.Sprintf("::%s %stitle=%s::%s\n", level, place, githubProperty(doc.OneLine(title)), githubData.Replace(doc.Printable(message)))
}

// githubData escapes characters that would end the message of a command,
// githubProperty also those that would end a property.
var githubData = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")

func githubProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubData.Replace(s))
}

// GitHubSummary writes the report of [Run] as Markdown for the summary of a job
// that already has held bytes. A report that does not fit is cut before a
// heading, with a note.
func GitHubSummary(w io.Writer, r *conformance.Result, d *spec.Data, held int64) error {
	var b bytes.Buffer
	if err := Run(r, d, Options{}).Markdown(&b); err != nil {
		return err
	}
	_, err := w.Write(fitSummary(b.Bytes(), githubSummary-held))
	return err
}

func fitSummary(text []byte, room int64) []byte {
	const note = "\nThe rest does not fit into 1 MiB; the log has it.\n"
	if int64(len(text)) < room {
		return text
	}
	room = max(0, room-int64(len(note))-1)
	return append(text[:max(0, bytes.LastIndex(text[:room], []byte("\n#")))], note...)
}
