package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/resources"
	"sigs.k8s.io/kueue/pkg/scheduler/flavorassigner"
	"sigs.k8s.io/kueue/pkg/workload"
)

// decideOutput is the output of one decide request. Lists are never null, so that a reader need not ask.
type decideOutput struct {
	variant
	Assignment   assignmentOutput `json:"assignment"`
	Stable       bool             `json:"stable"`
	Variants     []variant        `json:"variants"`
	UnknownGates []string         `json:"unknownGates,omitempty"`
	Ignored      []string         `json:"ignored,omitempty"`
}

// variant is what may differ between two runs of the same scenario: the outcome and the set of targets.
type variant struct {
	Decision  string      `json:"decision"`
	Preempted []preempted `json:"preempted"`
}

func (v variant) sameVariant(other variant) bool {
	return v.Decision == other.Decision && slices.Equal(v.Preempted, other.Preempted)
}

type preempted struct {
	Workload     string                      `json:"workload"`
	ClusterQueue kueue.ClusterQueueReference `json:"clusterQueue"`
	Reason       string                      `json:"reason"`
}

type assignmentOutput struct {
	PodSets           []podSetOutput   `json:"podSets"`
	Usage             []amountOutput   `json:"usage"`
	AssignerUsage     []amountOutput   `json:"assignerUsage,omitempty"`
	FRsNeedPreemption []flavorResource `json:"frsNeedPreemption"`
	Borrowing         int              `json:"borrowing"`
}

type podSetOutput struct {
	Name    kueue.PodSetReference                `json:"name"`
	Count   int32                                `json:"count"`
	Flavors map[corev1.ResourceName]flavorOutput `json:"flavors"`
}

type flavorOutput struct {
	Flavor kueue.ResourceFlavorReference `json:"flavor"`
	Mode   string                        `json:"mode"`
}

type flavorResource struct {
	Flavor   kueue.ResourceFlavorReference `json:"flavor"`
	Resource corev1.ResourceName           `json:"resource"`
}

type amountOutput struct {
	flavorResource
	Amount int64 `json:"amount"`
}

func render(d *decision) *decideOutput {
	output := &decideOutput{
		variant:    variant{Decision: d.outcome, Preempted: []preempted{}},
		Assignment: renderAssignment(d),
		Variants:   []variant{},
	}
	for _, target := range d.targets {
		output.Preempted = append(output.Preempted, preempted{
			Workload:     string(workload.Key(target.WorkloadInfo.Obj)),
			ClusterQueue: target.WorkloadInfo.ClusterQueue,
			Reason:       target.Reason,
		})
	}
	slices.SortFunc(output.Preempted, targetOrder)
	return output
}

func renderAssignment(d *decision) assignmentOutput {
	output := assignmentOutput{
		PodSets:           []podSetOutput{},
		FRsNeedPreemption: []flavorResource{},
		Borrowing:         d.assignment.Borrows(),
	}
	for _, podSet := range d.assignment.PodSets {
		flavors := map[corev1.ResourceName]flavorOutput{}
		for resource, flavor := range podSet.Flavors {
			flavors[resource] = flavorOutput{Flavor: flavor.Name, Mode: flavor.Mode.String()}
			if fr := (flavorResource{flavor.Name, resource}); flavor.Mode == flavorassigner.Preempt && !slices.Contains(output.FRsNeedPreemption, fr) {
				output.FRsNeedPreemption = append(output.FRsNeedPreemption, fr)
			}
		}
		output.PodSets = append(output.PodSets, podSetOutput{Name: podSet.Name, Count: podSet.Count, Flavors: flavors})
	}
	slices.SortFunc(output.FRsNeedPreemption, flavorResourceOrder)
	output.Usage, output.AssignerUsage = renderUsage(d)
	return output
}

// renderUsage is the usage that GetTargets makes room for and, where the assigner counted something
// else, the assigner's: the two come from different functions of Kueue, and differ for "pods". What
// has no flavor for some request never comes to GetTargets, and its function cannot take it.
func renderUsage(d *decision) (asked, assigner []amountOutput) {
	assigner = amounts(d.assignment.Usage.Quota)
	if lacksFlavor(d.assignment, d.info) {
		return assigner, nil
	}
	asked = amounts(d.assignment.TotalRequestsFor(logr.Discard(), d.info))
	if d.given || slices.Equal(asked, assigner) {
		return asked, nil
	}
	return asked, assigner
}

func amounts(quantities resources.FlavorResourceQuantities) []amountOutput {
	list := []amountOutput{}
	for fr, amount := range quantities {
		if amount.Int64() == 0 {
			continue // the assigner notes a request of nothing, GetTargets does not
		}
		list = append(list, amountOutput{flavorResource{fr.Flavor, fr.Resource}, amount.Int64()})
	}
	slices.SortFunc(list, func(a, b amountOutput) int { return flavorResourceOrder(a.flavorResource, b.flavorResource) })
	return list
}

func flavorResourceOrder(a, b flavorResource) int {
	return cmp.Or(cmp.Compare(a.Flavor, b.Flavor), cmp.Compare(a.Resource, b.Resource))
}

// targetOrder is by name: the order of GetTargets is not the order of eviction, so none is kept.
func targetOrder(a, b preempted) int { return strings.Compare(a.Workload, b.Workload) }
