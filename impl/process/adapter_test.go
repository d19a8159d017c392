package process

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// The test binary is its own adapter, correct or faulty, when modeEnv is set.
const (
	modeEnv   = "REPCHECK_TEST_ADAPTER"
	windowEnv = "REPCHECK_TEST_WINDOW"
	// addressEnv is the address to which a grandchild connects to show that it is
	// alive.
	addressEnv = "REPCHECK_TEST_ADDRESS"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeEnv); mode != "" {
		window, _ := strconv.Atoi(os.Getenv(windowEnv))
		play(mode, max(window, 1), os.Stdin, os.Stdout)
		os.Exit(0)
	}
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue && flag.Lookup("test.fuzz").Value.String() == "" {
		flag.Set("test.parallel", "16") // the tests wait more than they work
	}
	os.Exit(m.Run())
}

// self runs this binary as the adapter of a mode.
func self(t testing.TB, mode string, window int, env ...string) Options {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Options{Command: []string{exe}, Env: append(os.Environ(), append(env,
		modeEnv+"="+mode, windowEnv+"="+strconv.Itoa(window),
		"GORACE=atexit_sleep_ms=0")...)} // the race detector lingers for a second
}

// An oracle is the parser of all test adapters. It disallows URLs that contain
// "no", by line 2; if the robots.txt is "echo", it rejects with the bytes it was
// given.
type oracle struct{}

func (oracle) Info() spec.SubjectInfo {
	return spec.SubjectInfo{Name: "oracle", Version: "1", Language: "go", Features: []string{"line"}}
}

func (oracle) Ask(_ context.Context, robots []byte, probes []spec.Probe) []spec.Answer {
	answers := make([]spec.Answer, len(probes))
	for i, p := range probes {
		switch {
		case strings.HasPrefix(string(robots), "echo"):
			answers[i] = spec.Answer{Verdict: spec.Reject, Detail: fmt.Sprintf("%x %x %x", robots, p.Agent, p.URL)}
		case strings.Contains(p.URL, "no"):
			answers[i] = spec.Answer{Verdict: spec.Disallow, Line: 2}
		default:
			answers[i] = spec.Answer{Verdict: spec.Allow}
		}
	}
	return answers
}

