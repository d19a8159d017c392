//go:build linux

package testscripts

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestLaterSignal: a command that the first signal does not end, because it waits for
// its output to be read, ends at a later one.
func TestLaterSignal(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("repcheck")
	if err != nil {
		t.Fatal(err)
	}
	unread, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer unread.Close()
	cmd := exec.Command(program, "list", "--format", "json")
	cmd.Stdout = stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stdout.Close()
	if _, err := unread.Read(make([]byte, 1)); err != nil { // it is about to block
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	again := time.NewTicker(1100 * time.Millisecond)
	defer again.Stop()
	late := time.After(bound)
	for signals := 1; ; signals++ {
		if err := cmd.Process.Signal(os.Interrupt); err != nil && signals == 1 {
			t.Fatal(err)
		}
		select {
		case <-ended:
			if code := cmd.ProcessState.ExitCode(); code != 130 || signals == 1 {
				t.Errorf("it ended with %v after %d signals, want exit code 130 after several", cmd.ProcessState, signals)
			}
			return
		case <-late:
			_ = cmd.Process.Kill()
			t.Fatal("it does not end")
		case <-again.C:
		}
	}
}
