//go:build linux

package testscripts

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/repcheck/repcheck/impl/reference"
)

// lifetime is the time after which a hostile process ends by itself. It is longer
// than any run may take, so a process left behind is detected.
const lifetime = 10 * time.Minute

func init() { programs["hostile"] = playHostile }

// playHostile runs as the adapter, the command or the grandchild named by its
// first argument. The second argument is the folder of the run. The processes of
// a run communicate through it, and are identified by it.
func playHostile() {
	time.AfterFunc(lifetime, func() { os.Exit(99) })
	a := &adapter{dir: os.Args[2], in: bufio.NewReaderSize(os.Stdin, 32<<10), out: os.Stdout}
	switch name := os.Args[1]; name {
	case "grandchild":
		a.hang()
	case "memory-grandchild":
		a.swallowMemory()
	case "servant":
		a.play(mode{})
	default:
		for _, m := range slices.Concat(hostileModes, hostileCommands) {
			switch {
			case m.name != name:
				continue
			case m.program != nil:
				m.program(a)
			default:
				a.play(m)
			}
			return
		}
		fmt.Fprintf(os.Stderr, "no mode is named %q\n", name)
		os.Exit(98)
	}
}

// An adapter is one process of the hostile adapter. Its parser is the reference,
// so every problem that a run reports comes from the mode.
type adapter struct {
	dir   string
	in    *bufio.Reader
	out   *os.File
	short bool // it hangs within a request that does not fit into in
	asked int  // requests read
}

// A request is a line with a query.
type request struct {
	Hello     *int     `json:"hello"`
	ID        int64    `json:"id"`
	Robots    *string  `json:"robots"`
	RobotsB64 []byte   `json:"robots_b64"`
	Agent     *string  `json:"agent"`
	AgentB64  []byte   `json:"agent_b64"`
	URL       *string  `json:"url"`
	URLB64    []byte   `json:"url_b64"`
	URLs      []string `json:"urls"`
	URLsB64   [][]byte `json:"urls_b64"`
}

// play speaks the protocol correctly, except where the mode differs.
func (a *adapter) play(m mode) {
	if m.start != nil {
		m.start(a)
	}
	if m.greet != nil {
		m.greet(a)
	} else {
		a.read()
		a.print(hello() + "\n")
	}
	if m.greeted != nil {
		m.greeted(a)
	}
	for {
		r, ok := a.read()
		if !ok {
			break
		}
		if a.asked++; m.answer != nil {
			m.answer(a, r)
		} else {
			a.print(sound(r) + "\n")
		}
	}
	if m.end != nil {
		m.end(a)
	}
}

// hello returns a valid hello, with these members replaced or added: alternately
// a name and its value in JSON.
func hello(members ...string) string {
	all := []string{"hello", "1", "name", `"hostile"`, "version", `"1"`, "language", `"go"`}
	line := ""
	for len(members) > 0 {
		for i := 0; i < len(all); i += 2 {
			if all[i] == members[0] {
				all = append(all[:i], all[i+2:]...)
			}
		}
		all, members = append(all, members[:2]...), members[2:]
	}
	for i := 0; i < len(all); i += 2 {
		if all[i+1] != "" {
			line += fmt.Sprintf(`,"%s":%s`, all[i], all[i+1])
		}
	}
	return "{" + line[1:] + "}"
}

// read returns the next request; false at the end of stdin.
func (a *adapter) read() (request, bool) {
	line, err := a.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		if a.short {
			a.hang()
		}
		start := bytes.Clone(line)
		line, err = a.in.ReadBytes('\n')
		line = append(start, line...)
	}
	if err != nil {
		return request{}, false
	}
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		fmt.Fprintln(os.Stderr, "not a request:", err)
		os.Exit(97)
	}
	return r, true
}

// print writes to stdout, and ends the process if the reader has closed it.
func (a *adapter) print(text string) {
	if _, err := io.WriteString(a.out, text); err != nil {
		os.Exit(0)
	}
}

// repeat prints the text until that many bytes are written.
func repeat(out io.Writer, text string, total int64) {
	for n := int64(0); n < total; n += int64(len(text)) {
		if _, err := io.WriteString(out, text); err != nil {
			return
		}
	}
}

