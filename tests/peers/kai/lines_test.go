package peer

import (
	"bytes"
	"strings"
	"testing"
)

const protected = `{"id": 1, "call": "minruntime", "input": {"op": "filter", "now": "2026-06-01T14:00:00Z",
	"queues": [{"name": "q", "parent": "", "preemptMinRuntime": "10m", "reclaimMinRuntime": null}], "pluginArgs": {},
	"jobs": [{"name": "w", "queue": "q", "lastStart": null, "subGroups": [{"name": "default", "minAvailable": 1, "pods": []}]},
		{"name": "v", "queue": "q", "lastStart": "2026-06-01T13:50:00.000000001Z",
			"subGroups": [{"name": "default", "minAvailable": 1, "pods": [{"name": "p", "status": "Running"}]}]}],
	"action": "preempt", "preemptor": "w", "victim": "v"}}`

// A nanosecond is left of ten minutes; the second time the clock starts anew, and nothing is left.
func TestAnswersInOrderEachWithAClockOfItsOwn(t *testing.T) {
	over := strings.Replace(protected, "13:50:00.000000001Z", "13:50:00Z", 1)
	panics := strings.Replace(protected, `"victim": "v"`, `"victim": "gone"`, 1)
	want := []struct{ line, part string }{
		{protected, `"filter":false,"minRuntimeNs":600000000000,"protected":true`},
		{over, `"filter":true,"minRuntimeNs":600000000000,"protected":false`},
		{`{"id": 2, "call": `, `"code":"bad-json"`},
		{panics, `"code":"panic"`},
		{`{"id": 3, "call": "guess"}`, `"code":"unknown-call"`},
		{`{"id": 4, "call": "minruntime", "input": {"op": "guess"}}`, `"code":"bad-input"`},
		{`{"id": 5, "call": "version"}`, `"kai":`},
		{protected, `"filter":false`},
	}
	var in, out bytes.Buffer
	for _, w := range want {
		in.WriteString(strings.ReplaceAll(w.line, "\n", " ") + "\n")
	}
	if err := serve(t, &in, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d answers to %d lines", len(lines), len(want))
	}
	for i, line := range lines {
		if !strings.Contains(line, want[i].part) {
			t.Errorf("line %d: %s is not in %s", i, want[i].part, line)
		}
	}
}
