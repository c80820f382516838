//go:build !kueue018

package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"
)

// TestAVictimWithinNominalIsAdmittedFirst: the two cycles of scenario kueue-14543-within-nominal after each other. The first
// preempts for a queue that is within its nominal CPUs; in the second the victim has the lower share, by memory.
func TestAVictimWithinNominalIsAdmittedFirst(t *testing.T) {
	lines, err := os.ReadFile("testdata/within-nominal.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	found := []string{}
	for line := range bytes.Lines(lines) {
		a := newServer(1).answer(line)
		if a.Error != nil {
			t.Fatal(a.Error)
		}
		for _, head := range a.Output.(*cycleOutput).Heads {
			found = append(found, fmt.Sprintf("%s %s %d", head.Workload, head.Status, len(head.Preempted)))
		}
	}
	want := []string{"default/a-1  1", "default/b-1 assumed 0", "default/a-1 skipped 0"}
	if !slices.Equal(found, want) {
		t.Errorf("found %q, expected %q", found, want)
	}
}
