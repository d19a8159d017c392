// Repcheck tells what a robots.txt parser really does: which requirements of
// the Robots Exclusion Protocol it meets, which reading it takes where the
// documents are open, and where it disagrees with other parsers.
package main

import (
	"os"

	"github.com/repcheck/repcheck/conformance/cli"
)

func main() {
	code := cli.Main(os.Args[1:], os.Stdin, cli.TakeStdout(), os.Stderr)
	cli.EndOrphans()
	os.Exit(code)
}
