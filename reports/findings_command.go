package reports

import (
	"slices"
	"strings"

	"github.com/repcheck/repcheck/fuzz"
)

// FindingCommand is the command that asks those who showed a finding, and the
// reference. dir is the folder of the findings, "" for the one that commands take
// without being told.
func FindingCommand(dir string, f *fuzz.Finding) string {
	command := "repcheck query --finding " + f.ID()
	if dir != "" {
		command += " --dir " + shellWord(dir)
	}
	return command + asking(f)
}

// maxTyped bounds the witnesses that stand in a command, in octets.
const maxTyped = 1 << 10

// WitnessCommand asks the same of those who have no folder of findings: the file
// stands in the command itself. ok is false if it is too large for that, or holds
// what no command line can.
func WitnessCommand(f *fuzz.Finding) (command string, ok bool) {
	w := f.Witness
	if len(w.Robots)+len(w.URL) > maxTyped || strings.ContainsRune(w.Agent+w.URL, 0) {
		return "", false
	}
	return "printf " + printfWord(w.Robots) + " | repcheck query --robots - --agent " + shellWord(w.Agent) + " --url " + shellWord(w.URL) + asking(f), true
}

// asking is the flags that open the subjects: --impl for those that come with
// repcheck, and for others what the finding recorded.
func asking(f *fuzz.Finding) string {
	impls, flags := []string{"reference"}, ""
	for _, name := range f.Showing() {
		at := slices.IndexFunc(f.Answers, func(a fuzz.SubjectAnswer) bool { return a.Subject == name })
		switch {
		case at >= 0 && len(f.Answers[at].Flags) > 0:
			for _, word := range f.Answers[at].Flags {
				flags += " " + shellWord(word)
			}
		case name != impls[0]:
			impls = append(impls, name)
		}
	}
	return " --impl " + shellWord(strings.Join(impls, ",")) + flags
}
