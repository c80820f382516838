//go:build !kueue018

package main

import (
	"context"

	config "sigs.k8s.io/kueue/apis/config/v1beta2"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/resources"
	"sigs.k8s.io/kueue/pkg/scheduler/flavorassigner"
	"sigs.k8s.io/kueue/pkg/scheduler/preemption"
	"sigs.k8s.io/kueue/pkg/workload"
)

// What differs between the releases that are compared, for v0.19; release_018.go has it for v0.18.

// deferredFit is the mode of what fits and has to wait for this cycle's preemptions.
const deferredFit = flavorassigner.DeferredFit

func newAssigner(s *scenario, info *workload.Info, preemptor *preemption.Preemptor, snapshot *schdcache.Snapshot, slice *workload.Info) *flavorassigner.FlavorAssigner {
	return flavorassigner.New(
		info, snapshot.ClusterQueue(s.target), snapshot.ResourceFlavors, s.fairSharing != nil,
		preemption.NewOracle(preemptor, snapshot), slice,
		config.QuotaCheckStrategy(""), resources.NewResourceFormatter(), 0,
	)
}

func assign(ctx context.Context, assigner *flavorassigner.FlavorAssigner, counts []int32) flavorassigner.Assignment {
	return assigner.Assign(ctx, counts)
}

func targets(ctx context.Context, preemptor *preemption.Preemptor, info workload.Info, assignment flavorassigner.Assignment, snapshot *schdcache.Snapshot) []*preemption.Target {
	return preemptor.GetTargets(ctx, info, assignment, snapshot)
}
