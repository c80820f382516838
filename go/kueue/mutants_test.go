//go:build !kueue018

package main

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	dropIn  = "preemption/kueue_test.go"
	inKueue = "pkg/scheduler/preemption"
)

// mutant is one token of a function of Kueue's preemption that is another one.
type mutant struct {
	name     string
	file     string
	function string
	found    string
	put      string
}

var mutants = []mutant{
	{"equal priority counts as lower", "common/preemption_policy.go", "SatisfiesPreemptionPolicy", ">", ">="},
	{"candidates are not ordered by when their quota was reserved", "common/ordering.go", "quotaReservationTime", "==", "!="},
	{"evicted candidates of other queues do not go before the rest", "classical/candidate_generator.go", "splitEvicted", "!", ""},
	{"the first candidate is never given its quota back", "preemption.go", "fillBackWorkloads", ">=", ">"},
	{"the borrowing threshold is exceeded by what equals it", "classical/hierarchical_preemption.go", "isAboveBorrowingThreshold", ">", ">="},
	{"every attempt with borrowing passes over other queues", "classical/candidate_generator.go", "candidateIsValid", "&&", "||"},
	{"a final share may not be equal", "fairsharing/strategy.go", "LessThanOrEqualToFinalShare", "<=", "<"},
}

// TestMutantsOfKueueAreCaught: the file that a maintainer drops in passes in a copy of the release, and fails in each
// copy with one mistake.
func TestMutantsOfKueueAreCaught(t *testing.T) {
	if testing.Short() {
		t.Skip("builds Kueue's tests for each of them")
	}
	checkout := copyOfKueue(t)
	if failed, output := dropped(t, checkout); len(failed) > 0 {
		t.Fatalf("the release itself: %v\n%s", failed, output)
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			file := filepath.Join(checkout, inKueue, m.file)
			original, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { write(t, file, original) })
			write(t, file, m.applied(t, original))
			failed, output := dropped(t, checkout)
			if len(failed) == 0 {
				t.Fatalf("no vector fails\n%s", output)
			}
			t.Logf("caught by %d vectors: %s", len(failed), strings.Join(failed, ", "))
		})
	}
}

// copyOfKueue is the linked release in a folder of its own, with the file dropped in.
func copyOfKueue(t *testing.T) string {
	t.Helper()
	listed, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", kueueModule).Output()
	if err != nil {
		t.Fatal(err)
	}
	checkout := filepath.Join(t.TempDir(), "kueue")
	if err := os.CopyFS(checkout, os.DirFS(strings.TrimSpace(string(listed)))); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(dropIn)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(checkout, inKueue, filepath.Base(dropIn)), file)
	return checkout
}

func write(t *testing.T, file string, content []byte) {
	t.Helper()
	if err := os.WriteFile(file, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

var failedVector = regexp.MustCompile(`(?m)^ +--- FAIL: TestPublishedVectors(?:InOrder)?/(\S+)`)

// dropped are the vectors that fail in a checkout; a test that fails without any is a fault of this one.
func dropped(t *testing.T, checkout string) (failed []string, output string) {
	t.Helper()
	command := exec.Command("go", "test", "-vet=off", "-run", "^TestPublishedVectors", "./"+inKueue)
	command.Dir = checkout
	command.Env = append(os.Environ(), "GOWORK=off")
	printed, err := command.CombinedOutput()
	for _, match := range failedVector.FindAllSubmatch(printed, -1) {
		if vector := string(match[1]); !slices.Contains(failed, vector) {
			failed = append(failed, vector)
		}
	}
	if err != nil && len(failed) == 0 {
		t.Fatalf("%v\n%s", err, printed)
	}
	return failed, string(printed)
}

// applied is the file with the first such token of the function replaced.
func (m mutant) applied(t *testing.T, original []byte) []byte {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, m.file, original, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, declaration := range parsed.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok || function.Name.Name != m.function {
			continue
		}
		begins, ends := files.Position(function.Pos()).Offset, files.Position(function.End()).Offset
		var tokens scanner.Scanner
		body := original[begins:ends]
		tokens.Init(token.NewFileSet().AddFile("", 1, len(body)), body, nil, 0)
		for {
			at, found, _ := tokens.Scan()
			if found == token.EOF {
				break
			}
			if found.String() == m.found {
				place := begins + int(at) - 1
				return append(append(append([]byte{}, original[:place]...), m.put...), original[place+len(m.found):]...)
			}
		}
	}
	t.Fatalf("%s of %s has no %s: Kueue has changed", m.function, m.file, m.found)
	return nil
}
