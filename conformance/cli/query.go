package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/corpus"
	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

type queryFlags struct {
	subjectFlags
	robots string
	agent  string
	url    string
	outputFlags
	// finding replaces the file, the agent and the URL.
	finding, dir string
}

func newQuery(e *env) *cobra.Command {
	f := &queryFlags{}
	cmd := &cobra.Command{
		Use:   "query",
		Short: "Send one query, a file, crawler and URL, to every parser",
		Long: `Query prints the answer of each parser, and explains the answer of the reference:
which groups apply to the crawler, which rules match, and which rule decides.

With --finding it repeats the query of a finding, compares the answers with the
recorded ones, and exits with code 4 if any differs. If a parser is lost, the exit
code is 3.`,
		Example: `  repcheck query --robots robots.txt --agent FooBot --url http://foo.test/a
  repcheck query --finding 3f2a --impl reference,temoto`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.query(cmd, f) },
	}
	f.subjectFlags.add(cmd)
	cmd.Flags().StringVar(&f.robots, "robots", "", "the robots.txt `file`; - for standard input; COLLECTION#HASH for a file of a collection, as scan names it (required)")
	cmd.Flags().StringVar(&f.agent, "agent", "", "the crawler's product `token` (required)")
	cmd.Flags().StringVar(&f.url, "url", "", "the `URL` it wants to fetch (required)")
	f.addFormat(cmd, "", documentFormats...)
	cmd.Flags().StringVar(&f.finding, "finding", "", "the `ID` of a finding, instead of these three")
	cmd.Flags().StringVar(&f.dir, "dir", defaultDir, "`folder` of the findings")
	cmd.MarkFlagsOneRequired("robots", "finding")
	cmd.MarkFlagsRequiredTogether("robots", "agent", "url")
	cmd.MarkFlagsMutuallyExclusive("robots", "finding")
	return cmd
}

// maxRobots bounds the size of the file that query reads. It is far above the
// size that any parser should accept.
const maxRobots = 64 << 20

func (e *env) readRobots(path string) ([]byte, error) {
	if collection, hash, ok := strings.Cut(path, "#"); ok && !fileExists(path) {
		file, err := corpus.Find(collection, hash)
		if err != nil {
			return nil, fmt.Errorf("--robots: %w", err)
		}
		return file.Robots, nil
	}
	in := e.stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("--robots: %w", err)
		}
		defer file.Close()
		in = file
	}
	octets, err := io.ReadAll(io.LimitReader(in, maxRobots+1))
	if err != nil {
		return nil, fmt.Errorf("--robots %s: %w", path, err)
	}
	if len(octets) > maxRobots {
		return nil, fmt.Errorf("--robots %s: larger than %d bytes", path, maxRobots)
	}
	return octets, nil
}

func (e *env) query(cmd *cobra.Command, f *queryFlags) error {
	asked, err := await(cmd.Context(), func() (*fuzz.Finding, error) { return e.asked(f) })
	if err != nil {
		return err
	}
	robots, probe := asked.Witness.Robots, asked.Witness.Probe
	subjects, closeAll, err := e.open(cmd.Context(), &f.subjectFlags)
	if err != nil {
		return err
	}
	defer closeAll()
	given, err := askAll(cmd.Context(), subjects, robots, []spec.Probe{probe})
	if err != nil {
		return err
	}
	var answers []reports.SubjectAnswer
	for i, s := range subjects {
		answers = append(answers, reports.SubjectAnswer{SubjectInfo: s.Info(), Answer: given[i][0]})
	}
	x := explanation{robots: robots, probe: probe}
	result := map[string]any{"agent": probe.Agent, "url": probe.URL, "answers": answers, "interpretations": x.interpretations()}
	if err := e.writeReport(&f.outputFlags, report{result: result, document: func() doc.Document {
		return slices.Concat(doc.Document{doc.Heading{Level: 1, Text: x.query()}}, reports.Answers(answers), x.report(f.interpretation))
	}}); err != nil {
		return err
	}
	if err := lostSubjects(subjects); err != nil {
		return err
	}
	if f.finding != "" {
		return changed(asked, answers)
	}
	return unanswered(answers)
}

// unanswered returns an error if a parser gave no answer of its own.
func unanswered(answers []reports.SubjectAnswer) error {
	var without []string
	for _, a := range answers {
		switch v := a.Answer.Verdict; v {
		case spec.Crash, spec.Timeout, spec.ProtocolError:
			without = append(without, fmt.Sprintf("%s (%s)", a.Name, v))
		}
	}
	if without == nil {
		return nil
	}
	return &exitError{code: exitLost, err: fmt.Errorf("no answer from %s", strings.Join(without, ", "))}
}

// askAll sends the queries to every subject, and returns the answers of each. A
// lost subject gets no queries; its answers are Unsupported, with the reason.
func askAll(ctx context.Context, subjects []impl.Subject, robots []byte, probes []spec.Probe) ([][]spec.Answer, error) {
	all := make([][]spec.Answer, len(subjects))
	for i, s := range subjects {
		if err := s.Err(); err != nil {
			all[i] = slices.Repeat([]spec.Answer{{Verdict: spec.Unsupported, Detail: err.Error()}}, len(probes))
			continue
		}
		all[i] = s.Ask(ctx, robots, probes)
		if ctx.Err() != nil {
			return nil, &exitError{code: exitFailed, err: fmt.Errorf("interrupted: %d of %d parsers have answered", i, len(subjects))}
		}
	}
	return all, nil
}

// await calls read, which may block, such as on a terminal, and returns its
// results. If ctx ends first, await returns an error without waiting for read.
func await[T any](ctx context.Context, read func() (T, error)) (T, error) {
	var v T
	var err error
	done := make(chan struct{})
	go func() { defer close(done); v, err = read() }()
	select {
	case <-done:
		return v, err
	case <-ctx.Done():
		var none T
		return none, &exitError{code: exitFailed, err: errors.New("interrupted while reading the input")}
	}
}

// asked returns the query to run, as a finding. If the query comes from the
// flags, only its witness is set.
func (e *env) asked(f *queryFlags) (*fuzz.Finding, error) {
	if f.finding == "" {
		robots, err := e.readRobots(f.robots)
		return &fuzz.Finding{Witness: fuzz.Witness{Robots: robots, Probe: spec.Probe{Agent: f.agent, URL: f.url}}}, err
	}
	store, err := openFindings(f.dir)
	if err != nil {
		return nil, err
	}
	found, err := store.Get(f.finding)
	return &found, err
}

// changed returns an error if an answer differs from the one that the finding
// recorded for its subject.
func changed(f *fuzz.Finding, answers []reports.SubjectAnswer) error {
	var differing []string
	for _, now := range answers {
		for _, before := range f.Answers {
			if before.Subject == now.Name && before.Verdict != now.Answer.Verdict {
				differing = append(differing, fmt.Sprintf("%s said %s", now.Name, before.Verdict))
			}
		}
	}
	if differing == nil {
		return nil
	}
	return &exitError{code: exitDisagree, err: fmt.Errorf("the answers are not those of finding %s: %s", f.ID(), strings.Join(differing, ", "))}
}
