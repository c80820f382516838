// Package peer answers "who is protected?" with the MinRuntime plugin of KAI-Scheduler itself.
//
// It is a peer for differential tests. It builds queues and jobs of the scheduler's own types from one
// case, opens a session of the plugin, and says what the plugin answered. It holds no rule of its own.
// The README beside this file describes the lines it reads and writes.
//
// The plugin asks the clock itself, so every case runs in a bubble of testing/synctest, whose clock stands
// still until it is moved. That needs a test: the program is a test binary, built with go test -c.
package peer
