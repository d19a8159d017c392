package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is the version of a released binary, which the linker sets.
var release string

// development is the version of a build without version information: from a
// source tree without its history.
const development = "0.1.0-dev"

func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return development
}

// commit describes the commit of the build, as far as the build recorded it.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	var revision, modified string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = ", commit " + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = " with changes"
		}
	}
	return revision + modified
}

func newVersion(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and the embedded data",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			data, err := e.data()
			if err != nil {
				return err
			}
			expectations := 0
			for _, c := range data.Cases {
				expectations += len(c.Expect)
			}
			fmt.Fprintf(e.stdout, "repcheck %s (%s%s)\ncase set %s (%s): %d cases with %d expectations, %d scenarios, %d requirements, %d points\n",
				version(), runtime.Version(), commit(), cmp.Or(data.Version, "without a version"), data.Hash, len(data.Cases), expectations, len(data.Scenarios), len(data.Requirements), len(data.Points))
			return nil
		},
	}
}
