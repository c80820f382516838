//go:build !kai_v0_17

package peer

import (
	"time"

	"go.uber.org/zap"

	enginev2alpha2 "github.com/NVIDIA/KAI-scheduler/pkg/apis/scheduling/v2alpha2"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/pod_status"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/podgroup_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/podgroup_info/subgroup_info"
)

// behindStatuses follows the last status that a pod can have.
const behindStatuses = pod_status.Deleted

// setDelay does nothing: in March 2026 no job had a delay.
func setDelay(*podgroup_info.PodGroupInfo, *givenJob) {}

// evicted does nothing: in March 2026 no eviction was kept.
func evicted(*podgroup_info.PodGroupInfo, *time.Time) {}

// delayEnd is nothing: in March 2026 no job had a delay.
func delayEnd(*podgroup_info.PodGroupInfo) *time.Time { return nil }

func isDelayed(*podgroup_info.PodGroupInfo, time.Time) bool { return false }

// declaredPodSet is what the snapshot makes of a sub-group of a PodGroup.
func declaredPodSet(name string, minMember *int32) (*subgroup_info.PodSet, error) {
	group := enginev2alpha2.SubGroup{Name: name}
	if minMember != nil {
		group.MinMember = *minMember
	}
	spec := enginev2alpha2.PodGroupSpec{SubGroups: []enginev2alpha2.SubGroup{group}}
	root, err := subgroup_info.FromPodGroup(&enginev2alpha2.PodGroup{Spec: spec})
	if err != nil {
		return nil, err
	}
	return root.GetAllPodSets()[name], nil
}

func (l *errorLog) V(int) *zap.SugaredLogger { return zap.NewNop().Sugar() }
