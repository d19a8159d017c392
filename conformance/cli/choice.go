package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/repcheck/repcheck/spec"
)

// A choice is a flag that takes one of a list of values, or its default. It refuses
// any other value, and the shell completes it.
type choice struct {
	flag     string
	value    *string
	allowed  []string
	standard string // the default
}

// addChoice adds a choice to the flags of a command; value holds its default. The
// list of values is added to a usage that is empty or ends with a colon.
func addChoice(cmd *cobra.Command, value *string, flag, usage string, allowed ...string) *pflag.Flag {
	if usage == "" || strings.HasSuffix(usage, ":") {
		usage = strings.TrimSpace(usage + " " + strings.Join(allowed, ", "))
	}
	added := cmd.Flags().VarPF(&choice{flag, value, allowed, *value}, flag, "", usage)
	completeFlag(cmd, flag, func() []string { return allowed })
	return added
}

func (c *choice) String() string { return *c.value }

// Type is what the help shows: the same as for any other text.
func (c *choice) Type() string { return "string" }

func (c *choice) Set(value string) error {
	if value != c.standard && !slices.Contains(c.allowed, value) {
		return &choiceError{*c, value}
	}
	*c.value = value
	return nil
}

// A choiceError is a value that a choice refuses.
type choiceError struct {
	choice
	got string
}

func (e *choiceError) Error() string {
	return fmt.Sprintf("--%s %q is not one of %s%s", e.flag, e.got, strings.Join(e.allowed, ", "), spec.DidYouMean(e.got, e.allowed))
}
