package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/workload"
)

// emptyCluster is the API server that the cache asks for objects it may have missed: there are none.
// Any other method is a nil call, which becomes an answer with code "panic": better than a guess.
type emptyCluster struct{ client.Client }

func (emptyCluster) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

// buildSnapshot fills a new scheduler cache with the scenario, in the order in which nothing has to
// wait for anything, and takes a snapshot. Workloads that the cache does not count are returned by
// name: no quota is reserved for them, or their ClusterQueue is not there.
func buildSnapshot(ctx context.Context, s *scenario) (*schdcache.Snapshot, []string, error) {
	log := logr.FromContextOrDiscard(ctx)
	cache := schdcache.New(emptyCluster{}, schdcache.WithFairSharing(s.fairSharing != nil))
	for _, flavor := range s.resourceFlavors {
		cache.AddOrUpdateResourceFlavor(log, flavor)
	}
	for i, cohort := range s.cohorts {
		if err := tolerateCycle(cache.AddOrUpdateCohort(cohort)); err != nil {
			return nil, nil, badInput(fmt.Sprintf("cohorts[%d]", i), "%v", err)
		}
	}
	for i, queue := range s.clusterQueues {
		if err := tolerateCycle(cache.AddClusterQueue(ctx, queue)); err != nil {
			return nil, nil, badInput(fmt.Sprintf("clusterQueues[%d]", i), "%v", err)
		}
	}
	var ignored []string
	for _, admitted := range s.admitted {
		if !cache.AddOrUpdateWorkload(log, admitted) {
			ignored = append(ignored, string(workload.Key(admitted)))
		}
	}
	snapshot, err := cache.Snapshot(ctx)
	return snapshot, ignored, err
}

// tolerateCycle lets a cycle of Cohorts pass: the cache has taken the object, and keeps the
// ClusterQueues below it out of the snapshot, as it does in a real cluster.
func tolerateCycle(err error) error {
	if errors.Is(err, schdcache.ErrCohortHasCycle) {
		return nil
	}
	return err
}