// oneByOne is a reader that reads byte by byte.
type oneByOne struct{ io.Reader }

func (r oneByOne) Read(b []byte) (int, error) { return r.Reader.Read(b[:min(1, len(b))]) }

// urls returns the URLs of the request, and whether it uses the member urls.
func (r *request) urls() (urls []string, several bool) {
	switch {
	case r.URL != nil:
		return []string{*r.URL}, false
	case r.URLs != nil:
		return r.URLs, true
	case r.URLsB64 == nil:
		return []string{string(r.URLB64)}, false
	}
	for _, u := range r.URLsB64 {
		urls = append(urls, string(u))
	}
	return urls, true
}

func (r *request) robots() string {
	if r.Robots != nil {
		return *r.Robots
	}
	return string(r.RobotsB64)
}

// sound returns the answer of the reference.
func sound(r request) string {
	in, err := reference.Named("rfc9309")
	if err != nil {
		panic(err)
	}
	agent := string(r.AgentB64)
	if r.Agent != nil {
		agent = *r.Agent
	}
	rules := reference.New(in).Parse([]byte(r.robots())).Rules(agent)
	return verdicts(r, func(url string) bool { return rules.Test(url).Allow })
}

// verdicts returns an answer with a verdict for each URL.
func verdicts(r request, allowed func(url string) bool) string {
	urls, several := r.urls()
	allows := make([]bool, len(urls))
	for i, u := range urls {
		allows[i] = allowed(u)
	}
	if !several {
		return fmt.Sprintf(`{"id":%d,"allow":%t}`, r.ID, allows[0])
	}
	list, _ := json.Marshal(allows)
	return fmt.Sprintf(`{"id":%d,"allows":%s}`, r.ID, list)
}

// with returns the answer with additional members at its end.
func with(answer, members string) string { return answer[:len(answer)-1] + "," + members + "}" }

// hang waits for longer than any run takes. A full pipe or signal does not end it.
func (a *adapter) hang() {
	a.mark("hung")
	time.Sleep(2 * lifetime)
}

// spin does the same and keeps a processor busy.
func (a *adapter) spin() {
	a.mark("hung")
	for busy := 0; ; busy++ {
		spun.Store(int64(busy))
	}
}

// spun keeps the compiler from removing the loop of spin.
var spun atomic.Int64

// die ends the process by a signal that it sends to itself.
func die(signal syscall.Signal) {
	_ = syscall.Kill(os.Getpid(), signal)
	time.Sleep(lifetime)
}

// swallowMemory allocates half a gigabyte per second. It stops at twice the
// limit, so that a harness without a limit does not stall the machine.
func (a *adapter) swallowMemory() {
	var kept [][]byte
	for len(kept) < 40 {
		block := make([]byte, 10<<20)
		for i := 0; i < len(block); i += 512 {
			block[i] = 1
		}
		kept = append(kept, block)
		time.Sleep(20 * time.Millisecond)
	}
	a.hang()
	runtime.KeepAlive(kept)
}

// mark leaves a note for other processes of the run, and returns how many times
// this note has been left.
func (a *adapter) mark(name string) (times int) {
	for {
		times++
		f, err := os.OpenFile(filepath.Join(a.dir, name+"-"+strconv.Itoa(times)), os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			f.Close()
			return times
		}
		if !errors.Is(err, fs.ErrExist) {
			return times // the mode has deleted its folder
		}
	}
}

// mostGrandchildren bounds the grandchildren of a run, so that a harness that
// leaves them behind does not stall the machine.
const mostGrandchildren = 20

// spawn starts this program in another mode. The process may leave the group
// and session of its parent, and may hold the parent's pipes.
func (a *adapter) spawn(mode string, setsid, pipes bool) {
	if a.mark("grandchild") > mostGrandchildren {
		return
	}
	cmd := exec.Command("/proc/self/exe", mode, a.dir)
	cmd.Args[0] = "hostile"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: setsid}
	if pipes {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "cannot start a grandchild:", err)
		os.Exit(96)
	}
}
