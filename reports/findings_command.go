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
	who := f.Showing()
	if !slices.Contains(who, "reference") {
		who = append([]string{"reference"}, who...)
	}
	command := "repcheck query --finding " + f.ID()
	if dir != "" {
		command += " --dir " + shellWord(dir)
	}
	return command + " --impl " + shellWord(strings.Join(who, ","))
}