// play is an adapter that misbehaves from the first URL that contains "bad".
func play(mode string, window int, stdin io.Reader, stdout io.Writer) {
	if fault, ok := strings.CutPrefix(mode, sickness); ok {
		os.Exit(sick(fault, stdin, stdout, os.Stderr))
	}
	switch mode {
	case "serve":
		if err := Serve(context.Background(), stdin, stdout, oracle{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	case "exit before hello":
		fmt.Fprintln(os.Stderr, "no such module")
		os.Exit(3)
	case "garbage before hello":
		fmt.Fprintln(stdout, "Loading…")
	case "slow start":
		time.Sleep(400 * time.Millisecond)
	case "no hello":
		time.Sleep(time.Minute)
	case "alive": // a grandchild: shows that it is alive, and may hold stdout
		lifeline()
		return
	case "memory": // a grandchild: takes 150 MiB, uses them and keeps them
		kept := bytes.Repeat([]byte{1}, 150<<20)
		time.Sleep(time.Minute)
		runtime.KeepAlive(kept)
		return
	case "late": // a grandchild: holds stdout and answers when the test signals it
		if lifeline() {
			for id := range 100 {
				fmt.Fprintf(stdout, `{"id":%d,"allow":false,"line":77}`+"\n", id)
			}
		}
		return
	}
	fmt.Fprintf(stdout, `{"hello":1,"name":"test","version":"1","window":%d}`+"\n", window)
	in := bufio.NewReader(stdin)
	if _, err := in.ReadString('\n'); err != nil { // hello
		return
	}
	var held []string // for answers out of order
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			break
		}
		var req wireRequest
		if err := json.Unmarshal([]byte(line), &req); err != nil {
			panic(err)
		}
		probes, several := req.probes()
		reply := encodeAnswer(*req.ID, oracle{}.Ask(context.Background(), octets(req.Robots, req.RobotsB64), probes), several, 0)
		bad := strings.Contains(line, "bad")
		if !bad && mode != "out of order" && mode != "stderr" {
			say(stdout, reply)
			continue
		}
		switch mode {
		case "crash":
			fmt.Fprintln(os.Stderr, "Traceback: boom")
			os.Exit(7)
		case "crash group": // the process that the client started ends, another one holds its pipes
			spawn("alive", stdout)
			os.Exit(7)
		case "swallow memory":
			spawn("memory", nil)
			time.Sleep(time.Minute)
		case "hang":
			time.Sleep(time.Minute)
		case "hang group":
			spawn("alive", nil)
			time.Sleep(time.Minute)
		case "hang, then late answers":
			spawn("late", stdout)
			time.Sleep(time.Minute)
		case "close stdout":
			stdout.(*os.File).Close()
			time.Sleep(time.Minute)
		case "garbage":
			fmt.Fprintln(stdout, "hello")
			say(stdout, reply)
		case "no object":
			fmt.Fprintln(stdout, "[true]")
		case "endless line":
			for {
				if _, err := io.WriteString(stdout, strings.Repeat("x", 4096)); err != nil {
					return
				}
			}
		case "endless lines":
			for {
				if _, err := io.WriteString(stdout, strings.Repeat("{}\n", 1000)); err != nil {
					return
				}
			}
		case "endless answers":
			for {
				say(stdout, reply)
			}
		case "twice":
			say(stdout, reply)
			say(stdout, reply)
		case "unknown id":
			*reply.ID += 1000
			say(stdout, reply)
		case "no id":
			reply.ID = nil
			say(stdout, reply)
		case "wrong number":
			if several {
				reply.Allows = reply.Allows[1:]
			} else {
				reply.Allow, reply.Allows = nil, make([]wireElement, 2)
				reply.Allows[0].Allow, reply.Allows[1].Allow = new(true), new(true)
			}
			reply.Lines = nil
			say(stdout, reply)
		case "no verdict":
			fmt.Fprintf(stdout, `{"id":%d,"allowed":true}`+"\n", req.ID)
		case "wrong type":
			fmt.Fprintf(stdout, `{"id":%d,"allow":"yes"}`+"\n", req.ID)
		case "slow start", "ignore end":
			say(stdout, reply)
		case "stderr":
			io.WriteString(os.Stderr, strings.Repeat("a lot of logs\n", 20000))
			say(stdout, reply)
		case "out of order":
			b, _ := json.Marshal(reply)
			held = append(held, string(b))
			if in.Buffered() == 0 {
				for i := len(held) - 1; i >= 0; i-- {
					fmt.Fprintln(stdout, held[i])
				}
				held = nil
			}
		default:
			panic("unknown mode " + mode)
		}
	}
	if mode == "ignore end" {
		time.Sleep(time.Minute)
	}
}

func say(w io.Writer, reply wireAnswer) {
	b, err := json.Marshal(reply)
	if err != nil {
		panic(err)
	}
	if _, err := w.Write(append(b, '\n')); err != nil {
		os.Exit(1)
	}
}

// spawn starts a grandchild that may hold our stdout. A grandchild that holds
// stdout is not in the process group that is killed.
func spawn(mode string, stdout io.Writer) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), modeEnv+"="+mode)
	if stdout != nil {
		escape(cmd)
		cmd.Stdout = stdout
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}

// lifeline connects to the test, and waits. It reports whether the test sent
// something before it closed the connection.
func lifeline() bool {
	conn, err := net.Dial("tcp", os.Getenv(addressEnv))
	if err != nil {
		return false
	}
	n, _ := conn.Read(make([]byte, 1))
	return n == 1
}

// lifelines returns the environment with which grandchildren connect to the test,
// and their connections, which close when their processes end. When the test
// ends, so do these processes.
func lifelines(t *testing.T) (env string, conns <-chan net.Conn) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan net.Conn)
	ended := make(chan struct{})
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			context.AfterFunc(t.Context(), func() { conn.Close() })
			select {
			case accepted <- conn:
			case <-ended:
			}
		}
	}()
	t.Cleanup(func() {
		close(ended)
		listener.Close()
	})
	return addressEnv + "=" + listener.Addr().String(), accepted
}
