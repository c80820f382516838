package peer

import (
	"reflect"
	"time"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/common_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/podgroup_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/queue_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/framework"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/plugins/minruntime"
)

type queues = map[common_info.QueueID]*queue_info.QueueInfo

// plugin is the real one in a session of its own. What it exports is asked through the session, as the
// scheduler's actions do; what it does not export is reached by the linker and by reflection.
type plugin struct {
	real    framework.Plugin
	session *framework.Session
	queues  queues
}

func newPlugin(arguments map[string]string, all queues) *plugin {
	p := &plugin{real: minruntime.New(framework.PluginArguments(arguments)), queues: all}
	p.open()
	return p
}

func (p *plugin) open() {
	p.session = &framework.Session{ClusterInfo: &api.ClusterInfo{Queues: p.queues}}
	p.real.OnSessionOpen(p.session)
}

func (p *plugin) reopen() {
	p.real.OnSessionClose(p.session)
	p.open()
}

func (p *plugin) filter(action string, pending, victim *podgroup_info.PodGroupInfo) bool {
	if action == "preempt" {
		return p.session.PreemptVictimFilter(pending, victim)
	}
	return p.session.ReclaimVictimFilter(pending, victim)
}

func (p *plugin) validate(action string, scenario api.ScenarioInfo) bool {
	if action == "preempt" {
		return p.session.PreemptScenarioValidator(scenario)
	}
	return p.session.ReclaimScenarioValidatorFn(scenario)
}

func (p *plugin) protected(action string, pending, victim *podgroup_info.PodGroupInfo) bool {
	if action == "preempt" {
		return isPreemptMinRuntimeProtected(p.pointer(), pending, victim)
	}
	return isReclaimMinRuntimeProtected(p.pointer(), pending, victim)
}

// resolve gives the default where a queue is missing, as the plugin goes on with it.
func (p *plugin) resolve(action string, pending, victim *queue_info.QueueInfo) (time.Duration, bool) {
	resolver := p.field("resolver").UnsafePointer()
	var found metav1.Duration
	var err error
	if action == "preempt" {
		found, err = getPreemptMinRuntime(resolver, victim)
	} else {
		found, err = getReclaimMinRuntime(resolver, p.method(), pending, victim)
	}
	return found.Duration, err != nil
}

func (p *plugin) path(queue *queue_info.QueueInfo) []*queue_info.QueueInfo {
	return getQueueHierarchyPath(p.field("resolver").UnsafePointer(), queue)
}

func (p *plugin) method() string { return p.field("reclaimResolveMethod").String() }

func (p *plugin) defaultNs(field string) int64 { return p.field(field).Field(0).Int() }

func (p *plugin) field(name string) reflect.Value {
	return reflect.ValueOf(p.real).Elem().FieldByName(name)
}

func (p *plugin) pointer() unsafe.Pointer { return reflect.ValueOf(p.real).UnsafePointer() }

//go:linkname isPreemptMinRuntimeProtected github.com/NVIDIA/KAI-scheduler/pkg/scheduler/plugins/minruntime.(*minruntimePlugin).isPreemptMinRuntimeProtected
func isPreemptMinRuntimeProtected(plugin unsafe.Pointer, pending, victim *podgroup_info.PodGroupInfo) bool

//go:linkname isReclaimMinRuntimeProtected github.com/NVIDIA/KAI-scheduler/pkg/scheduler/plugins/minruntime.(*minruntimePlugin).isReclaimMinRuntimeProtected
func isReclaimMinRuntimeProtected(plugin unsafe.Pointer, pending, victim *podgroup_info.PodGroupInfo) bool

//go:linkname getPreemptMinRuntime github.com/NVIDIA/KAI-scheduler/pkg/scheduler/plugins/minruntime.(*resolver).getPreemptMinRuntime
func getPreemptMinRuntime(resolver unsafe.Pointer, queue *queue_info.QueueInfo) (metav1.Duration, error)

//go:linkname getReclaimMinRuntime github.com/NVIDIA/KAI-scheduler/pkg/scheduler/plugins/minruntime.(*resolver).getReclaimMinRuntime
func getReclaimMinRuntime(resolver unsafe.Pointer, method string, pending, victim *queue_info.QueueInfo) (metav1.Duration, error)

//go:linkname getQueueHierarchyPath github.com/NVIDIA/KAI-scheduler/pkg/scheduler/plugins/minruntime.(*resolver).getQueueHierarchyPath
func getQueueHierarchyPath(resolver unsafe.Pointer, queue *queue_info.QueueInfo) []*queue_info.QueueInfo
