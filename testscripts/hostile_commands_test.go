//go:build linux

package testscripts

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

var (
	// wrongCommand allows everything, because exit code 0 means allow.
	wrongCommand = wrong.but("check", "")
	// lostCommand answers nothing. On a busy machine, fuzz may not finish even
	// one input in its time.
	lostCommand = lost.but("check", "").but("fuzz", "2|3")
)

const (
	// outOfTime matches the message about a command that does not end.
	outOfTime = `500ms|out of time|answered no|time was over`
	// tooLong matches the message about a command that prints too much.
	tooLong = `bytes|KiB|MiB|500ms|answered no|time was over`
)

// hostileCommands are the modes of a --command. Its arguments after the folder
// are the file, the agent and the URL.
var hostileCommands = []mode{
	{name: "command-allows", ends: wrongCommand, says: `allow`, fast: "query", program: func(*adapter) {}},
	{name: "command-hangs", ends: lostCommand, says: outOfTime, flags: quick, fast: "query", program: (*adapter).hang},
	{name: "command-spins", ends: lostCommand, says: outOfTime, flags: quick, program: (*adapter).spin},
	{name: "command-exits-with-7", ends: lostCommand, says: `code 7|answered no|time was over`, fast: "run", program: func(*adapter) { os.Exit(7) }},
	{name: "command-kills-itself", ends: lostCommand, says: `signal|answered no|time was over`, program: func(*adapter) { die(syscall.SIGKILL) }},
	{name: "command-stops-itself", ends: lostCommand, says: outOfTime, flags: quick, program: func(*adapter) { die(syscall.SIGSTOP) }},
	{name: "command-prints-a-gigabyte", ends: ends{"", "", "", "", "0|3", ""}, says: tooLong, fast: "query",
		program: func(*adapter) { repeat(os.Stdout, strings.Repeat("x", 64<<10), 1<<30) }},
	{name: "command-logs-a-gigabyte", ends: ends{"", "", "", "", "0|3", ""}, says: tooLong, fast: "query",
		program: func(*adapter) { repeat(os.Stderr, strings.Repeat("x", 64<<10), 1<<30) }},
	{name: "command-prints-without-end", ends: lostCommand, says: tooLong, flags: quick, fast: "scan",
		program: func(*adapter) { repeat(os.Stdout, strings.Repeat("x", 64<<10), 1<<50) }},
	{name: "command-leaves-a-grandchild", ends: wrongCommand, says: `allow`, fast: "scan",
		program: func(a *adapter) { a.spawn("grandchild", false, false) }},
	{name: "command-leaves-a-grandchild-with-pipes", ends: wrongCommand, says: `allow`, fast: "query",
		program: func(a *adapter) { a.spawn("grandchild", false, true) }},
	{name: "command-leaves-a-grandchild-in-another-session", ends: wrongCommand, says: `allow`, fast: "query",
		program: func(a *adapter) { a.spawn("grandchild", true, true) }},
	{name: "command-hangs-beside-a-grandchild", ends: lostCommand, says: outOfTime, flags: quick, fast: "fuzz",
		program: func(a *adapter) { a.spawn("grandchild", true, true); a.hang() }},
	{name: "command-ignores-signals", ends: lostCommand, says: outOfTime, flags: quick,
		program: func(a *adapter) { signal.Ignore(); a.hang() }},
	{name: "command-swallows-memory", ends: lostCommand, says: `memory|answered no|time was over|out of time`, flags: "--memory 200", fast: "query",
		program: (*adapter).swallowMemory},
	{name: "command-grandchild-swallows-memory", ends: lostCommand, says: `memory|answered no|time was over|out of time`, flags: "--memory 200",
		program: func(a *adapter) { a.spawn("memory-grandchild", false, false); a.hang() }},
	{name: "command-prints-escapes", ends: lostCommand, says: `owned|answered no|time was over`, fast: "query run",
		program: func(*adapter) { fmt.Fprint(os.Stderr, escapes, workflow); os.Exit(7) }},
	{name: "command-deletes-its-file", ends: wrongCommand, says: `allow`, fast: "scan",
		program: func(*adapter) { _ = os.Remove(os.Args[3]) }},
	{name: "command-alternates", ends: wrongCommand, says: `allow`,
		program: func(a *adapter) { os.Exit(a.mark("asked") % 2) }},
}
