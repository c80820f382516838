//go:build kueue018

package main

import (
	"context"

	"github.com/go-logr/logr"
	config "sigs.k8s.io/kueue/apis/config/v1beta2"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/scheduler/flavorassigner"
	"sigs.k8s.io/kueue/pkg/scheduler/preemption"
	"sigs.k8s.io/kueue/pkg/workload"
)

// deferredFit does not exist yet: what fits is Fit, whatever has to be waited for.
const deferredFit = flavorassigner.Fit

func newAssigner(s *scenario, info *workload.Info, preemptor *preemption.Preemptor, snapshot *schdcache.Snapshot, slice *workload.Info) *flavorassigner.FlavorAssigner {
	return flavorassigner.New(
		info, snapshot.ClusterQueue(s.target), snapshot.ResourceFlavors, s.fairSharing != nil,
		preemption.NewOracle(preemptor, snapshot), slice, config.QuotaCheckStrategy(""),
	)
}

func assign(ctx context.Context, assigner *flavorassigner.FlavorAssigner, counts []int32) flavorassigner.Assignment {
	return assigner.Assign(logr.FromContextOrDiscard(ctx), counts)
}

func targets(ctx context.Context, preemptor *preemption.Preemptor, info workload.Info, assignment flavorassigner.Assignment, snapshot *schdcache.Snapshot) []*preemption.Target {
	return preemptor.GetTargets(logr.FromContextOrDiscard(ctx), info, assignment, snapshot)
}
