package main

import (
	"context"
	"encoding/json"
	"slices"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/kueue/pkg/scheduler/preemption"
	"sigs.k8s.io/kueue/pkg/workload"
)

const (
	fewestRuns     = 3
	defaultSeconds = 1.0
)

// timeOutput is the output of one time request: what GetTargets answered, and how long it took.
type timeOutput struct {
	variant
	Runs      int   `json:"runs"`
	MedianNs  int64 `json:"medianNs"`
	LeastNs   int64 `json:"leastNs"`
	MedianCPU int64 `json:"medianCpuNs"`
	LeastCPU  int64 `json:"leastCpuNs"`
}

// time measures GetTargets and nothing else: the snapshot, the preemptor and the assignment, which has
// to be given, are made once. GetTargets leaves the snapshot as it found it, so each run asks the same.
func (s *server) time(input json.RawMessage, seconds float64) (*timeOutput, error) {
	raw, err := decodeRaw(input)
	if err != nil {
		return nil, err
	}
	if raw.Assignment == nil {
		return nil, badInput("assignment", "found null, expected the flavors: GetTargets alone is timed")
	}
	s.forgetMetrics()
	if _, err := s.gates.apply(raw.FeatureGates); err != nil {
		return nil, err
	}
	scn, err := decodeScenario(raw)
	if err != nil {
		return nil, err
	}
	return timeScenario(scn, seconds)
}

func timeScenario(s *scenario, seconds float64) (*timeOutput, error) {
	ctx := logr.NewContext(context.Background(), logr.Discard())
	snapshot, _, err := buildSnapshot(ctx, s)
	if err != nil {
		return nil, err
	}
	if snapshot.ClusterQueue(s.target) == nil {
		return nil, inactiveQueue(s, snapshot)
	}
	info := workload.NewInfo(s.incoming)
	info.ClusterQueue = s.target
	ordering := workload.Ordering{PodsReadyRequeuingTimestamp: s.requeuingTimestamp}
	preemptor := preemption.New(nil, ordering, nil, s.fairSharing, false, clocktesting.NewFakeClock(s.now), nil, nil, nil)
	assignment, err := assignmentOf(s, info)
	if err != nil {
		return nil, err
	}
	d := &decision{assignment: assignment, info: info, given: true}
	var elapsed, busy []int64
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	for len(elapsed) < fewestRuns || time.Now().Before(end) {
		started, used := time.Now(), processTime()
		d.targets = targets(ctx, preemptor, *info, *assignment, snapshot)
		elapsed, busy = append(elapsed, int64(time.Since(started))), append(busy, processTime()-used)
	}
	d.outcome = outcomeOf(worstMode(assignment), len(d.targets))
	return &timeOutput{
		variant: render(d).variant, Runs: len(elapsed),
		MedianNs: median(elapsed), LeastNs: slices.Min(elapsed),
		MedianCPU: median(busy), LeastCPU: slices.Min(busy),
	}, nil
}

// processTime is what all threads of the process have used of the processor, the garbage collector's
// included, in ns; on a machine that others use too it says more than the time on the wall.
func processTime() int64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return used.Utime.Nano() + used.Stime.Nano()
}

func median(values []int64) int64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
