package cli

import (
	"bytes"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWriteKeepsMode overwrites files with several modes: each keeps its mode,
// and no other file is left in the folder.
func TestWriteKeepsMode(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no file modes")
	}
	dir := t.TempDir()
	want := map[string]fs.FileMode{"private": 0o600, "shared": 0o664, "executable": 0o755}
	for name, mode := range want {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("old"), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		if code := Main([]string{"run", "--impl", "reference", "--run", "precedence/*", "-o", path}, strings.NewReader(""), &stdout, &stderr); code != exitOK {
			t.Fatalf("exit code %d: %s", code, &stderr)
		}
	}
	got := map[string]fs.FileMode{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		got[entry.Name()] = info.Mode().Perm()
		if info.Size() == int64(len("old")) {
			t.Errorf("%s was not written", entry.Name())
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("modes (-want +got):\n%s", diff)
	}
}

// TestResultFiles passes files to report that are not results: each is rejected
// at once, with its name and the reason.
func TestResultFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	large := filepath.Join(dir, "large.json")
	if err := os.WriteFile(large, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, maxResult+1); err != nil { // a sparse file
		t.Fatal(err)
	}
	device := filepath.Join(dir, "device.json")
	if err := os.Symlink("/dev/zero", device); err != nil {
		if runtime.GOOS != "windows" {
			t.Fatal(err)
		}
		t.Skipf("no symbolic links: %v", err)
	}
	for path, want := range map[string]string{
		large:       large + " is larger than 1024 MiB",
		device:      device + " is not a regular file",
		"/dev/zero": "/dev/zero is not a regular file",
	} {
		if _, err := os.Stat(path); err != nil {
			continue // a system without that device
		}
		for _, args := range [][]string{{"report", path}, {"report", dir, "--run", path}, {"report", dir, "--scan", path}} {
			var stdout, stderr bytes.Buffer
			if code := Main(args, strings.NewReader(""), &stdout, &stderr); code != exitUsage || !strings.Contains(stderr.String(), want) {
				t.Errorf("%v: exit code %d, want %d with %q\n%s", args, code, exitUsage, want, &stderr)
			}
		}
	}
}

// An interrupter is a standard input that interrupts the process when it is read,
// and never returns data.
type interrupter struct{ t *testing.T }

func (i interrupter) Read([]byte) (int, error) {
	interrupt(i.t)
	select {}
}

func interrupt(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(os.Interrupt)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestInterrupted interrupts commands: each exits with 130 and a message. It
// cannot run in parallel with other tests, because the signal would interrupt
// them too.
func TestInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process on Windows cannot interrupt itself")
	}
	// A signal that arrives between two commands must not end the test.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	dir := t.TempDir()
	robots := filepath.Join(dir, "robots.txt")
	if err := os.WriteFile(robots, []byte("User-agent: *\nDisallow: /a\nAllow: /a/b\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	// Adapters that interrupt repcheck at the start and at a query, and then keep
	// their stdout open.
	script := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return "sh '" + path + "'"
	}
	started := script("started.sh", "kill -INT $PPID\nwhile read line; do :; done\n")
	asked := script("asked.sh", `read hello
echo '{"hello":1,"name":"asked","version":"1","language":"sh","lineage":"asked"}'
read query
kill -INT $PPID
while read line; do :; done
`)
	type interruption struct {
		name string
		args []string
	}
	tests := []interruption{
		{"query/stdin", []string{"query", "--robots", "-", "--agent", "a", "--url", "/"}},
		{"scan/stdin", []string{"scan", "-", "--causes=false"}},
		{"adapter/stdin", []string{"adapter", "reference"}},
		{"run/started", []string{"run", "--impl", "none", "--adapter", started}},
		{"run/asked", []string{"run", "--impl", "none", "--adapter", asked}},
		{"query/asked", []string{"query", "--impl", "none", "--adapter", asked, "--robots", robots, "--agent", "a", "--url", "/"}},
		{"explain/asked", []string{"explain", "precedence/longer-allow-wins", "--impl", "none", "--adapter", asked}},
		{"scan/asked", []string{"scan", dir, "--causes=false", "--impl", "reference", "--adapter", asked}},
		{"profile/asked", []string{"profile", "--impl", "none", "--adapter", asked}},
		{"fuzz/asked", []string{"fuzz", "--impl", "reference", "--adapter", asked, "--count", "1", "--dir", filepath.Join(dir, "findings")}},
		{"complexity/asked", []string{"complexity", "--impl", "none", "--adapter", asked}},
		{"check/started", []string{"check", "--adapter", started}},
	}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup, where the terminal may close
		closed := script("closed.sh", "kill -HUP $PPID\nwhile read line; do :; done\n")
		tests = append(tests, interruption{"run/terminal closed", []string{"run", "--impl", "none", "--adapter", closed}})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := Main(tt.args, interrupter{t}, &stdout, &stderr)
			if code != exitInterrupted || !strings.Contains(stderr.String(), "repcheck: interrupted") {
				t.Errorf("exit code %d, want %d; stderr:\n%s\nstdout:\n%s", code, exitInterrupted, &stderr, &stdout)
			}
		})
	}
}

func TestFirstLines(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		n    int
		want string
	}{{4, "a\nb\nc\n"}, {3, "a\nb\nc\n"}, {2, "a\n… 2 more lines\n"}, {1, "… 3 more lines\n"}, {0, "… 3 more lines\n"}} {
		if got := firstLines("a\nb\nc\n", test.n); got != test.want {
			t.Errorf("firstLines(%d) = %q, want %q", test.n, got, test.want)
		}
	}
}
