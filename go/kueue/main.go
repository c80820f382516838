// Command kueue-peer answers "whom does Kueue preempt?" with a released Kueue itself.
//
// It is a peer for differential tests: it builds Kueue's own scheduler cache and snapshot from one
// scenario, runs Kueue's own flavor assigner and preemptor, and says what they decided. It holds no
// rule of its own. The README beside this file describes the lines it reads and writes.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

const usage = `kueue-peer: Kueue's own preemption decisions, as JSON lines.

Reads one request a line on standard input, writes one answer a line, in order, until end of input:

  {"id": 1, "call": "decide", "input": {"now": "...", "clusterQueues": [...], ...}}
  {"id": 2, "call": "version"}

A bad line gets {"id": ..., "error": {"code", "message", "field"}} and the loop goes on.

Flags:
`

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main without the process around it, so that tests can call it.
func run(args []string, in io.Reader, out, diagnostics io.Writer) int {
	flags := flag.NewFlagSet("kueue-peer", flag.ContinueOnError)
	flags.SetOutput(diagnostics)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	repeat := flags.Int("repeat", 1, "rebuild and decide every request `N` times, to find what Kueue leaves to chance")
	version := flags.Bool("version", false, "print the version of Kueue as a JSON line, and end")
	switch err := flags.Parse(args); {
	case err == flag.ErrHelp:
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0 || *repeat < 1:
		fmt.Fprintln(diagnostics, "kueue-peer: takes no arguments, and --repeat is at least 1; see --help")
		return 2
	}
	silence()
	debug.SetGCPercent(400) // every request leaves much garbage, and little is kept
	server := newServer(*repeat)
	if *version {
		server.write(out, answer{Output: versionOutput{Kueue: kueueVersion()}})
		return 0
	}
	if err := server.serve(in, out); err != nil {
		fmt.Fprintln(diagnostics, "kueue-peer:", err)
		return 1
	}
	return 0
}

// silence drops Kueue's logs: writing them would cost more than deciding.
func silence() {
	klog.SetLogger(logr.Discard())
	ctrl.SetLogger(logr.Discard())
}
