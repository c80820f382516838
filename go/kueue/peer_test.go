package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// preempts is one full ClusterQueue of 4 cpu, and a pending workload of higher priority.
const preempts = `{"id": 1, "call": "decide", "repeat": 3, "input": {
	"now": "2026-03-02T14:00:00Z", "featureGates": {"NoSuchGate": true, "PriorityBoost": true},
	"clusterQueues": [{"metadata": {"name": "q"}, "spec": {
		"preemption": {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Never"},
		"resourceGroups": [{"coveredResources": ["cpu"], "flavors": [
			{"name": "f", "resources": [{"name": "cpu", "nominalQuota": "4"}]}]}]}}],
	"resourceFlavors": [{"metadata": {"name": "f"}}],
	"admitted": [{"metadata": {"namespace": "ns", "name": "low"}, "spec": {"priority": 0, "podSets": [{"name": "main", "count": 1}]},
		"status": {"conditions": [{"type": "QuotaReserved", "status": "True", "lastTransitionTime": "2026-03-02T09:00:00Z"}],
			"admission": {"clusterQueue": "q", "podSetAssignments": [{"name": "main", "flavors": {"cpu": "f"}, "resourceUsage": {"cpu": "4"}}]}}}],
	"incoming": {"metadata": {"namespace": "ns", "name": "next"}, "spec": {"priority": 1, "podSets": [{"name": "main", "count": 1,
		"template": {"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}]}}}]}},
	"targetCQ": "q", "assignment": null}}`

func TestAnswersInOrder(t *testing.T) {
	fits := strings.Replace(preempts, `"nominalQuota": "4"`, `"nominalQuota": "6"`, 1)
	given := strings.Replace(preempts, `"assignment": null`,
		`"assignment": {"podSets": [{"name": "main", "count": 1, "flavors": {"cpu": {"flavor": "f", "mode": "Preempt"}}}]}`, 1)
	noFlavor := strings.Replace(preempts, `"assignment": null`, `"assignment": {"podSets": [{"name": "main", "count": 1, "flavors": {}}]}`, 1)
	inactive := strings.Replace(preempts, `"resourceFlavors": [{"metadata": {"name": "f"}}]`, `"resourceFlavors": []`, 1)
	badObject := strings.Replace(preempts, `"priority": 0`, `"priority": "high"`, 1)
	cyclic := strings.Replace(strings.Replace(preempts, `"spec": {
		"preemption"`, `"spec": {"cohortName": "a",
		"preemption"`, 1), `"resourceFlavors"`, `"cohorts": [
		{"metadata": {"name": "a"}, "spec": {"parentName": "b"}}, {"metadata": {"name": "b"}, "spec": {"parentName": "a"}}], "resourceFlavors"`, 1)
	panics := strings.Replace(preempts, `"admission": {`, `"notAdmission": {`, 1)
	want := []struct{ line, decision, code string }{
		{preempts, "Preempt", ""},
		{fits, "Fit", ""},
		{`{"id": 2, "call": `, "", codeBadJSON},
		{given, "Preempt", ""},
		{noFlavor, "NoFit", ""},
		{inactive, "", codeInactiveQueue},
		{cyclic, "", codeInactiveQueue},
		{badObject, "", codeBadInput},
		{panics, "", codePanic},
		{`{"id": "x", "call": "guess"}`, "", codeUnknownCall},
		{preempts, "Preempt", ""},
	}
	var in, out bytes.Buffer
	for _, w := range want {
		in.WriteString(strings.ReplaceAll(w.line, "\n", " ") + "\n")
	}
	if status := run(nil, &in, &out, &bytes.Buffer{}); status != 0 {
		t.Fatalf("status %d", status)
	}
	answers := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	if len(answers) != len(want) {
		t.Fatalf("%d answers to %d lines", len(answers), len(want))
	}
	for i, line := range answers {
		var got struct {
			Output decideOutput
			Error  problem
		}
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatal(err)
		}
		if got.Output.Decision != want[i].decision || got.Error.Code != want[i].code {
			t.Errorf("line %d: %s", i, line)
		}
		if want[i].decision == "Preempt" {
			checkTarget(t, got.Output)
		}
	}
}

