package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is the version of this source; a build from a tagged module knows
// better.
const release = "0.1.0"

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return release
}

func newVersion(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and what is embedded",
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
			fmt.Fprintf(e.stdout, "repcheck %s (%s)\ncase set %s: %d cases with %d expectations, %d requirements, %d points\n",
				version(), runtime.Version(), data.Hash, len(data.Cases), expectations, len(data.Requirements), len(data.Points))
			return nil
		},
	}
}
