package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/scheduler/flavorassigner"
	"sigs.k8s.io/kueue/pkg/scheduler/preemption"
	"sigs.k8s.io/kueue/pkg/workload"
)

// decideGiven asks GetTargets alone. The outcome is read off the given modes, because an Assignment
// that was not made by the assigner has no representative mode. A request without a flavor is NoFit,
// as Kueue reads empty flavors, and GetTargets is not asked: it would follow a nil pointer.
func decideGiven(ctx context.Context, s *scenario, info *workload.Info, preemptor *preemption.Preemptor, snapshot *schdcache.Snapshot) (*decision, error) {
	assignment, err := assignmentOf(s, info)
	if err != nil {
		return nil, err
	}
	d := &decision{assignment: assignment, info: info, given: true}
	if lacksFlavor(assignment, info) {
		d.outcome = outcomeOf(flavorassigner.NoFit, 0)
		return d, nil
	}
	d.targets = targets(ctx, preemptor, *info, *assignment, snapshot)
	d.outcome = outcomeOf(worstMode(assignment), len(d.targets))
	return d, nil
}

func assignmentOf(s *scenario, info *workload.Info) (*flavorassigner.Assignment, error) {
	given := s.assignment.PodSets
	if len(given) != len(info.TotalRequests) {
		return nil, badInput("assignment.podSets", "has %d entries, the workload has %d", len(given), len(info.TotalRequests))
	}
	assignment := &flavorassigner.Assignment{}
	for i, podSet := range given {
		if podSet.Name != info.TotalRequests[i].Name {
			return nil, badInput(fmt.Sprintf("assignment.podSets[%d].name", i), "found %q, expected %q", podSet.Name, info.TotalRequests[i].Name)
		}
		flavors := flavorassigner.ResourceAssignment{}
		for resource, flavor := range podSet.Flavors {
			mode, ok := modes[flavor.Mode]
			if !ok {
				return nil, badInput(fmt.Sprintf("assignment.podSets[%d].flavors.%s.mode", i, resource), "found %q", flavor.Mode)
			}
			flavors[corev1.ResourceName(resource)] = &flavorassigner.FlavorAssignment{Name: flavor.Flavor, Mode: mode}
		}
		assignment.PodSets = append(assignment.PodSets, flavorassigner.PodSetAssignment{Name: podSet.Name, Count: podSet.Count, Flavors: flavors})
	}
	return assignment, nil
}

var modes = map[string]flavorassigner.FlavorAssignmentMode{
	"NoFit":       flavorassigner.NoFit,
	"Preempt":     flavorassigner.Preempt,
	"DeferredFit": deferredFit,
	"Fit":         flavorassigner.Fit,
}

// lacksFlavor is also true of an assignment that ends before the workload does: the assigner stops at
// the first pod set that it has no flavor for.
func lacksFlavor(assignment *flavorassigner.Assignment, info *workload.Info) (lacks bool) {
	for i, podSet := range info.TotalRequests {
		if podSet.Requests == nil {
			continue
		}
		podSet.Requests.ForEach(func(resource corev1.ResourceName, amount int64) {
			assigned := i < len(assignment.PodSets) && assignment.PodSets[i].Flavors[resource] != nil
			lacks = lacks || (amount != 0 && !assigned)
		})
	}
	return lacks
}

func worstMode(assignment *flavorassigner.Assignment) flavorassigner.FlavorAssignmentMode {
	worst := flavorassigner.Fit
	for _, podSet := range assignment.PodSets {
		for _, flavor := range podSet.Flavors {
			worst = min(worst, flavor.Mode)
		}
	}
	return worst
}
