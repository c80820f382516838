package main

import (
	"bytes"
	"os"
	"testing"
)

// TestFilesAreMadeOfTodaysSources: what a maintainer of Kueue copies is not stale.
func TestFilesAreMadeOfTodaysSources(t *testing.T) {
	if err := os.Chdir(".."); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		want, err := f.bundle(".")
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(f.output)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is stale: go run ./dropin writes it again", f.output)
		}
	}
}
