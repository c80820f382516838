package scheduler

import (
	"context"
	"testing"

	"tenuretest"
)

func TestConformance(t *testing.T) {
	tenuretest.Run(t, tenuretest.DeciderFunc(decide), tenuretest.Only("KQ-040", "KQ-060"), tenuretest.AtLeast(50))
}

type workload struct {
	Metadata struct{ Namespace, Name string }
	Spec     struct{ Priority int32 }
}

// decide is where your scheduler is called. This one preempts all workloads of lower priority.
func decide(_ context.Context, request tenuretest.Request) (tenuretest.Answer, error) {
	var input struct {
		ClusterQueues []struct{ Metadata struct{ Name string } }
		Admitted      []workload
		Incoming      workload
	}
	if err := request.Decode(&input); err != nil {
		return tenuretest.Answer{}, err
	}
	if len(input.ClusterQueues) > 1 {
		return tenuretest.Answer{}, tenuretest.NotModelled("several ClusterQueues")
	}
	answer := tenuretest.Answer{Decision: tenuretest.Preempt}
	for _, running := range input.Admitted {
		if running.Spec.Priority < input.Incoming.Spec.Priority {
			answer.Preempted = append(answer.Preempted, tenuretest.Victim{
				Workload:     running.Metadata.Namespace + "/" + running.Metadata.Name,
				ClusterQueue: input.ClusterQueues[0].Metadata.Name,
				Reason:       "InClusterQueue",
			})
		}
	}
	return answer, nil
}