func checkTarget(t *testing.T, got decideOutput) {
	t.Helper()
	target := preempted{Workload: "ns/low", ClusterQueue: "q", Reason: "InClusterQueue"}
	if !slices.Equal(got.Preempted, []preempted{target}) || !got.Stable || len(got.Variants) != 0 {
		t.Errorf("got %+v", got)
	}
	if !slices.Equal(got.UnknownGates, []string{"NoSuchGate"}) {
		t.Errorf("unknown gates %v", got.UnknownGates)
	}
}

// TestTimesWhatItDecides: a time request reports the targets of a decide request, and how often it asked.
func TestTimesWhatItDecides(t *testing.T) {
	timed := strings.Replace(preempts, `"call": "decide", "repeat": 3`, `"call": "time", "seconds": 0.001`, 1)
	derived := strings.ReplaceAll(timed, "\n", " ")
	given := strings.Replace(derived, `"assignment": null`,
		`"assignment": {"podSets": [{"name": "main", "count": 1, "flavors": {"cpu": {"flavor": "f", "mode": "Preempt"}}}]}`, 1)
	s := newServer(1)
	if a := s.answer([]byte(derived)); a.Error == nil || a.Error.Field != "assignment" {
		t.Errorf("a time request without assignment: %+v", a)
	}
	a := s.answer([]byte(given))
	if a.Error != nil {
		t.Fatal(a.Error)
	}
	got := a.Output.(*timeOutput)
	target := preempted{Workload: "ns/low", ClusterQueue: "q", Reason: "InClusterQueue"}
	if !slices.Equal(got.Preempted, []preempted{target}) || got.Runs < fewestRuns {
		t.Errorf("got %+v", got)
	}
	if got.LeastNs <= 0 || got.MedianNs < got.LeastNs || got.MedianCPU < got.LeastCPU {
		t.Errorf("times do not go together: %+v", got)
	}
}

// TestGatesDoNotLeak: what one request sets, the next one does not see.
func TestGatesDoNotLeak(t *testing.T) {
	g := newGates()
	for _, wanted := range []map[string]bool{{"PriorityBoost": true}, nil} {
		if _, err := g.apply(wanted); err != nil {
			t.Fatal(err)
		}
		if g.current["PriorityBoost"] != wanted["PriorityBoost"] {
			t.Errorf("after %v: PriorityBoost is %v", wanted, g.current["PriorityBoost"])
		}
	}
}

// TestCycle: one cycle of the real scheduler, with a head that preempts, and one that is like it and waits behind.
func TestCycle(t *testing.T) {
	line := strings.Replace(strings.ReplaceAll(preempts, "\n", " "), `"call": "decide"`, `"call": "cycle"`, 1)
	incoming := line[strings.Index(line, `"incoming": `)+len(`"incoming": `) : strings.Index(line, `, 	"targetCQ"`)]
	queued := strings.Replace(incoming, `"spec": {`, `"spec": {"queueName": "main", `, 1)
	behind := strings.Replace(queued, `"name": "next"`, `"name": "behind"`, 1)
	line = strings.Replace(line, `"incoming": `+incoming, `"localQueues": [{"metadata": {"namespace": "ns", "name": "main"},
		"spec": {"clusterQueue": "q"}}], "pending": [`+queued+`, `+strings.Replace(behind, `"priority": 1`, `"priority": 0`, 1)+`]`, 1)
	line = strings.ReplaceAll(line, `"spec": { 		"preemption"`, `"spec": {"namespaceSelector": {}, "queueingStrategy": "BestEffortFIFO", "preemption"`)
	a := newServer(1).answer([]byte(strings.ReplaceAll(line, "\n", " ")))
	if a.Error != nil {
		t.Fatal(a.Error)
	}
	got := a.Output.(*cycleOutput)
	if len(got.Heads) != 1 || !got.Stable || len(got.Refused) != 0 {
		t.Fatalf("got %+v", got)
	}
	head, target := got.Heads[0], preempted{Workload: "ns/low", ClusterQueue: "q", Reason: "InClusterQueue"}
	if head.Workload != "ns/next" || head.Mode != "Preempt" || !head.InHeap || !slices.Equal(head.Preempted, []preempted{target}) {
		t.Errorf("got %+v", head)
	}
}
