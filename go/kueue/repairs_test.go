//go:build !kueue018

package main

import (
	"context"
	"encoding/json"
	"testing"

	"tenuretest"
)

// repairGates are the feature gates by which Kueue searches as a repair of kueue#14543 does.
var repairGates = map[string][]string{
	"none":                  nil,
	"post_check":            {"FairSharingVerifyFinalTargets"},
	"reevaluation":          {"FairSharingReevaluatePreemptionCandidates"},
	"verified_reevaluation": {"FairSharingVerifyFinalTargets", "FairSharingReevaluatePreemptionCandidates"},
}

// TestRepairs gives the corpus of kueue#14543 to Kueue's own Preemptor.GetTargets, once as released, and once with
// each set of gates that this Kueue has.
func TestRepairs(t *testing.T) {
	for repair, gates := range repairGates {
		t.Run(repair, func(t *testing.T) {
			decider := newKueueDecider(t)
			for _, gate := range gates {
				if _, known := decider.gates.current[gate]; !known {
					t.Skip("this Kueue has no feature gate " + gate)
				}
			}
			tenuretest.RunRepair(t, repair, withGates(decider, gates))
		})
	}
}

// withGates decides each request with more feature gates.
func withGates(decider tenuretest.Decider, gates []string) tenuretest.Decider {
	return tenuretest.DeciderFunc(func(ctx context.Context, request tenuretest.Request) (tenuretest.Answer, error) {
		var input map[string]json.RawMessage
		if err := request.Decode(&input); err != nil {
			return tenuretest.Answer{}, err
		}
		var set map[string]bool
		if err := json.Unmarshal(input["featureGates"], &set); err != nil {
			return tenuretest.Answer{}, err
		}
		for _, gate := range gates {
			set[gate] = true
		}
		var err error
		if input["featureGates"], err = json.Marshal(set); err != nil {
			return tenuretest.Answer{}, err
		}
		if request.Input, err = json.Marshal(input); err != nil {
			return tenuretest.Answer{}, err
		}
		return decider.Decide(ctx, request)
	})
}
