package tenuretest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// Option chooses vectors, or how answers are compared.
type Option func(*options)

type options struct {
	mode     Mode
	atLeast  int
	except   map[string]string
	restrict []restriction
}

// restriction keeps vectors by one of their properties.
type restriction struct {
	name    string
	values  []string
	keeps   bool
	holds   func(vector Vector, value string) bool
	example func(vector Vector) string
}

// Families keeps the vectors about some families of rules: KQ, TBP, UCQ, DYN, KMR.
func Families(names ...string) Option {
	return restricted("Families", names, true, isOfFamily, Vector.Family)
}

// WithoutFamilies leaves families of rules out.
func WithoutFamilies(names ...string) Option {
	return restricted("WithoutFamilies", names, false, isOfFamily, Vector.Family)
}

// Readings keeps the vectors of some readings; "released" is Kueue as released.
func Readings(names ...string) Option {
	return restricted("Readings", names, true, func(v Vector, name string) bool { return v.ReadingName() == name }, Vector.ReadingName)
}

// Only keeps the vectors whose identifiers begin so: KQ-060, or KQ-060/exactly.
func Only(beginnings ...string) Option {
	begins := func(v Vector, beginning string) bool { return strings.HasPrefix(v.ID, beginning) }
	return restricted("Only", beginnings, true, begins, func(v Vector) string { return v.ID[:strings.Index(v.ID, "/")] })
}

// Flags keeps the vectors with some of these flags.
func Flags(names ...string) Option {
	return restricted("Flags", names, true, func(v Vector, name string) bool { return slices.Contains(v.Flags, name) }, func(v Vector) string { return v.Flags[0] })
}

// Calls keeps the vectors of some calls of the protocol. Without it they are those of decide.
func Calls(names ...string) Option {
	return restricted("Calls", names, true, func(v Vector, name string) bool { return v.Call == name }, func(v Vector) string { return v.Call })
}

// Compare sets how strictly answers are compared; Victims without it.
func Compare(mode Mode) Option { return func(o *options) { o.mode = mode } }

// AtLeast sets the share of vectors, in percent, that has to be answered and not refused as not modelled; 95 without
// it. One of each family has to be answered too, unless it is 0.
func AtLeast(percent int) Option { return func(o *options) { o.atLeast = percent } }

// Except names vectors that are answered otherwise, each with the reason. One that agrees after all is a failure.
func Except(reasons map[string]string) Option {
	return func(o *options) { maps.Copy(o.except, reasons) }
}

func restricted(name string, values []string, keeps bool, holds func(Vector, string) bool, example func(Vector) string) Option {
	return func(o *options) { o.restrict = append(o.restrict, restriction{name, values, keeps, holds, example}) }
}

func isOfFamily(vector Vector, name string) bool { return vector.Family() == name }

func (r restriction) any(vector Vector) bool {
	return slices.ContainsFunc(r.values, func(value string) bool { return r.holds(vector, value) })
}

// check reports a value that no vector has.
func (r restriction) check(vectors []Vector) error {
	for _, value := range r.values {
		if !slices.ContainsFunc(vectors, func(vector Vector) bool { return r.holds(vector, value) }) {
			known := map[string]bool{}
			for _, vector := range vectors {
				known[r.example(vector)] = true
			}
			return fmt.Errorf("tenuretest.%s: found %q, expected one of %s", r.name, value, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
	}
	return nil
}

// Kind is how a vector ended.
type Kind string

const (
	Agrees  Kind = "agree"
	Differs Kind = "differ"
	LeftOut Kind = "not modelled"
	Known   Kind = "differ as listed"
)

// Result is a vector that was decided.
type Result struct {
	Vector Vector
	Kind   Kind
	// Lines are what to read about it: what was expected, what was answered, and why; nothing where both agree.
	Lines []string
}

// Report is what came of all vectors: first those that differ, the simplest of them first.
type Report struct {
	Results []Result
	// Shortfalls are complaints about too many refusals.
	Shortfalls []string
}

// Check decides the chosen vectors.
//
// The error is that of an option: a family, reading, call or vector that does not exist.
func Check(ctx context.Context, decider Decider, chosen ...Option) (Report, error) {
	return checked(ctx, decider, Vectors(), chosen)
}

func checked(ctx context.Context, decider Decider, all []Vector, chosen []Option) (Report, error) {
	o := options{mode: Victims, atLeast: 95, except: map[string]string{}}
	for _, option := range chosen {
		option(&o)
	}
	vectors, err := o.vectors(all)
	if err != nil {
		return Report{}, err
	}
	report := Report{}
	for _, vector := range vectors {
		report.Results = append(report.Results, o.result(ctx, decider, vector))
	}
	slices.SortStableFunc(report.Results, func(a, b Result) int {
		return cmp.Or(cmp.Compare(rank(a.Kind), rank(b.Kind)), simplest(a, b))
	})
	report.Shortfalls = shortfalls(report.Results, o.atLeast)
	return report, nil
}

func rank(kind Kind) int { return slices.Index([]Kind{Differs, Known, LeftOut, Agrees}, kind) }

func (o *options) vectors(all []Vector) ([]Vector, error) {
	if !slices.ContainsFunc(o.restrict, func(r restriction) bool { return r.name == "Calls" }) {
		Calls("decide")(o)
	}
	for _, r := range o.restrict {
		if err := r.check(all); err != nil {
			return nil, err
		}
	}
	for id := range o.except {
		if !slices.ContainsFunc(all, func(vector Vector) bool { return vector.ID == id }) {
			return nil, fmt.Errorf("tenuretest.Except: found %q, expected the identifier of a vector", id)
		}
	}
	kept := slices.DeleteFunc(all, func(vector Vector) bool {
		return slices.ContainsFunc(o.restrict, func(r restriction) bool { return r.any(vector) != r.keeps })
	})
	if len(kept) == 0 {
		return nil, fmt.Errorf("tenuretest: no vector has everything that the options require")
	}
	return kept, nil
}

func (o *options) result(ctx context.Context, decider Decider, vector Vector) Result {
	answer, err := decided(ctx, decider, vector.Request())
	if IsNotModelled(err) {
		return Result{vector, LeftOut, []string{err.Error()}}
	}
	lines := difference(vector, answer, err, o.mode)
	reason, listed := o.except[vector.ID]
	switch {
	case listed && lines == nil:
		return Result{vector, Differs, []string{vector.Comment, "it is listed as different (" + reason + "), and agrees: remove it from the list"}}
	case listed:
		return Result{vector, Known, []string{reason}}
	case lines == nil:
		return Result{vector, Agrees, nil}
	}
	return Result{vector, Differs, lines}
}

// decided is the answer, or the error that a panic amounts to: one vector hides no other.
func decided(ctx context.Context, decider Decider, request Request) (answer Answer, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
		}
	}()
	return decider.Decide(ctx, request)
}

