package main

import (
	"encoding/json"
	"testing"
)

const input = `{
  "now": "2026-01-05T13:00:00.000000001Z",
  "reading": "guaranteed",
  "targetCQ": "gpu",
  "clusterQueues": [{"metadata": {"name": "gpu"}, "spec": {
    "preemption": {
      "withinClusterQueue": "LowerOrNewerEqualPriority",
      "withinClusterQueueConfig": {"minAdmitDuration": "4h"}},
    "resourceGroups": [{"coveredResources": ["nvidia.com/gpu"], "flavors": [
      {"name": "a100", "resources": [{"name": "nvidia.com/gpu", "nominalQuota": 1}]}]}]}}],
  "admitted": [{
    "metadata": {"namespace": "ml", "name": "old", "uid": "1", "creationTimestamp": "2026-01-05T08:00:00Z"},
    "spec": {"priority": 100, "podSets": [{"name": "main", "count": 1, "template": {"spec": {"containers": [
      {"name": "c", "resources": {"requests": {"nvidia.com/gpu": 1}}}]}}}]},
    "status": {
      "conditions": [{"type": "QuotaReserved", "status": "True", "reason": "QuotaReserved", "message": "",
        "lastTransitionTime": "2026-01-05T09:00:00Z"}],
      "admission": {"clusterQueue": "gpu", "podSetAssignments": [
        {"name": "main", "count": 1, "flavors": {"nvidia.com/gpu": "a100"}, "resourceUsage": {"nvidia.com/gpu": 1}}]}}}],
  "incoming": {
    "metadata": {"namespace": "ml", "name": "new", "uid": "2", "creationTimestamp": "2026-01-05T10:00:00Z"},
    "spec": {"priority": 100, "podSets": [{"name": "main", "count": 1, "template": {"spec": {"containers": [
      {"name": "c", "resources": {"requests": {"nvidia.com/gpu": 1}}}]}}}]}}
}`

func TestAnEqualLeavesAfterItsTime(t *testing.T) {
	oracle, err := Start()
	if err != nil {
		t.Skipf("no tenure here: %v", err)
	}
	defer oracle.Close()
	said, err := oracle.Ask(json.RawMessage(input))
	if err != nil {
		t.Fatal(err)
	}
	// Here comes what your own scheduler decides about the same objects.
	want := "ml/old"
	if said.Decision != "Preempt" || said.Preempted[0].Workload != want {
		t.Fatalf("the oracle says %+v", said)
	}
	t.Logf("%s is preempted: %s, by %v", want, said.Preempted[0].Reason, said.Preempted[0].Rules)
}
