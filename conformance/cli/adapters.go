package cli

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/subjects/adapters"
	"github.com/repcheck/repcheck/impl/subjects/crawlers"
	"github.com/repcheck/repcheck/reports/doc"
)

func newAdapters(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "adapters",
		Short: "List the adapters for parsers in other languages, and install them",
		Long: `Adapters lists the adapters for parsers in other languages, each with its state
and, if it is not ready, the command that installs it.

They are installed in the folder that REPCHECK_ADAPTERS names. Without it, that is
impl/subjects/adapters of the checkout that contains the working directory, or else
a folder in the user's cache. With REPCHECK_REQUIRE_ADAPTERS=1 in the environment,
run --all, and every test that needs an adapter, fails if it is not ready.`,
		Example: `  repcheck adapters
  repcheck adapters install
  repcheck adapters install python-protego`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return e.listAdapters() },
	}
	var extra []string
	install := &cobra.Command{
		Use:   "install [name...]",
		Short: "Install these adapters, or all whose runtime is installed",
		Long: `Install builds adapters with the package manager of their language, in pinned
versions. Each is installed separately, so a failure does not affect the others.
Adapters that are ready stay unchanged and need no network. Without names,
adapters whose runtime is missing are skipped, unless REPCHECK_REQUIRE_ADAPTERS=1
is in the environment.`,
		ValidArgsFunction: offer(adapterNames),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkEnv(extra); err != nil {
				return err
			}
			return e.installAdapters(cmd.Context(), args, extra)
		},
	}
	addEnv(install, &extra)
	cmd.AddCommand(install)
	return cmd
}

func (e *env) listAdapters() error {
	e.warnAdapters()
	home, err := adapters.FindHome()
	if err != nil {
		return err
	}
	var rows [][]string
	ready, offered := 0, 0
	for _, a := range adapters.All() {
		state := home.State(a)
		if state.Readiness == adapters.Ready {
			ready++
		}
		if state.Readiness != adapters.LeftOut {
			offered++
		}
		rows = append(rows, []string{a.Name, a.Version, a.Language, a.Lineage, describe(state)})
	}
	list := doc.Document{wordTable([]string{"parser", "version", "language", "lineage", "state"}, rows), doc.P("%d of %d are ready in %s", ready, offered, home)}
	return e.writeReport(&outputFlags{format: "text", width: -1}, report{document: func() doc.Document { return list }})
}

// warnAdapters prints a warning for each adapter that its meta.yaml disables.
func (e *env) warnAdapters() {
	for _, problem := range adapters.Problems() {
		fmt.Fprintf(e.stderr, "warning: %v\n", problem)
	}
}

// wanted returns the adapters with these names. Without names it returns all
// adapters that are not disabled.
func wanted(names []string) ([]*adapters.Adapter, error) {
	if len(names) == 0 {
		names = adapterNames()
	}
	var chosen []*adapters.Adapter
	for _, name := range names {
		a := adapters.Find(name)
		if a == nil {
			a = crawlers.Find(name)
		}
		if a == nil {
			return nil, fmt.Errorf("no adapter is named %q%s: see repcheck adapters", name, near(name, adapterNames()))
		}
		chosen = append(chosen, a)
	}
	return chosen, nil
}

func (e *env) installAdapters(ctx context.Context, names, extra []string) error {
	e.warnAdapters()
	chosen, err := wanted(names)
	if err != nil {
		return err
	}
	home, err := adapters.FindHome()
	if err != nil {
		return err
	}
	var (
		mu     sync.Mutex // guards failed
		failed []string
	)
	impl.Each(len(chosen), runtime.GOMAXPROCS(0), func(i int) {
		line, err := installOne(ctx, home, chosen[i], len(names) > 0 || adapters.Required(), extra)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			failed = append(failed, chosen[i].Name)
			line = err.Error()
		}
		fmt.Fprintln(e.stdout, line)
	})
	if len(failed) > 0 {
		return &exitError{code: exitLost, err: fmt.Errorf("not installed: %s", strings.Join(failed, ", "))}
	}
	return nil
}

// installOne installs an adapter and returns one line about it. A missing program
// is an error only if the adapter is demanded.
func installOne(ctx context.Context, home adapters.Home, a *adapters.Adapter, demanded bool, extra []string) (string, error) {
	switch state := home.State(a); {
	case state.Readiness == adapters.Ready:
		return fmt.Sprintf("%s %s is ready", a.Name, a.Version), nil
	case state.Readiness == adapters.MissingRuntime && !demanded:
		return fmt.Sprintf("%s is skipped: %s", a.Name, describe(state)), nil
	}
	started := time.Now()
	if err := home.Install(ctx, a, extra...); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s is ready (%s)", a.Name, a.Version, time.Since(started).Round(100*time.Millisecond)), nil
}
