//go:build kai_v0_17

package peer

import (
	"time"

	"go.uber.org/zap"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	enginev2alpha2 "github.com/NVIDIA/KAI-scheduler/pkg/apis/scheduling/v2alpha2"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/pod_status"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/podgroup_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/podgroup_info/subgroup_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/log"
)

// behindStatuses follows the last status that a pod can have.
const behindStatuses = pod_status.StuckInReleasing << 1

// setDelay gives a job what the snapshot reads from its PodGroup.
func setDelay(job *podgroup_info.PodGroupInfo, given *givenJob) {
	job.PodGroup = &enginev2alpha2.PodGroup{Spec: enginev2alpha2.PodGroupSpec{PreemptionDelay: given.PreemptionDelay}}
	if given.Created != nil {
		job.CreationTimestamp = metav1.Time{Time: *given.Created}
	}
	evicted(job, given.LastEviction)
}

func evicted(job *podgroup_info.PodGroupInfo, at *time.Time) { job.LastEvictionTimestamp = at }

func delayEnd(job *podgroup_info.PodGroupInfo) *time.Time { return job.PreemptionDelayEnd() }

func isDelayed(job *podgroup_info.PodGroupInfo, now time.Time) bool {
	return job.IsWithinPreemptionDelay(now)
}

// declaredPodSet is what the snapshot makes of a sub-group of a PodGroup.
func declaredPodSet(name string, minMember *int32) (*subgroup_info.PodSet, error) {
	group := enginev2alpha2.SubGroup{Name: name, MinMember: minMember}
	spec := enginev2alpha2.PodGroupSpec{SubGroups: []enginev2alpha2.SubGroup{group}}
	root, err := subgroup_info.FromPodGroup(&enginev2alpha2.PodGroup{Spec: spec})
	if err != nil {
		return nil, err
	}
	return root.GetDescendantPodSets()[name], nil
}

func (l *errorLog) V(int) log.VerboseLogger {
	return log.VerboseLogger{SugaredLogger: zap.NewNop().Sugar()}
}
