package tenuretest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
)

// mostShown failures of a repair have their scenario as manifests; with Only any one has.
const mostShown = 3

// RepairCase is a search under fair sharing in which the repairs of kueue#14543 can be compared.
type RepairCase struct {
	// ID is FSR, or FSR2 where workloads may request one of two resources alone, the seed, a slash, and the number of
	// the random scenario: FSR-1/123.
	ID string `json:"id"`
	// Flags say why the case exists: Disagree where the repairs do not all preempt the same workloads, or what is
	// counted of one of them; Ordinary where there is nothing of the kind.
	Flags []string        `json:"flags"`
	Input json.RawMessage `json:"input"`
	// Smallest is the smallest valid set of victims, found by trying all sets; nil where no set is valid.
	Smallest []string `json:"smallest"`
	// Repairs has what each repair decides, by its name; "none" is Kueue as released.
	Repairs map[string]RepairAnswer `json:"repairs"`
}

// RepairAnswer is what a repair decides, and what is counted of it.
type RepairAnswer struct {
	Answer
	// Flags are Solved: the set of victims is valid; Missed: none is found, though one is valid; Other: it is not
	// valid, though another is; Unsolvable: it is not valid, and none is; Unfair: a victim is unfair in the end;
	// TakenBack: a victim takes its quota back in one step; NotNeeded: a victim could be given its quota back;
	// More: it is larger than the smallest.
	Flags []string `json:"flags"`
}

// RepairCases returns the published corpus, by number.
func RepairCases() []RepairCase { return slices.Clone(repairCases()) }

var repairCases = sync.OnceValue(func() []RepairCase {
	var corpus struct{ Scenarios []RepairCase }
	if err := decode(publishedRepairs, &corpus); err != nil {
		panic(fmt.Sprintf("tenuretest: the embedded repairs: %v", err))
	}
	return corpus.Scenarios
})

// RepairNames returns the names of the repairs, sorted.
func RepairNames() []string { return slices.Sorted(maps.Keys(repairCases()[0].Repairs)) }

// Vector is the case as a vector whose answer is that of a repair, with the flags of that repair, and Disagree or
// Ordinary where the case has it.
func (c RepairCase) Vector(repair string) Vector {
	answer := c.Repairs[repair]
	flags := slices.Clone(answer.Flags)
	for _, flag := range []string{"Disagree", "Ordinary"} {
		if slices.Contains(c.Flags, flag) {
			flags = append(flags, flag)
		}
	}
	smallest := "no set of victims is valid"
	if c.Smallest != nil {
		smallest = "the smallest valid set of victims is " + strings.Join(c.Smallest, ", ")
	}
	return Vector{
		ID:      c.ID,
		Area:    "repairs",
		Flags:   flags,
		Comment: fmt.Sprintf("%s: %s; by brute force %s.", repair, strings.Join(flags, ", "), smallest),
		Reading: json.RawMessage(fmt.Sprintf(`{"preset":"released","fair_sharing_repair":%q}`, repair)),
		Call:    "decide",
		Input:   c.Input,
		Expect:  Expected{Answer: answer.Answer},
	}
}

// Manifests is the case as YAML, with the command by which Tenure decides it as a repair does.
func (c RepairCase) Manifests(repair string) (string, error) {
	var input struct {
		Now                                               string
		FeatureGates, FairSharing                         json.RawMessage
		ResourceFlavors, Cohorts, ClusterQueues, Admitted []json.RawMessage
		Incoming                                          map[string]any
		TargetCQ                                          string
	}
	if err := json.Unmarshal(c.Input, &input); err != nil {
		return "", fmt.Errorf("%s: %w", c.ID, err)
	}
	metadata, spec := input.Incoming["metadata"].(map[string]any), input.Incoming["spec"].(map[string]any)
	spec["queueName"] = "main"
	documents := []any{map[string]any{
		"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
		"featureGates": input.FeatureGates, "fairSharing": input.FairSharing,
	}}
	for _, objects := range [][]json.RawMessage{input.ResourceFlavors, input.Cohorts, input.ClusterQueues} {
		documents = append(documents, anyOf(objects)...)
	}
	documents = append(documents, map[string]any{
		"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueue",
		"metadata": map[string]any{"name": "main", "namespace": metadata["namespace"]},
		"spec":     map[string]any{"clusterQueue": input.TargetCQ},
	})
	documents = append(append(documents, anyOf(input.Admitted)...), input.Incoming)
	var text strings.Builder
	fmt.Fprintf(&text, "# %s: tenure decide FILE -w %s/%s --now %s --reading released --override fair_sharing_repair=%s\n",
		c.ID, metadata["namespace"], metadata["name"], input.Now, repair)
	for _, document := range documents {
		line, err := json.Marshal(document)
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.ID, err)
		}
		fmt.Fprintf(&text, "---\n%s\n", line)
	}
	return text.String(), nil
}

func anyOf(objects []json.RawMessage) []any {
	found := []any{}
	for _, object := range objects {
		found = append(found, object)
	}
	return found
}

// CheckRepair decides the corpus as a repair of kueue#14543. Options choose cases, as they choose vectors.
//
// The error is that of a repair or an option that does not exist.
func CheckRepair(ctx context.Context, repair string, decider Decider, chosen ...Option) (Report, error) {
	if !slices.Contains(RepairNames(), repair) {
		return Report{}, fmt.Errorf("tenuretest: found repair %q, expected one of %s", repair, strings.Join(RepairNames(), ", "))
	}
	cases, vectors := map[string]RepairCase{}, []Vector{}
	for _, c := range repairCases() {
		cases[c.ID] = c
		vectors = append(vectors, c.Vector(repair))
	}
	report, err := checked(ctx, decider, vectors, chosen)
	if err != nil {
		return Report{}, err
	}
	for i := range report.Results[:min(mostShown, len(report.Results))] {
		result := &report.Results[i]
		if result.Kind != Differs {
			break
		}
		manifests, err := cases[result.Vector.ID].Manifests(repair)
		if err != nil {
			return Report{}, err
		}
		result.Lines = append(result.Lines, manifests)
	}
	return report, nil
}

// FlagCounts are lines: for each flag, how many vectors with it agree.
func (r Report) FlagCounts() []string {
	all, agree := map[string]int{}, map[string]int{}
	for _, result := range r.Results {
		for _, flag := range result.Vector.Flags {
			all[flag]++
			if result.Kind == Agrees {
				agree[flag]++
			}
		}
	}
	lines := []string{}
	for _, flag := range slices.Sorted(maps.Keys(all)) {
		lines = append(lines, fmt.Sprintf("  %6d of %d %s agree", agree[flag], all[flag], flag))
	}
	return lines
}

// RunRepair decides the corpus as a repair of kueue#14543, and fails the test where a decision is not that of the
// repair. Each case is a subtest; failures come first, the simplest of them first, and the first few with the
// scenario as manifests, which Tenure decides by the command that they begin with.
func RunRepair(t *testing.T, repair string, decider Decider, chosen ...Option) {
	t.Helper()
	report, err := CheckRepair(t.Context(), repair, decider, chosen...)
	if err != nil {
		t.Fatal(err)
	}
	reported(t, report)
	t.Log(strings.Join(report.FlagCounts(), "\n"))
}
