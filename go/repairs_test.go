package tenuretest_test

import (
	"bytes"

	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"tenuretest"
)

// repaired answers as a repair is expected to.
func repaired(repair string) tenuretest.Decider {
	answers := map[string]tenuretest.Answer{}
	for _, c := range tenuretest.RepairCases() {
		answers[c.ID] = c.Repairs[repair].Answer
	}
	return tenuretest.DeciderFunc(func(_ context.Context, request tenuretest.Request) (tenuretest.Answer, error) {
		return answers[request.ID], nil
	})
}

func checkedRepair(t *testing.T, repair string, decider tenuretest.Decider, chosen ...tenuretest.Option) tenuretest.Report {
	t.Helper()
	report, err := tenuretest.CheckRepair(t.Context(), repair, decider, chosen...)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func victims(answer tenuretest.Answer) []string {
	found := []string{}
	for _, victim := range answer.Preempted {
		found = append(found, victim.Workload+" "+victim.Reason)
	}
	slices.Sort(found)
	return found
}

// TestEachRepairConformsToItselfAndDiffersFromOthersWhereTheyDisagree: none passes for today's search.
func TestEachRepairConformsToItselfAndDiffersFromOthersWhereTheyDisagree(t *testing.T) {
	cases := map[string]tenuretest.RepairCase{}
	for _, c := range tenuretest.RepairCases() {
		cases[c.ID] = c
	}
	for _, repair := range tenuretest.RepairNames() {
		for _, other := range []string{"none", repair} {
			report := checkedRepair(t, repair, repaired(other))
			for _, result := range report.Results {
				c := cases[result.Vector.ID]
				same := slices.Equal(victims(c.Repairs[repair].Answer), victims(c.Repairs[other].Answer))
				if same != (result.Kind == tenuretest.Agrees) {
					t.Errorf("%s, answered as %s: found %s in %s", repair, other, result.Kind, c.ID)
				}
			}
			if report.Conforms() != (repair == other) {
				t.Errorf("%s, answered as %s: conforms is %v", repair, other, report.Conforms())
			}
		}
	}
}

// TestAWrongSearchFails: preempting all workloads of lower priority is no repair.
func TestAWrongSearchFails(t *testing.T) {
	type object struct {
		Metadata struct{ Namespace, Name string }
		Spec     struct{ Priority int32 }
		Status   struct{ Admission struct{ ClusterQueue string } }
	}
	wrong := tenuretest.DeciderFunc(func(_ context.Context, request tenuretest.Request) (tenuretest.Answer, error) {
		var input struct {
			Admitted []object
			Incoming object
		}
		if err := request.Decode(&input); err != nil {
			return tenuretest.Answer{}, err
		}
		answer := tenuretest.Answer{Decision: tenuretest.NoCandidates}
		for _, running := range input.Admitted {
			if running.Spec.Priority < input.Incoming.Spec.Priority {
				answer.Decision = tenuretest.Preempt
				answer.Preempted = append(answer.Preempted, tenuretest.Victim{
					Workload:     running.Metadata.Namespace + "/" + running.Metadata.Name,
					ClusterQueue: running.Status.Admission.ClusterQueue, Reason: "InCohortFairSharing",
				})
			}
		}
		return answer, nil
	})
	report := checkedRepair(t, "post_check", wrong)
	if report.Conforms() {
		t.Fatal("a wrong search conforms")
	}
	for i, result := range report.Results[:5] {
		text := strings.Join(result.Lines, "\n")
		if shown := strings.Contains(text, "--override fair_sharing_repair=post_check\n---\n"); result.Kind != tenuretest.Differs || shown != (i < 3) {
			t.Errorf("%s: found %s", result.Vector.ID, text)
		}
		if !strings.Contains(text, "by brute force ") || !strings.Contains(text, "\nexpected  ") {
			t.Errorf("%s: found %s", result.Vector.ID, text)
		}
	}
	agree := 0
	for _, result := range report.Results {
		if result.Kind == tenuretest.Agrees {
			agree++
		}
	}
	if agree == 0 || len(report.FlagCounts()) < 3 {
		t.Errorf("found %d that agree, %v", agree, report.FlagCounts())
	}
}

func TestTheCorpusHasEachKindOfCase(t *testing.T) {
	kinds := map[string]int{}
	for _, c := range tenuretest.RepairCases() {
		for _, flag := range c.Flags {
			kinds[flag]++
		}
		for name, answer := range c.Repairs {
			solved := slices.Contains(answer.Flags, "Solved")
			if solved && (c.Smallest == nil || len(answer.Preempted) < len(c.Smallest)) {
				t.Errorf("%s: %s has %d victims, expected no fewer than %d", c.ID, name, len(answer.Preempted), len(c.Smallest))
			}
			if slices.Contains(answer.Flags, "Missed") && (c.Smallest == nil || len(answer.Preempted) > 0) {
				t.Errorf("%s: %s misses no set", c.ID, name)
			}
		}
	}
	for _, flag := range []string{"Disagree", "Missed", "Other", "Unsolvable", "Unfair", "TakenBack", "NotNeeded", "More", "Ordinary"} {
		if kinds[flag] == 0 {
			t.Errorf("found no case with flag %s", flag)
		}
	}
}

// isRefused is whether a post check refuses what is found as released.
func isRefused(c tenuretest.RepairCase) bool {
	return len(c.Repairs["none"].Preempted) > 0 && len(c.Repairs["post_check"].Preempted) == 0
}

// TestManifestsAreThoseThatTenureDecides: a test in Python decides the file.
func TestManifestsAreThoseThatTenureDecides(t *testing.T) {
	cases := tenuretest.RepairCases()
	c := cases[slices.IndexFunc(cases, isRefused)]
	text, err := c.Manifests("post_check")
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/repair.yaml"
	written, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(written) {
		t.Errorf("%s: found\n%s\nexpected\n%s", golden, written, text)
	}
	kinds := []string{}
	for _, document := range strings.Split(text, "---\n")[1:] {
		var object struct{ Kind string }
		if err := json.Unmarshal([]byte(document), &object); err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, object.Kind)
	}
	for kind, marker := range map[string]string{"ClusterQueue": `"kind":"ClusterQueue"`, "Workload": `"kind":"Workload"`} {
		found := len(slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return k != kind }))
		if want := bytes.Count(c.Input, []byte(marker)); found != want {
			t.Errorf("found %d of kind %s, expected %d", found, kind, want)
		}
	}
	if kinds[0] != "Configuration" || !slices.Contains(kinds, "LocalQueue") {
		t.Errorf("found %v", kinds)
	}
}

func TestARepairThatIsNotThereIsNamed(t *testing.T) {
	_, err := tenuretest.CheckRepair(t.Context(), "pre_check", repaired("none"))
	if err == nil || !strings.Contains(err.Error(), `found repair "pre_check", expected one of guarded_fill_back, `) {
		t.Errorf("found %v", err)
	}
	tenuretest.RunRepair(t, "none", repaired("none"), tenuretest.Flags("TakenBack"))
}
