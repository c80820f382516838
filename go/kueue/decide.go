package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-logr/logr"
	clocktesting "k8s.io/utils/clock/testing"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/features"
	"sigs.k8s.io/kueue/pkg/scheduler/flavorassigner"
	"sigs.k8s.io/kueue/pkg/scheduler/preemption"
	"sigs.k8s.io/kueue/pkg/workload"
	"sigs.k8s.io/kueue/pkg/workloadslicing"
)

// decision is one run of Kueue on one scenario.
type decision struct {
	assignment *flavorassigner.Assignment
	outcome    string
	targets    []*preemption.Target
	info       *workload.Info
	given      bool
}

// decideScenario builds a snapshot and decides on it; it also names the workloads that the cache does not count.
func decideScenario(s *scenario) (*decision, []string, error) {
	ctx := logr.NewContext(context.Background(), logr.Discard())
	snapshot, ignored, err := buildSnapshot(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	if snapshot.ClusterQueue(s.target) == nil {
		return nil, nil, inactiveQueue(s, snapshot)
	}
	info := workload.NewInfo(s.incoming)
	info.ClusterQueue = s.target
	ordering := workload.Ordering{PodsReadyRequeuingTimestamp: s.requeuingTimestamp}
	preemptor := preemption.New(nil, ordering, nil, s.fairSharing, false, clocktesting.NewFakeClock(s.now), nil, nil, nil)
	if s.assignment == nil {
		return decideDerived(ctx, s, info, preemptor, snapshot), ignored, nil
	}
	d, err := decideGiven(ctx, s, info, preemptor, snapshot)
	return d, ignored, err
}

func inactiveQueue(s *scenario, snapshot *schdcache.Snapshot) error {
	why := "is not among clusterQueues"
	if snapshot.InactiveClusterQueueSets.Has(s.target) {
		why = "is inactive: Kueue decides nothing for it"
	}
	return &problem{Code: codeInactiveQueue, Field: "targetCQ", Message: fmt.Sprintf("ClusterQueue %q %s", s.target, why)}
}

// outcomeOf names a decision: only the worst mode and whether there is any target matter.
func outcomeOf(mode flavorassigner.FlavorAssignmentMode, targets int) string {
	switch {
	case mode == flavorassigner.NoFit:
		return "NoFit"
	case mode != flavorassigner.Preempt:
		return "Fit"
	case targets > 0:
		return "Preempt"
	default:
		return "NoCandidates"
	}
}

// decideDerived walks the way of the scheduler's first look at a workload: the whole of it first,
// then, if Kueue may admit a part, fewer pods. A replaced workload slice counts as a target.
func decideDerived(ctx context.Context, s *scenario, info *workload.Info, preemptor *preemption.Preemptor, snapshot *schdcache.Snapshot) *decision {
	replaced, slice := workloadslicing.ReplacedWorkloadSlice(info, snapshot)
	assigner := newAssigner(s, info, preemptor, snapshot, slice)
	attempt := func(counts []int32) (*decision, bool) {
		assignment := assign(ctx, assigner, counts)
		d := &decision{assignment: &assignment, info: info}
		mode := assignment.RepresentativeMode()
		if mode == flavorassigner.Preempt {
			d.targets = targets(ctx, preemptor, *info, assignment, snapshot)
		}
		d.outcome = outcomeOf(mode, len(d.targets))
		return d, mode == flavorassigner.Fit || len(d.targets) > 0
	}
	whole, settled := attempt(nil)
	chosen := whole
	if !settled && features.Enabled(features.PartialAdmission) && info.CanBePartiallyAdmitted() {
		if part, found := flavorassigner.NewPodSetReducer(s.incoming.Spec.PodSets, attempt).Search(); found {
			chosen, settled = part, true
		}
	}
	if settled {
		chosen.targets = slices.Concat(replaced, chosen.targets)
	}
	return chosen
}
