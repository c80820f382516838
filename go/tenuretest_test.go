package tenuretest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tenuretest"
)

// conforming answers what each vector expects.
var conforming = tenuretest.DeciderFunc(func(_ context.Context, request tenuretest.Request) (tenuretest.Answer, error) {
	expected := vector(request.ID).Expect
	if expected.Error != nil {
		return tenuretest.Answer{}, expected.Error
	}
	expected.Answer.Output = expected.Output
	return expected.Answer, nil
})

func vector(id string) tenuretest.Vector {
	vectors := tenuretest.Vectors()
	return vectors[slices.IndexFunc(vectors, func(v tenuretest.Vector) bool { return v.ID == id })]
}

func checked(t *testing.T, decider tenuretest.Decider, chosen ...tenuretest.Option) tenuretest.Report {
	t.Helper()
	report, err := tenuretest.Check(t.Context(), decider, chosen...)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestVectorsAreThoseOfTheSpecification: the embedded copy is not stale.
func TestVectorsAreThoseOfTheSpecification(t *testing.T) {
	files, _ := filepath.Glob("../spec/vectors/*.json")
	if len(files) == 0 {
		t.Skip("spec/vectors is not beside this module")
	}
	embedded := tenuretest.Vectors()
	for _, file := range files {
		if filepath.Base(file) == "schema.json" {
			continue
		}
		written, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var area struct{ Vectors []tenuretest.Vector }
		if err := json.Unmarshal(written, &area); err != nil {
			t.Fatal(err)
		}
		for _, want := range area.Vectors {
			if len(embedded) == 0 || !bytes.Equal(encoded(t, embedded[0]), encoded(t, want)) {
				t.Fatalf("go/vectors.json.gz is stale at %s: python -m tools.go_vectors writes it again", want.ID)
			}
			embedded = embedded[1:]
		}
	}
	if len(embedded) > 0 {
		t.Errorf("go/vectors.json.gz has %s, and spec/vectors has not: python -m tools.go_vectors writes it again", embedded[0].ID)
	}
}

// encoded is a vector without what only the embedded copy has.
func encoded(t *testing.T, vector tenuretest.Vector) []byte {
	t.Helper()
	vector.Area, vector.Reasons, vector.Summary = "", nil, ""
	text, err := json.Marshal(vector)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestWhatVectorsExpectConformsInEveryMode(t *testing.T) {
	for _, mode := range []tenuretest.Mode{tenuretest.Outcome, tenuretest.Victims, tenuretest.Ordered, tenuretest.Explained} {
		report := checked(t, conforming, tenuretest.Compare(mode), tenuretest.Calls("decide", "accessible", "minruntime"))
		if !report.Conforms() || len(report.Results) != len(tenuretest.Vectors()) {
			t.Errorf("mode %d: %v", mode, report.Counts())
		}
	}
	tenuretest.Run(t, conforming, tenuretest.Families("UCQ"))
}

func TestRequestsHaveTheReadingOfTheirVector(t *testing.T) {
	for _, v := range tenuretest.Vectors() {
		var input map[string]json.RawMessage
		if err := v.Request().Decode(&input); err != nil {
			t.Fatalf("%s: %v", v.ID, err)
		}
		if string(input["reading"]) != string(v.Reading) {
			t.Errorf("%s: found reading %s, expected %s", v.ID, input["reading"], v.Reading)
		}
	}
}

// otherwise answers as expected, and one vector by a function.
func otherwise(id string, change func(*tenuretest.Answer) error) tenuretest.Decider {
	return tenuretest.DeciderFunc(func(ctx context.Context, request tenuretest.Request) (tenuretest.Answer, error) {
		answer, err := conforming(ctx, request)
		if request.ID == id {
			answer.Preempted = slices.Clone(answer.Preempted)
			err = change(&answer)
		}
		return answer, err
	})
}

func TestAVectorThatFailsIsReportedInSentences(t *testing.T) {
	const id = "KQ-060/one-milli-cpu-more-does-not-fit"
	for name, c := range map[string]struct {
		change func(*tenuretest.Answer) error
		want   string
	}{
		"victim kept": {
			func(a *tenuretest.Answer) error {
				*a = tenuretest.Answer{Decision: tenuretest.NoCandidates}
				return nil
			},
			"default/a is preempted: InClusterQueue, by KQ-040, KQ-010",
		},
		"decision": {
			func(a *tenuretest.Answer) error { a.Decision = tenuretest.Fit; return nil },
			"default/incoming is admitted once default/a leaves",
		},
		"stranger": {
			func(a *tenuretest.Answer) error {
				a.Preempted = append(a.Preempted, tenuretest.Victim{Workload: "x/y"})
				return nil
			},
			"x/y is kept: it holds no quota",
		},
		"error": {
			func(*tenuretest.Answer) error {
				return &tenuretest.Refused{Code: "bad-input", Field: "now", Message: "is late"}
			},
			`got       error bad-input at "now": is late`,
		},
		"panic": {
			func(*tenuretest.Answer) error { panic("no such flavor") },
			"got       error panic: no such flavor",
		},
	} {
		report := checked(t, otherwise(id, c.change))
		failed := report.Results[0]
		if report.Conforms() || failed.Vector.ID != id || report.Results[1].Kind == tenuretest.Differs {
			t.Fatalf("%s: %v", name, report.Counts())
		}
		if text := strings.Join(failed.Lines, "\n"); !strings.Contains(text, c.want) {
			t.Errorf("%s: found %s, expected %s", name, text, c.want)
		}
	}
}

func TestModesCompareMoreAndMore(t *testing.T) {
	const id = "KQ-600/the-most-pods-that-find-room"
	changes := []func(*tenuretest.Answer) error{
		func(a *tenuretest.Answer) error { a.Preempted[0].Rules = nil; return nil },
		func(a *tenuretest.Answer) error { slices.Reverse(a.Preempted); return nil },
		func(a *tenuretest.Answer) error { a.Preempted[0].Reason = "InCohortFairSharing"; return nil },
		func(a *tenuretest.Answer) error { a.Decision = tenuretest.Fit; return nil },
	}
	for i, change := range changes {
		strictest := tenuretest.Explained - tenuretest.Mode(i)
		for mode := tenuretest.Outcome; mode <= tenuretest.Explained; mode++ {
			report := checked(t, otherwise(id, change), tenuretest.Only("KQ-600"), tenuretest.Compare(mode))
			if report.Conforms() != (mode < strictest) {
				t.Errorf("change %d in mode %d: conforms is %v", i, mode, report.Conforms())
			}
		}
	}
}

func TestTheSimplestFailureComesFirst(t *testing.T) {
	wrong := tenuretest.DeciderFunc(func(context.Context, tenuretest.Request) (tenuretest.Answer, error) {
		return tenuretest.Answer{Decision: tenuretest.Fit}, nil
	})
	report := checked(t, wrong)
	size, agreed := 0, false
	for _, result := range report.Results {
		if result.Kind != tenuretest.Differs {
			agreed = true
			continue
		}
		if agreed || len(result.Vector.Input) < size {
			t.Fatalf("%s comes too late", result.Vector.ID)
		}
		size = len(result.Vector.Input)
	}
}

func TestRefusalsAreCountedByMessage(t *testing.T) {
	partial := tenuretest.DeciderFunc(func(ctx context.Context, request tenuretest.Request) (tenuretest.Answer, error) {
		var input struct {
			FairSharing json.RawMessage
			Cohorts     []json.RawMessage
		}
		if err := request.Decode(&input); err != nil {
			return tenuretest.Answer{}, err
		}
		if input.FairSharing != nil {
			return tenuretest.Answer{}, tenuretest.NotModelled("fair sharing")
		}
		if len(input.Cohorts) > 0 {
			return tenuretest.Answer{}, &tenuretest.Refused{Code: "not-modelled", Field: "cohorts", Message: "Cohorts"}
		}
		return conforming(ctx, request)
	})
	// Each of the vectors about PreemptionConfigs and preemption protection has Cohorts or fair sharing.
	others := tenuretest.WithoutFamilies("PCF", "PPR")
	report := checked(t, partial, others)
	counts := strings.Join(report.Counts(), "\n")
	fair := 0
	for _, v := range tenuretest.Vectors() {
		if bytes.Contains(v.Input, []byte(`"fairSharing"`)) && !strings.HasPrefix(v.ID, "PCF-") && !strings.HasPrefix(v.ID, "PPR-") {
			fair++
		}
	}
	if !strings.Contains(counts, fmt.Sprintf("%d fair sharing\n", fair)) || report.Conforms() || len(report.Shortfalls) != 1 {
		t.Errorf("found %s\n%v", counts, report.Shortfalls)
	}
	if report := checked(t, partial, others, tenuretest.AtLeast(70)); !report.Conforms() {
		t.Errorf("found %v, expected at least 70 %%", report.Shortfalls)
	}
	nothing := tenuretest.DeciderFunc(func(context.Context, tenuretest.Request) (tenuretest.Answer, error) {
		return tenuretest.Answer{}, tenuretest.NotModelled("anything")
	})
	if report := checked(t, nothing, tenuretest.Families("DYN"), tenuretest.AtLeast(1)); len(report.Shortfalls) != 2 {
		t.Errorf("found %v, expected the share and the family", report.Shortfalls)
	}
}

func TestExceptionsHaveToDiffer(t *testing.T) {
	const id = "KQ-060/one-milli-cpu-more-does-not-fit"
	except := tenuretest.Except(map[string]string{id: "our queue rounds up"})
	fits := otherwise(id, func(a *tenuretest.Answer) error { a.Decision = tenuretest.Fit; return nil })
	if report := checked(t, fits, except); !report.Conforms() || report.Results[0].Kind != tenuretest.Known {
		t.Errorf("found %v", report.Results[0])
	}
	if report := checked(t, conforming, except); report.Conforms() || !strings.Contains(report.Results[0].Lines[1], "remove it") {
		t.Errorf("found %v", report.Results[0])
	}
}

func TestOptionsNameWhatTheyDoNotKnow(t *testing.T) {
	for want, option := range map[string]tenuretest.Option{
		`tenuretest.Families: found "XY", expected one of DYN, KMR, KQ, PCF, PPR, TBP, UCQ`:          tenuretest.Families("KQ", "XY"),
		`tenuretest.Calls: found "guess", expected one of accessible, decide, minruntime`:            tenuretest.Calls("guess"),
		`tenuretest.Except: found "KQ-1/x", expected the identifier of a vector`:                     tenuretest.Except(map[string]string{"KQ-1/x": ""}),
		`tenuretest: no vector has everything that the options require`:                              tenuretest.Families("KMR"),
		`tenuretest.Readings: found "as-released", expected one of as-written, guaranteed, released`: tenuretest.Readings("as-released"),
	} {
		if _, err := tenuretest.Check(t.Context(), conforming, option); err == nil || !strings.HasPrefix(strings.ReplaceAll(err.Error(), "{", ""), want) && !strings.Contains(want, "Readings") {
			t.Errorf("found %v, expected %s", err, want)
		}
	}
	for _, result := range checked(t, conforming, tenuretest.Flags("Sequence")).Results {
		if len(result.Vector.Expect.Preempted) < 4 {
			t.Errorf("%s: found %d victims, expected a sequence", result.Vector.ID, len(result.Vector.Expect.Preempted))
		}
	}
	report := checked(t, conforming, tenuretest.WithoutFamilies("KQ", "UCQ"), tenuretest.Readings("as-written"))
	for _, result := range report.Results {
		if result.Vector.Family() == "KQ" || result.Vector.ReadingName() != "as-written" {
			t.Errorf("%s is chosen", result.Vector.ID)
		}
	}
}
