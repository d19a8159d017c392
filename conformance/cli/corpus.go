package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/corpus"
)

func newCorpus(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "corpus",
		Short: "Examine a collection of robots.txt files",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCorpusStats(e))
	return cmd
}

func newCorpusStats(e *env) *cobra.Command {
	var f outputFlags
	cmd := &cobra.Command{
		Use:   "stats path",
		Short: "Count the contents of the files of a collection",
		Long: `Stats reads a collection, in any format that scan reads, and counts the contents
of its files: line ends, byte order marks, kinds of lines, spellings of keys, sizes
of groups, and stars, dollars, escapes and lengths of paths. The fuzzer generates
files with such frequencies: the JSON output has the format of corpus/rates.json.`,
		Example: `  repcheck corpus stats robots.jsonl.gz
  repcheck corpus stats folder/ --format json -o rates.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.corpusStats(cmd.Context(), &f, args[0])
		},
	}
	f.addFormat(cmd, "", "text", "json")
	f.addOutput(cmd, "write the counts to this `file`")
	return cmd
}

func (e *env) corpusStats(ctx context.Context, f *outputFlags, path string) error {
	source, err := corpus.Open(path, e.stdin)
	if err != nil {
		return err
	}
	defer source.Close()
	unread := 0
	rates, err := await(ctx, func() (rates corpus.Rates, err error) {
		rates, unread, err = corpus.Measure(source)
		return rates, err
	})
	switch {
	case err != nil:
		return err
	case len(rates) == 0:
		return fmt.Errorf("%s holds no robots.txt file", path)
	}
	err = e.writeReport(f, report{result: rates, special: map[string]func(io.Writer) error{"text": rates.WriteText}})
	if err == nil && unread > 0 {
		err = &exitError{code: exitFailed, err: fmt.Errorf("%d entries could not be read and are not counted", unread)}
	}
	return err
}
