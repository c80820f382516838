package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/cache/hierarchy"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/workload"
)

// emptyCluster is the API server that the cache asks for objects it may have missed: there are none.
// Any other method is a nil call, which becomes an answer with code "panic": better than a guess.
type emptyCluster struct{ client.Client }

func (emptyCluster) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

// buildSnapshot fills a new scheduler cache with the scenario, in the order in which nothing has to
// wait for anything, and takes a snapshot. Workloads that the cache does not count are returned by
// name: no quota is reserved for them, their ClusterQueue is not there, or it stands below a cycle of Cohorts.
func buildSnapshot(ctx context.Context, s *scenario) (*schdcache.Snapshot, []string, error) {
	cache, ignored, err := buildCache(ctx, s, emptyCluster{})
	if err != nil {
		return nil, nil, err
	}
	snapshot, err := cache.Snapshot(ctx)
	return snapshot, ignored, err
}

// buildCache is the same without the snapshot.
func buildCache(ctx context.Context, s *scenario, api client.Client) (*schdcache.Cache, []string, error) {
	log := logr.FromContextOrDiscard(ctx)
	cache := schdcache.New(api, schdcache.WithFairSharing(s.fairSharing != nil))
	for _, flavor := range s.resourceFlavors {
		cache.AddOrUpdateResourceFlavor(log, flavor)
	}
	for _, topology := range s.topologies {
		cache.AddOrUpdateTopology(log, topology)
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
	endless := queuesBelowCycles(s)
	for _, admitted := range s.admitted {
		if admission := admitted.Status.Admission; admission != nil && endless[admission.ClusterQueue] {
			ignored = append(ignored, string(workload.Key(admitted)))
			continue
		}
		if !cache.AddOrUpdateWorkload(log, admitted) {
			ignored = append(ignored, string(workload.Key(admitted)))
		}
	}
	return cache, ignored, nil
}

// tolerateCycle lets a cycle of Cohorts pass: the cache has taken the object, and keeps the
// ClusterQueues below it out of the snapshot, as it does in a real cluster.
func tolerateCycle(err error) error {
	if errors.Is(err, schdcache.ErrCohortHasCycle) {
		return nil
	}
	return err
}

// queuesBelowCycles names the ClusterQueues whose Cohorts never end. Kueue's cache charges a workload to
// every Cohort above its ClusterQueue, and in a cycle it would do so until the stack overflows, which no
// program survives.
func queuesBelowCycles(s *scenario) map[kueue.ClusterQueueReference]bool {
	parents := make(map[kueue.CohortReference]kueue.CohortReference, len(s.cohorts))
	for _, cohort := range s.cohorts {
		parents[kueue.CohortReference(cohort.Name)] = cohort.Spec.ParentName
	}
	found := map[kueue.ClusterQueueReference]bool{}
	for _, queue := range s.clusterQueues {
		if name := queue.Spec.CohortName; name != "" && hierarchy.HasCycle(lineage{name, parents}) {
			found[kueue.ClusterQueueReference(queue.Name)] = true
		}
	}
	return found
}

// lineage is a Cohort with those above it, as Kueue's own test for cycles reads them.
type lineage struct {
	name    kueue.CohortReference
	parents map[kueue.CohortReference]kueue.CohortReference
}

func (l lineage) GetName() kueue.CohortReference { return l.name }

func (l lineage) HasParent() bool { return l.parents[l.name] != "" }

func (l lineage) CCParent() hierarchy.CycleCheckable { return lineage{l.parents[l.name], l.parents} }
