package peer

import (
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/common_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/pod_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/pod_status"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/podgroup_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/podgroup_info/subgroup_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/queue_info"
)

type givenQueue struct {
	Name              string           `json:"name"`
	Parent            string           `json:"parent"`
	PreemptMinRuntime *metav1.Duration `json:"preemptMinRuntime"`
	ReclaimMinRuntime *metav1.Duration `json:"reclaimMinRuntime"`
}

type givenPod struct {
	Name   string `json:"name"`
	Status string `json:"status"`
}

type givenJob struct {
	Name            string           `json:"name"`
	Queue           string           `json:"queue"`
	LastStart       *time.Time       `json:"lastStart"`
	Created         *time.Time       `json:"created"`
	LastEviction    *time.Time       `json:"lastEviction"`
	PreemptionDelay *metav1.Duration `json:"preemptionDelay"`
	SubGroups       []struct {
		Name         string     `json:"name"`
		MinAvailable *int32     `json:"minAvailable"`
		MinMember    *int32     `json:"minMember"`
		Pods         []givenPod `json:"pods"`
	} `json:"subGroups"`
}

type givenVictim struct {
	Job  string   `json:"job"`
	Pods []string `json:"pods"`
}

// question is what a case, or a step of a sequence, asks.
type question struct {
	Op                string           `json:"op"`
	Now               *time.Time       `json:"now"`
	Action            string           `json:"action"`
	Preemptor         string           `json:"preemptor"`
	Victim            string           `json:"victim"`
	PreemptorQueue    *string          `json:"preemptorQueue"`
	VictimQueue       *string          `json:"victimQueue"`
	Victims           []givenVictim    `json:"victims"`
	Job               string           `json:"job"`
	LastStart         *time.Time       `json:"lastStart"`
	LastEviction      *time.Time       `json:"lastEviction"`
	Queue             string           `json:"queue"`
	PreemptMinRuntime *metav1.Duration `json:"preemptMinRuntime"`
	ReclaimMinRuntime *metav1.Duration `json:"reclaimMinRuntime"`
	SubGroup          string           `json:"subGroup"`
	Pod               string           `json:"pod"`
	Status            string           `json:"status"`
}

type givenCase struct {
	question
	Queues     []givenQueue      `json:"queues"`
	PluginArgs map[string]string `json:"pluginArgs"`
	Jobs       []givenJob        `json:"jobs"`
	QueueSpec  json.RawMessage   `json:"queueSpec"`
	Steps      []question        `json:"steps"`
}

type scene struct {
	queues queues
	jobs   map[string]*podgroup_info.PodGroupInfo
	pods   map[string]map[string]*pod_info.PodInfo
}

func newScene(given *givenCase) (*scene, error) {
	s := &scene{queues: queues{}, jobs: map[string]*podgroup_info.PodGroupInfo{}, pods: map[string]map[string]*pod_info.PodInfo{}}
	for _, queue := range given.Queues {
		id := common_info.QueueID(queue.Name)
		s.queues[id] = &queue_info.QueueInfo{
			UID: id, Name: queue.Name, ParentQueue: common_info.QueueID(queue.Parent),
			PreemptMinRuntime: queue.PreemptMinRuntime, ReclaimMinRuntime: queue.ReclaimMinRuntime,
		}
	}
	for _, job := range given.Jobs {
		if err := s.addJob(job); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *scene) addJob(given givenJob) error {
	job := podgroup_info.NewPodGroupInfo(common_info.PodGroupID(given.Name))
	job.Name, job.NamespacedName = given.Name, given.Name
	job.Queue = common_info.QueueID(given.Queue)
	job.LastStartTimestamp = given.LastStart
	setDelay(job, &given)
	s.jobs[given.Name], s.pods[given.Name] = job, map[string]*pod_info.PodInfo{}
	if len(given.SubGroups) > 0 {
		job.PodSets = map[string]*subgroup_info.PodSet{}
	}
	for _, group := range given.SubGroups {
		if group.MinAvailable == nil {
			declared, err := declaredPodSet(group.Name, group.MinMember)
			if err != nil {
				return err
			}
			job.PodSets[group.Name] = declared
		} else {
			job.PodSets[group.Name] = subgroup_info.NewPodSet(group.Name, *group.MinAvailable, nil)
		}
		for _, pod := range group.Pods {
			if err := s.setPod(given.Name, group.Name, pod.Name, pod.Status); err != nil {
				return err
			}
		}
	}
	return nil
}

// setPod adds a pod, or gives it another state, by the method that the snapshot uses for both.
func (s *scene) setPod(job, group, name, status string) error {
	parsed, ok := statuses[status]
	if !ok {
		return fmt.Errorf("no pod status is called %q", status)
	}
	pod := s.pods[job][name]
	if pod == nil {
		pod = &pod_info.PodInfo{
			UID: common_info.PodID(name), Job: common_info.PodGroupID(job), Name: name, SubGroupName: group,
		}
		s.pods[job][name] = pod
	}
	pod.Status = parsed
	s.jobs[job].PodSets[pod.SubGroupName].AssignTask(pod)
	return nil
}

func (s *scene) queue(name *string) *queue_info.QueueInfo {
	if name == nil {
		return nil
	}
	return s.queues[common_info.QueueID(*name)]
}

var statuses = func() map[string]pod_status.PodStatus {
	named := map[string]pod_status.PodStatus{}
	for status := pod_status.Pending; status < behindStatuses; status <<= 1 {
		named[status.String()] = status
	}
	return named
}()

// scenario is what the solver would hand to the validators.
type scenario struct {
	preemptor *podgroup_info.PodGroupInfo
	victims   map[common_info.PodGroupID]*api.VictimInfo
}

func (s *scenario) GetPreemptor() *podgroup_info.PodGroupInfo { return s.preemptor }

func (s *scenario) GetVictims() map[common_info.PodGroupID]*api.VictimInfo { return s.victims }

func (s *scene) scenario(preemptor string, victims []givenVictim) *scenario {
	made := &scenario{s.jobs[preemptor], map[common_info.PodGroupID]*api.VictimInfo{}}
	for _, victim := range victims {
		job := s.jobs[victim.Job]
		if made.victims[job.UID] == nil {
			made.victims[job.UID] = &api.VictimInfo{Job: job}
		}
		for _, name := range victim.Pods {
			made.victims[job.UID].Tasks = append(made.victims[job.UID].Tasks, s.pods[victim.Job][name])
		}
	}
	return made
}
