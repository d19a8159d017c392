package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/impl/subjects/adapters"
)

func newAdapters(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "adapters",
		Short: "List the parsers of other languages that come along, and install them",
		Long: `Adapters lists the parsers of other languages that can be asked, each with its
state and the command that brings it nearer to ready.

They are kept in impl/subjects/adapters of the checkout that the working directory is in,
else in the cache folder of the user, or in the folder that REPCHECK_ADAPTERS
names. With REPCHECK_REQUIRE_ADAPTERS=1 in the environment, one that is not ready
ends run --all, and every test that needs it, as a failure.`,
		Example: `  repcheck adapters
  repcheck adapters install
  repcheck adapters install python-protego`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return e.listAdapters() },
	}
	var extra []string
	install := &cobra.Command{
		Use:   "install [name...]",
		Short: "Install these adapters, or all whose programs are there",
		Long: `Install builds adapters with the package manager of their language, in pinned
versions, each on its own: one that fails stops no other. What is ready is left as
it is and needs no network. Without names, adapters whose programs are missing are
skipped, unless REPCHECK_REQUIRE_ADAPTERS=1 is in the environment.`,
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
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tVERSION\tLANGUAGE\tLINEAGE\tSTATE")
	ready, offered := 0, 0
	for _, a := range adapters.All() {
		state := home.State(a)
		switch state.Readiness {
		case adapters.Ready:
			ready++
			offered++
		case adapters.LeftOut:
		default:
			offered++
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", a.Name, a.Version, a.Language, a.Lineage, describe(state))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "\n%d of %d are ready in %s\n", ready, offered, home)
	return err
}

// warnAdapters prints a warning for each adapter that its meta.yaml disables.
func (e *env) warnAdapters() {
	for _, problem := range adapters.Problems() {
		fmt.Fprintf(e.stderr, "warning: %v\n", problem)
	}
}

// wanted returns the adapters of those names; all that are not left out if there
// are none.
func wanted(names []string) ([]*adapters.Adapter, error) {
	var chosen []*adapters.Adapter
	if len(names) == 0 {
		for _, a := range adapters.All() {
			if a.LeftOut == "" {
				chosen = append(chosen, a)
			}
		}
		return chosen, nil
	}
	for _, name := range names {
		a := adapters.Find(name)
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
		wg     sync.WaitGroup
		mu     sync.Mutex // guards stdout and failed
		failed []string
		turn   = make(chan struct{}, runtime.GOMAXPROCS(0))
	)
	for _, a := range chosen {
		wg.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			line, err := installOne(ctx, home, a, len(names) > 0 || adapters.Required(), extra)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = append(failed, a.Name)
				line = err.Error()
			}
			_, _ = io.WriteString(e.stdout, line+"\n")
		})
	}
	wg.Wait()
	if len(failed) > 0 {
		return &exitError{code: exitLost, err: fmt.Errorf("not installed: %s", strings.Join(failed, ", "))}
	}
	return nil
}

// installOne installs an adapter and says so in a line. A missing program is an
// error only if the adapter is demanded.
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
