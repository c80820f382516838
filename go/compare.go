package tenuretest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Mode is how much of a decision has to be the published one; each requires more than those before it.
type Mode int

const (
	// Outcome compares the decision alone.
	Outcome Mode = iota
	// Victims also compares which workloads are preempted, from which ClusterQueue, for which reason.
	Victims
	// Ordered also compares the order in which they are.
	Ordered
	// Explained also compares the rules that allow each preemption, and code and field of an error.
	Explained
)

// difference is what an answer has otherwise than the vector, in lines; none where it agrees.
func difference(vector Vector, answer Answer, err error, mode Mode) []string {
	if agrees(vector, answer, err, mode) {
		return nil
	}
	lines := []string{
		vector.Comment,
		"expected  " + expectation(vector.Expect, mode),
		"got       " + outcome(answer, err, mode),
	}
	if err != nil || vector.Reasons == nil {
		return lines
	}
	return append(lines, reasons(vector, answer)...)
}

func agrees(vector Vector, answer Answer, err error, mode Mode) bool {
	expected := vector.Expect
	switch {
	case expected.Error != nil && err != nil:
		var refused *Refused
		named := errors.As(err, &refused) && refused.Code == expected.Error.Code && refused.Field == expected.Error.Field
		return mode < Explained || named
	case expected.Error != nil || err != nil:
		return false
	case expected.Output != nil:
		return sameOutput(expected.Output, answer.Output)
	case mode == Outcome:
		return expected.Decision == answer.Decision
	}
	return written(expected.Answer, mode) == written(answer, mode)
}

// sameOutput compares all of it but warnings, unless the answer consists of them.
func sameOutput(expected, got json.RawMessage) bool {
	var wanted, answered map[string]any
	if json.Unmarshal(expected, &wanted) != nil || json.Unmarshal(got, &answered) != nil {
		return false
	}
	if _, consists := wanted["warnings"]; !consists {
		delete(answered, "warnings")
	}
	return reflect.DeepEqual(wanted, answered)
}

// written is a decision as a line: Preempt ns/a:InClusterQueue.
func written(answer Answer, mode Mode) string {
	words := []string{}
	for _, victim := range answer.Preempted {
		word := victim.Workload + ":" + victim.Reason
		if mode == Explained {
			word = strings.Join(append([]string{word}, victim.Rules...), ":")
		}
		words = append(words, word+" of "+victim.ClusterQueue)
	}
	if mode < Ordered {
		slices.Sort(words)
	}
	if mode == Outcome || len(words) == 0 {
		return answer.Decision
	}
	return answer.Decision + " " + strings.Join(words, ", ")
}

func expectation(expected Expected, mode Mode) string {
	switch {
	case expected.Error != nil:
		return fmt.Sprintf("error %s at %q", expected.Error.Code, expected.Error.Field)
	case expected.Output != nil:
		return string(expected.Output)
	}
	return written(expected.Answer, mode)
}

func outcome(answer Answer, err error, mode Mode) string {
	switch {
	case err != nil:
		return "error " + err.Error()
	case answer.Output != nil:
		return string(answer.Output)
	}
	return written(answer, mode)
}

// reasons are sentences about each workload in which the answers differ, or else about the decision.
func reasons(vector Vector, answer Answer) []string {
	expected, got := byWorkload(vector.Expect.Answer), byWorkload(answer)
	lines := []string{}
	for _, workload := range slices.Sorted(maps.Keys(vector.Reasons)) {
		if expected[workload] != got[workload] {
			lines = append(lines, vector.Reasons[workload])
		}
	}
	for _, workload := range slices.Sorted(maps.Keys(got)) {
		if _, running := vector.Reasons[workload]; !running {
			lines = append(lines, workload+" is kept: it holds no quota in the preemptor's tree")
		}
	}
	if len(lines) == 0 {
		return []string{vector.Summary}
	}
	return lines
}

func byWorkload(answer Answer) map[string]string {
	found := map[string]string{}
	for _, victim := range answer.Preempted {
		found[victim.Workload] = victim.ClusterQueue + " " + victim.Reason
	}
	return found
}

// simplest orders by how much there is to read, and then by identifier.
func simplest(a, b Result) int {
	return cmp.Or(cmp.Compare(len(a.Vector.Input), len(b.Vector.Input)), cmp.Compare(a.Vector.ID, b.Vector.ID))
}
