package adapters

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// installTimeout bounds the installation of one adapter, because a package manager
// without a network connection might wait forever. The first build of a Rust parser
// takes some minutes on one slow core.
const installTimeout = 15 * time.Minute

// forInstallers are the environment variables that package managers get in addition
// to those of process.Environment: proxies, certificates, and their own settings.
var forInstallers = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
	"PIP_*", "NPM_CONFIG_*", "npm_config_*", "CARGO_*", "MAVEN_*", "GOPROXY", "GONOSUMDB", "GOFLAGS", "GOSUMDB",
}

// log returns the name of the file with the output of the last installation.
func (h Home) log(a *Adapter) string {
	return filepath.Join(h.build(a), "install.log")
}

// Install makes the adapter ready. If it already is, Install does nothing and needs no
// network. Otherwise it first removes the files of an earlier installation. After a
// failure or an interrupt the adapter is not installed. The error names the failed
// command and ends with the last lines of its output.
//
// extra adds to the environment of the commands; see process.Environment.
func (h Home) Install(ctx context.Context, a *Adapter, extra ...string) error {
	switch s := h.State(a); s.Readiness {
	case Ready:
		return nil
	case LeftOut:
		return fmt.Errorf("%s is left out: %s", a.Name, s.Why)
	case MissingRuntime:
		return fmt.Errorf("%s %s", a.Name, s.Why)
	}
	ctx, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	build := h.build(a)
	if err := errors.Join(os.RemoveAll(build), os.MkdirAll(build, 0o755), os.MkdirAll(h.shared(), 0o755)); err != nil {
		return fmt.Errorf("%s: %w", a.Name, err)
	}
	for name, octets := range a.files() {
		to := filepath.Join(build, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, octets, 0o644)); err != nil {
			return fmt.Errorf("%s: %w", a.Name, err)
		}
	}
	log, err := os.Create(h.log(a))
	if err != nil {
		return fmt.Errorf("%s: %w", a.Name, err)
	}
	defer log.Close()
	for _, argv := range a.Install {
		if err := h.step(ctx, h.command(a, argv, slices.Concat(forInstallers, extra)), a.Name, log); err != nil {
			return err
		}
	}
	if err := os.WriteFile(h.stamp(a), []byte(a.stamp()), 0o644); err != nil {
		return fmt.Errorf("%s: %w", a.Name, err)
	}
	return nil
}

// step runs one install command.
func (h Home) step(ctx context.Context, cmd *exec.Cmd, name string, log *os.File) error {
	fmt.Fprintf(log, "$ %s\n", strings.Join(cmd.Args, " "))
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	stop()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %q was ended: %w", name, strings.Join(cmd.Args, " "), ctx.Err())
	case err != nil:
		return fmt.Errorf("%s: %q failed (%w), %s ends:\n%s", name, strings.Join(cmd.Args, " "), err, log.Name(), tailOf(log.Name()))
	}
	return nil
}

// tailOf returns the last lines of a log.
func tailOf(name string) string {
	const most = 12
	octets, err := os.ReadFile(name)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimRight(string(octets), "\n"), "\n")
	return "  " + strings.Join(lines[max(0, len(lines)-most):], "\n  ")
}