func shortfalls(results []Result, atLeast int) []string {
	given, answered := map[string]int{}, map[string]int{}
	total := 0
	for _, result := range results {
		given[result.Vector.Family()]++
		if result.Kind != LeftOut {
			answered[result.Vector.Family()]++
			total++
		}
	}
	lines := []string{}
	if 100*total < atLeast*len(results) {
		lines = append(lines, fmt.Sprintf("found %d of %d vectors answered, expected at least %d %%: see tenuretest.AtLeast", total, len(results), atLeast))
	}
	for _, family := range slices.Sorted(maps.Keys(given)) {
		if answered[family] == 0 && atLeast > 0 {
			lines = append(lines, fmt.Sprintf("%s: found 0 of %d vectors answered, expected at least one: see tenuretest.WithoutFamilies", family, given[family]))
		}
	}
	return lines
}

// Conforms reports whether nothing differs and enough is answered.
func (r Report) Conforms() bool {
	return len(r.Shortfalls) == 0 && !slices.ContainsFunc(r.Results, func(result Result) bool { return result.Kind == Differs })
}

// Counts are lines: how many vectors ended how, and how many were refused with which message, the most frequent first.
func (r Report) Counts() []string {
	kinds, refusals := map[string]int{}, map[string]int{}
	for _, result := range r.Results {
		kinds[string(result.Kind)]++
		if result.Kind == LeftOut {
			refusals[strings.Join(strings.Fields(result.Lines[0]), " ")]++
		}
	}
	lines := append([]string{fmt.Sprintf("%d vectors", len(r.Results))}, counted(kinds, "  ")...)
	if len(refusals) > 0 {
		lines = append(append(lines, "not modelled, in the scheduler's words"), counted(refusals, "  ")...)
	}
	return lines
}

func counted(counts map[string]int, indent string) []string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	lines := []string{}
	for _, name := range names {
		lines = append(lines, fmt.Sprintf("%s%6d %s", indent, counts[name], name))
	}
	return lines
}

// Run decides the chosen vectors, and fails the test where the scheduler does not conform. Each vector is a subtest;
// failures come first, the simplest of them first, and one that is not modelled is skipped.
func Run(t *testing.T, decider Decider, chosen ...Option) {
	t.Helper()
	report, err := Check(t.Context(), decider, chosen...)
	if err != nil {
		t.Fatal(err)
	}
	reported(t, report)
}

// reported has a subtest for each result, and logs how many ended how.
func reported(t *testing.T, report Report) {
	t.Helper()
	for _, result := range report.Results {
		t.Run(result.Vector.ID, func(t *testing.T) {
			text := strings.Join(result.Lines, "\n")
			switch result.Kind {
			case Differs:
				t.Error(text)
			case LeftOut, Known:
				t.Skip(text)
			}
		})
	}
	for _, shortfall := range report.Shortfalls {
		t.Error(shortfall)
	}
	t.Log(strings.Join(report.Counts(), "\n"))
}
