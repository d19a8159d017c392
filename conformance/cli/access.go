package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/conformance/internal/access"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/process"
	"github.com/repcheck/repcheck/impl/subjects/adapters"
	"github.com/repcheck/repcheck/impl/subjects/crawlers"
	"github.com/repcheck/repcheck/spec"
)

type accessFlags struct {
	runFlags
	crawlers []string
	serve    string
}

func newAccess(e *env) *cobra.Command {
	f := &accessFlags{runFlags: runFlags{level: "may", failOn: "should"}}
	cmd := &cobra.Command{
		Use:   "access",
		Short: "Send crawlers to sites with odd servers, and judge what they fetch",
		Long: `Access tests what parsers leave to others: fetching robots.txt. Each scenario is a
site on this machine whose servers redirect, fail, break off or answer with an odd
status, and each crawler is sent to it. The crawler has allowed what it fetches.

A fetcher is a library that gets robots.txt itself and is asked about URLs. A
crawler is a program that is started with the URL of a page:

  repcheck access --crawler 'wget -q -r -l1 --tries=1 -U {agent} -P {dir} {seed}'

{seed} is the page to begin with, {agent} the product token, {dir} an empty folder,
and {ca} a file with the certificate of the site's HTTPS server.

A scenario that requires another one says nothing about a crawler that fails that
one: it is skipped. Baselines, levels and formats are those of repcheck run.`,
		Example: `  repcheck access
  repcheck access --impl reference --interpretation google
  repcheck access --impl none --crawler 'my-crawler --agent {agent} {seed}' --verbose
  repcheck access --run 'redirects/*' --run 'status/5*'
  repcheck access --serve plain/obeyed`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.inAction(cmd)
			if f.serve != "" {
				return e.serveScenario(cmd.Context(), f.serve)
			}
			return e.access(cmd, f)
		},
	}
	cmd.Flags().StringSliceVar(&f.impls, "impl", nil, "run only these `crawlers`: "+strings.Join(crawlerNames(), ", ")+" or none; !name leaves one out")
	cmd.Flags().BoolVar(&f.all, "all", false, "also run the crawlers that repcheck adapters install has installed")
	cmd.Flags().StringArrayVar(&f.crawlers, "crawler", nil, "also run this `command`, which crawls from {seed} (repeatable)")
	f.interpretation = spec.Interpretations[0]
	addChoice(cmd, &f.interpretation, "interpretation", "interpretation for judging and for the reference:", spec.Interpretations...)
	cmd.Flags().DurationVar(&f.timeout, "timeout", 20*time.Second, "how long a crawler may take for one visit")
	cmd.Flags().Int64Var(&f.memory, "memory", 2048, "how many `MiB` of memory the process of a crawler may hold (Linux)")
	addEnv(cmd, &f.env)
	cmd.Flags().StringArrayVar(&f.run, "run", nil, "run only the scenarios that match this `pattern` (repeatable)")
	cmd.Flags().StringArrayVar(&f.skip, "skip", nil, "leave out the scenarios that match this `pattern` (repeatable)")
	addChoice(cmd, &f.level, "level", "run only scenarios of this level or above:", "must", "text", "should", "may")
	cmd.Flags().StringArrayVar(&f.baselines, "baseline", nil, "known failures: a `file` or folder, which replaces the built-in entries of the crawlers it names, or none (repeatable)")
	cmd.Flags().BoolVar(&f.update, "update-baseline", false, "drop the entries of the --baseline that no longer fail, and add new failures with the --reason")
	cmd.Flags().BoolVar(&f.prune, "prune-baseline", false, "drop the entries of the --baseline that no longer fail, and add nothing")
	cmd.Flags().StringVar(&f.reason, "reason", "", "`reason` for the failures that --update-baseline adds; without it they are only listed")
	f.formatFlags.add(cmd, "", "write the report to this `file` and only the verdict to standard error")
	addChoice(cmd, &f.failOn, "fail-on", "lowest level at which an unexpected failure counts:", "must", "text", "should", "any")
	cmd.Flags().StringVar(&f.serve, "serve", "", "run no crawler: open the servers of this `scenario` and print the requests that they get, until an interrupt; each line of input begins the next step")
	cmd.Flags().IntVar(&f.jobs, "jobs", 8, "concurrent visits of one crawler")
	f.addVerbose(cmd, "show every requirement and every failure in full, including known ones")
	return cmd
}

func crawlerNames() []string {
	names := []string{impl.ReferenceName}
	for _, c := range crawlers.All() {
		names = append(names, c.Info.Name)
	}
	return names
}

func (e *env) access(cmd *cobra.Command, f *accessFlags) error {
	if err := errors.Join(f.check(), checkEnv(f.env)); err != nil {
		return err
	}
	all, err := e.data()
	if err != nil {
		return err
	}
	data := all.Access()
	cases, err := f.cases(data)
	if err != nil {
		return err
	}
	baseline, err := f.baseline(data)
	if err != nil {
		return err
	}
	chosen, err := f.openCrawlers()
	if err != nil {
		return err
	}
	p := e.newProgress()
	var scenarios []spec.Scenario
	for _, c := range cases {
		scenarios = append(scenarios, *data.Scenario(c.ID))
	}
	result := conformance.Access(cmd.Context(), data, scenarios, chosen, conformance.AccessOptions{Options: conformance.Options{
		Interpretation: f.interpretation, Baseline: baseline, FailOn: levels[f.failOn], Jobs: f.jobs,
		Progress: func(done, total int) { p.tell("%d of %d visits", done, total) },
	}})
	p.done()
	for _, why := range f.skipped {
		result.Notes = append(result.Notes, "skipped "+why)
	}
	return e.endRun(cmd, &f.runFlags, result, data)
}

