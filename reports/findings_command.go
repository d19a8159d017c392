package reports

import (
	"slices"
	"strings"

	"github.com/repcheck/repcheck/fuzz"
)

// FindingCommand returns the command that repeats the query of a finding for the
// parsers that showed it and the reference. dir is the folder of the findings, ""
// for the default.
func FindingCommand(dir string, f *fuzz.Finding) string {
	command := "repcheck query --finding " + f.ID()
	if dir != "" {
		command += " --dir " + shellWord(dir)
	}
	return command + asking(f)
}

// maxTyped bounds the witnesses that are part of a command, in bytes.
const maxTyped = 1 << 10

// WitnessCommand returns a command that repeats the query without a folder of
// findings: the file is part of the command. ok is false if the file is too
// large, or contains bytes that a command line cannot.
func WitnessCommand(f *fuzz.Finding) (command string, ok bool) {
	w := f.Witness
	if len(w.Robots)+len(w.URL) > maxTyped || strings.ContainsRune(w.Agent+w.URL, 0) {
		return "", false
	}
	return "printf " + printfWord(w.Robots) + " | repcheck query --robots - --agent " + shellWord(w.Agent) + " --url " + shellWord(w.URL) + asking(f), true
}

// asking returns the flags that select the parsers: --impl for those that
// repcheck ships, and for others the flags that the finding recorded.
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
