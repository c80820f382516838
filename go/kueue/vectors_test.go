//go:build !kueue018

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	strictjson "sigs.k8s.io/json"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/workload"

	"tenuretest"
)

// TestPublishedVectors gives the vectors of Kueue as released to Kueue's own scheduler cache, flavor assigner and
// Preemptor.GetTargets. Those with a field or feature gate of a proposal are skipped.
func TestPublishedVectors(t *testing.T) {
	tenuretest.Run(t, newKueueDecider(t), released...)
}

// TestPublishedVectorsInOrder compares the sequence of targets, in vectors that need every candidate. After fewer
// targets than candidates, GetTargets does not keep the order in which they had their turns.
func TestPublishedVectorsInOrder(t *testing.T) {
	tenuretest.Run(t, newKueueDecider(t), append(released, tenuretest.Flags("Sequence"), tenuretest.Compare(tenuretest.Ordered))...)
}

var released = []tenuretest.Option{tenuretest.Readings("released"), tenuretest.Families("KQ")}

func newKueueDecider(t *testing.T) *kueueDecider {
	decider := &kueueDecider{gates: newGates()}
	t.Cleanup(func() { _, _ = decider.gates.apply(nil) })
	return decider
}

// kueueDecider is Kueue, as the vectors see it.
type kueueDecider struct{ gates *gates }

// Decide builds the cluster of a request and decides it.
func (k *kueueDecider) Decide(_ context.Context, request tenuretest.Request) (tenuretest.Answer, error) {
	raw, err := decodeRaw(request.Input)
	if err != nil {
		return tenuretest.Answer{}, err
	}
	if err := needKnownFields(request.Input, raw); err != nil {
		return tenuretest.Answer{}, err
	}
	unknown, err := k.gates.apply(raw.FeatureGates)
	if err != nil {
		return tenuretest.Answer{}, err
	}
	if len(unknown) > 0 {
		return tenuretest.Answer{}, tenuretest.NotModelled("feature gate %s", unknown[0])
	}
	s, err := decodeScenario(raw)
	if err != nil {
		return tenuretest.Answer{}, err
	}
	d, _, err := decideScenario(s)
	var p *problem
	if errors.As(err, &p) && p.Code == codeInactiveQueue {
		return tenuretest.Answer{Decision: tenuretest.NoFit}, nil
	}
	if err != nil {
		return tenuretest.Answer{}, err
	}
	answer := tenuretest.Answer{Decision: d.outcome}
	for _, target := range d.targets {
		answer.Preempted = append(answer.Preempted, tenuretest.Victim{
			Workload:     string(workload.Key(target.WorkloadInfo.Obj)),
			ClusterQueue: string(target.WorkloadInfo.ClusterQueue),
			Reason:       target.Reason,
		})
	}
	return answer, nil
}

// needKnownFields refuses what this release of Kueue would pass over: decided without it, a vector would be about
// something else.
func needKnownFields(input []byte, raw *rawScenario) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(input, &fields); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(readFields, name) {
			return tenuretest.NotModelled("field %s", name)
		}
	}
	if err := needKnown[kueue.ClusterQueue]("ClusterQueue", raw.ClusterQueues); err != nil {
		return err
	}
	if err := needKnown[kueue.Cohort]("Cohort", raw.Cohorts); err != nil {
		return err
	}
	if err := needKnown[kueue.ResourceFlavor]("ResourceFlavor", raw.ResourceFlavors); err != nil {
		return err
	}
	return needKnown[kueue.Workload]("Workload", append(slices.Clone(raw.Admitted), raw.Incoming))
}

// readFields are those of an input that decide, and the reading, which the options choose.
var readFields = []string{
	"now", "reading", "featureGates", "fairSharing", "requeuingTimestamp", "clusterQueues", "cohorts", "resourceFlavors",
	"topologies", "admitted", "incoming", "targetCQ", "assignment",
}

func needKnown[T any](kind string, raws []json.RawMessage) error {
	for _, raw := range raws {
		strict, err := strictjson.UnmarshalStrict(raw, new(T))
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		if len(strict) > 0 {
			return tenuretest.NotModelled("%s: %v", kind, strict[0])
		}
	}
	return nil
}
