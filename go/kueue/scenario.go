package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	config "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// rawScenario is the input of decide, one level deep: each object is decoded by itself, so that an
// error can name it. Fields that are not listed are passed over.
type rawScenario struct {
	Now                string            `json:"now"`
	FeatureGates       map[string]bool   `json:"featureGates"`
	FairSharing        *rawFairSharing   `json:"fairSharing"`
	RequeuingTimestamp string            `json:"requeuingTimestamp"`
	ClusterQueues      []json.RawMessage `json:"clusterQueues"`
	Cohorts            []json.RawMessage `json:"cohorts"`
	ResourceFlavors    []json.RawMessage `json:"resourceFlavors"`
	Topologies         []json.RawMessage `json:"topologies"`
	Admitted           []json.RawMessage `json:"admitted"`
	Incoming           json.RawMessage   `json:"incoming"`
	TargetClusterQueue string            `json:"targetCQ"`
	Assignment         *givenAssignment  `json:"assignment"`
}

type rawFairSharing struct {
	PreemptionStrategies []config.PreemptionStrategy `json:"preemptionStrategies"`
}

// givenAssignment is an assignment that a request brings along; only what GetTargets reads.
type givenAssignment struct {
	PodSets []givenPodSet `json:"podSets"`
}

type givenPodSet struct {
	Name    kueue.PodSetReference  `json:"name"`
	Count   int32                  `json:"count"`
	Flavors map[string]givenFlavor `json:"flavors"`
}

type givenFlavor struct {
	Flavor kueue.ResourceFlavorReference `json:"flavor"`
	Mode   string                        `json:"mode"`
}

// scenario is a decoded input. No API defaults are applied: the recorded lines have none.
type scenario struct {
	now                time.Time
	fairSharing        *config.FairSharing
	requeuingTimestamp config.RequeuingTimestamp
	clusterQueues      []*kueue.ClusterQueue
	cohorts            []*kueue.Cohort
	resourceFlavors    []*kueue.ResourceFlavor
	topologies         []*kueue.Topology
	admitted           []*kueue.Workload
	incoming           *kueue.Workload
	target             kueue.ClusterQueueReference
	assignment         *givenAssignment
}

func decodeRaw(input []byte) (*rawScenario, error) {
	raw := &rawScenario{}
	if len(input) == 0 {
		return nil, badInput("input", "is missing")
	}
	if err := json.Unmarshal(input, raw); err != nil {
		return nil, badInput("input", "%v", err)
	}
	return raw, nil
}

func decodeScenario(raw *rawScenario) (*scenario, error) {
	s := &scenario{target: kueue.ClusterQueueReference(raw.TargetClusterQueue), assignment: raw.Assignment}
	var err error
	if s.now, err = time.Parse(time.RFC3339Nano, raw.Now); err != nil {
		return nil, badInput("now", "%v", err)
	}
	if s.fairSharing, err = decodeFairSharing(raw.FairSharing); err != nil {
		return nil, err
	}
	s.requeuingTimestamp = config.RequeuingTimestamp(raw.RequeuingTimestamp)
	if s.clusterQueues, err = decodeList[kueue.ClusterQueue](raw.ClusterQueues, "clusterQueues"); err != nil {
		return nil, err
	}
	if s.cohorts, err = decodeList[kueue.Cohort](raw.Cohorts, "cohorts"); err != nil {
		return nil, err
	}
	if s.resourceFlavors, err = decodeList[kueue.ResourceFlavor](raw.ResourceFlavors, "resourceFlavors"); err != nil {
		return nil, err
	}
	if s.topologies, err = decodeList[kueue.Topology](raw.Topologies, "topologies"); err != nil {
		return nil, err
	}
	if s.admitted, err = decodeList[kueue.Workload](raw.Admitted, "admitted"); err != nil {
		return nil, err
	}
	s.incoming, err = decodeOne[kueue.Workload](raw.Incoming, "incoming")
	return s, err
}

// decodeFairSharing refuses names that Kueue does not know; Kueue itself relies on the validation of
// its configuration, and would call a nil function.
func decodeFairSharing(raw *rawFairSharing) (*config.FairSharing, error) {
	if raw == nil {
		return nil, nil
	}
	known := []config.PreemptionStrategy{config.LessThanOrEqualToFinalShare, config.LessThanInitialShare}
	for i, strategy := range raw.PreemptionStrategies {
		if !slices.Contains(known, strategy) {
			return nil, badInput(fmt.Sprintf("fairSharing.preemptionStrategies[%d]", i), "found %q, expected one of %q", strategy, known)
		}
	}
	return &config.FairSharing{PreemptionStrategies: raw.PreemptionStrategies}, nil
}

func decodeList[T any](raws []json.RawMessage, field string) ([]*T, error) {
	objects := make([]*T, 0, len(raws))
	for i, raw := range raws {
		object, err := decodeOne[T](raw, fmt.Sprintf("%s[%d]", field, i))
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// decodeOne reads an API object as the API server does: names of fields are case-sensitive.
func decodeOne[T any](raw json.RawMessage, field string) (*T, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, badInput(field, "is missing")
	}
	object := new(T)
	if err := utiljson.Unmarshal(raw, object); err != nil {
		return nil, badInput(field, "%v", err)
	}
	return object, nil
}
