package main

import (
	"bytes"
	"os"
	"testing"
)

// TestTheFileIsMadeOfTodaysSources: what a maintainer of Kueue copies is not stale.
func TestTheFileIsMadeOfTodaysSources(t *testing.T) {
	if err := os.Chdir(".."); err != nil {
		t.Fatal(err)
	}
	want, err := bundle(".")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale: go run ./dropin writes it again", output)
	}
}