// openCrawlers returns the crawlers that the flags select.
func (f *accessFlags) openCrawlers() ([]impl.Crawler, error) {
	wanted, err := f.wanted()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("crawlers in Go need the path of repcheck: %w", err)
	}
	var opened []impl.Crawler
	if slices.Contains(wanted, impl.ReferenceName) {
		reference, err := crawlers.Reference(f.interpretation)
		if err != nil {
			return nil, err
		}
		opened = append(opened, reference)
	}
	for _, c := range crawlers.All() {
		switch {
		case !slices.Contains(wanted, c.Info.Name):
		case c.Fetcher != nil:
			opened = append(opened, impl.FetcherCrawler(c.Info, false, c.Fetcher))
		default:
			o := f.limits()
			o.Command = []string{self, "crawl", c.Info.Name, "{seed}", "{agent}"}
			crawler, err := impl.CrawlCommand(c.Info, o)
			if err != nil {
				return nil, err
			}
			opened = append(opened, crawler)
		}
	}
	installed, err := f.openInstalled(wanted)
	if err != nil {
		return nil, err
	}
	opened = append(opened, installed...)
	for _, template := range f.crawlers {
		o := f.limits()
		if o.Command, err = process.SplitCommand(template); err != nil {
			return nil, fmt.Errorf("--crawler: %w", err)
		}
		crawler, err := impl.CrawlCommand(spec.SubjectInfo{}, o)
		if err != nil {
			return nil, fmt.Errorf("--crawler: %w", err)
		}
		opened = append(opened, crawler)
	}
	if len(opened) == 0 {
		return nil, errors.New("no crawler is selected: --impl none needs a --crawler")
	}
	return opened, nil
}

// openInstalled returns the crawlers among names that are not part of the binary, and
// with --all all that are installed. One that is not installed is an error if it is
// named or demanded, and otherwise skipped.
func (f *accessFlags) openInstalled(names []string) (opened []impl.Crawler, err error) {
	home, err := adapters.FindHome()
	if err != nil {
		return nil, err
	}
	for _, a := range crawlers.Installable() {
		named := slices.Contains(names, a.Name)
		if !named && !f.all || slices.Contains(f.impls, "!"+a.Name) {
			continue
		}
		if state := home.State(a); state.Readiness != adapters.Ready {
			why := a.Name + ": " + describe(state)
			if named || adapters.Required() {
				return nil, &exitError{code: exitLost, err: errors.New(why)}
			}
			f.skipped = append(f.skipped, why)
			continue
		}
		o, place := f.limits(), home.Options(a, f.env...)
		o.Command, o.Dir, o.Env = place.Command, place.Dir, place.Env
		crawler, err := impl.CrawlCommand(a.Info(), o)
		if err != nil {
			return nil, err
		}
		opened = append(opened, crawler)
	}
	return opened, nil
}

// wanted returns the names that --impl selects.
func (f *accessFlags) wanted() ([]string, error) {
	var names, without []string
	for _, name := range f.impls {
		name, left := strings.CutPrefix(name, "!")
		switch {
		case name != "none" && !slices.Contains(crawlerNames(), name) && !slices.ContainsFunc(crawlers.Installable(), func(a *adapters.Adapter) bool { return a.Name == name }):
			return nil, fmt.Errorf("--impl: no crawler is named %q: there are %s; one of your own comes in with --crawler", name, strings.Join(crawlerNames(), ", "))
		case left:
			without = append(without, name)
		default:
			names = append(names, name)
		}
	}
	if names == nil {
		names = crawlerNames()
	}
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(without, name) }), nil
}

// serveScenario opens the servers of a scenario for a crawler that somebody runs by hand.
func (e *env) serveScenario(ctx context.Context, id string) error {
	data, err := e.data()
	if err != nil {
		return err
	}
	s := data.Scenario(id)
	if s == nil {
		return fmt.Errorf("--serve: no scenario is named %q%s", id, near(id, caseIDs(data.Access())))
	}
	origin, err := access.Open(s, access.Limits{})
	if err != nil {
		return err
	}
	defer origin.Close()
	lines := make(chan string)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(e.stdin); in.Scan(); {
			lines <- in.Text()
		}
	}()
	step, shown := 0, 0
	begin := func() {
		origin.SetStep(step)
		var pages []string
		for _, x := range s.Steps[step].Expect {
			pages = append(pages, origin.URL(x.URL))
		}
		origin.Links(pages)
		fmt.Fprintf(e.stdout, "step %d of %d: crawl %s, which links to\n  %s\n", step+1, len(s.Steps), origin.URL("/"), strings.Join(pages, "\n  "))
	}
	begin()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case _, ok := <-lines:
			if !ok {
				lines = nil // the input has ended, and the servers stay
			} else if step+1 < len(s.Steps) {
				step++
				begin()
			}
		case <-tick.C:
			log := origin.Log()
			for _, r := range log[shown:] {
				fmt.Fprintln(e.stdout, r)
			}
			shown = len(log)
			e.stdout.flush()
		}
	}
}

// newCrawl is the command by which access runs a crawler in Go in a process of its own.
func newCrawl() *cobra.Command {
	return &cobra.Command{
		Use:    "crawl NAME SEED AGENT",
		Short:  "Run one of the crawlers in Go on a site",
		Hidden: true,
		Args:   cobra.ExactArgs(3),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, c := range crawlers.All() {
				if c.Info.Name == args[0] && c.Crawl != nil {
					return c.Crawl(args[1], args[2])
				}
			}
			return fmt.Errorf("no crawler in Go is named %q", args[0])
		},
	}
}
