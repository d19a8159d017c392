package process

import (
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
)

// Data that a process left in its pipe can be read at any later time; then the
// pipe ends, even if another process holds the other end.
func TestOutlet(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("pipes have no deadlines here")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	o := outlet{r}
	defer o.Close()
	io.WriteString(w, "left behind")
	o.ended()
	var got tail
	if _, err := io.Copy(&got, o); err != nil || got.String() != "left behind" {
		t.Errorf("read %q, %v", got.String(), err)
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	var got tail
	for range 3 {
		io.WriteString(&got, strings.Repeat("x", stderrTail))
		io.WriteString(&got, "end")
	}
	if want := "…" + strings.Repeat("x", stderrTail-3) + "end"; got.String() != want {
		t.Errorf("tail is %d octets, want %d", len(got.String()), len(want))
	}
}

// Output after Kill of a grandchild that escaped from the process group is not
// read, although it holds the adapter's stdout.
func TestKillEndsStdout(t *testing.T) {
	t.Parallel()
	life, conns := lifelines(t)
	opts := self(t, "hang, then late answers", 1, life)
	opts = opts.withDefaults()
	ch, err := launch(t.Context(), &opts, nil)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(ch.t, `{"id":1,"robots":"","agent":"A","url":"/bad"}`+"\n")
	conn := <-conns // the grandchild is alive
	ch.t.Kill()
	io.WriteString(conn, "x") // it writes now
	if line, err := ch.in.next(); err == nil {
		t.Errorf("read %q after Kill", line)
	}
	<-ch.t.Done()
}
