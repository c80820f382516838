package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/scheduler"
	"sigs.k8s.io/kueue/pkg/scheduler/flavorassigner"
	preemptexpectations "sigs.k8s.io/kueue/pkg/scheduler/preemption/expectations"
	"sigs.k8s.io/kueue/pkg/util/expectations"
	"sigs.k8s.io/kueue/pkg/util/routine"
	"sigs.k8s.io/kueue/pkg/workload"
)

// rawCycle is the input of cycle: that of decide, with LocalQueues and several pending Workloads.
type rawCycle struct {
	rawScenario
	LocalQueues []json.RawMessage `json:"localQueues"`
	Pending     []json.RawMessage `json:"pending"`
}

// cycleInput is a decoded input of cycle.
type cycleInput struct {
	*scenario
	localQueues []*kueue.LocalQueue
	pending     []*kueue.Workload
}

// cycleOutput is the output of one cycle request. What Kueue leaves to chance, such as the order of heads that
// are equal in everything, gives several variants.
type cycleOutput struct {
	Heads        []cycleHead   `json:"heads"`
	Stable       bool          `json:"stable"`
	Variants     [][]cycleHead `json:"variants"`
	UnknownGates []string      `json:"unknownGates,omitempty"`
	Ignored      []string      `json:"ignored,omitempty"`
	Refused      []string      `json:"refused,omitempty"`
}

// cycleHead is what a cycle does with one head.
type cycleHead struct {
	Workload     string `json:"workload"`
	ClusterQueue string `json:"clusterQueue"`
	Mode         string `json:"mode"`
	Status       string `json:"status"`
	Requeue      string `json:"requeue"`
	// InHeap says whether it waits where the next cycle finds it.
	InHeap bool `json:"inHeap"`
	// PendingFlavors says whether the scan of flavors stopped before the last one: the next cycle goes on there.
	PendingFlavors bool        `json:"pendingFlavors"`
	Preempted      []preempted `json:"preempted"`
	Ongoing        []string    `json:"ongoing"`
	Message        string      `json:"message"`
}

func (h cycleHead) same(other cycleHead) bool {
	return h.Workload == other.Workload && h.Mode == other.Mode && h.Status == other.Status && h.Requeue == other.Requeue &&
		h.InHeap == other.InHeap && slices.Equal(h.Preempted, other.Preempted) && slices.Equal(h.Ongoing, other.Ongoing)
}

// cycle runs one scheduling cycle of Kueue's own queue manager and scheduler, as often as asked.
func (s *server) cycle(input json.RawMessage, repeat int) (*cycleOutput, error) {
	raw := &rawCycle{}
	if err := json.Unmarshal(input, raw); err != nil {
		return nil, badInput("input", "%v", err)
	}
	s.forgetMetrics()
	unknown, err := s.gates.apply(raw.FeatureGates)
	if err != nil {
		return nil, err
	}
	var first *cycleOutput
	var variants [][]cycleHead
	for range repeat {
		given, err := decodeCycle(raw) // anew: the scheduler writes to its objects
		if err != nil {
			return nil, err
		}
		output, err := cycleOnce(given)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = output
		}
		known := func(heads []cycleHead) bool { return slices.EqualFunc(heads, output.Heads, cycleHead.same) }
		if !slices.ContainsFunc(variants, known) {
			variants = append(variants, output.Heads)
		}
	}
	first.UnknownGates = unknown
	first.Stable, first.Variants = len(variants) == 1, variants
	return first, nil
}

func decodeCycle(raw *rawCycle) (*cycleInput, error) {
	raw.Incoming = json.RawMessage("{}") // what decide asks about plays no part here
	found, err := decodeScenario(&raw.rawScenario)
	if err != nil {
		return nil, err
	}
	given := &cycleInput{scenario: found}
	if given.localQueues, err = decodeList[kueue.LocalQueue](raw.LocalQueues, "localQueues"); err != nil {
		return nil, err
	}
	given.pending, err = decodeList[kueue.Workload](raw.Pending, "pending")
	return given, err
}

func cycleOnce(s *cycleInput) (*cycleOutput, error) {
	watch := &cycleWatch{heads: map[string]*cycleHead{}}
	log := logr.New(watch)
	ctx, cancel := context.WithCancel(ctrl.LoggerInto(context.Background(), log))
	defer cancel()
	api := newPatientCluster(slices.Concat(s.pending, s.admitted))
	cache, ignored, err := buildCache(ctx, s.scenario, api)
	if err != nil {
		return nil, err
	}
	issued := preemptexpectations.New()
	queues, refused, err := buildQueues(ctx, s, cache, api, issued)
	if err != nil {
		return nil, err
	}
	active := slices.ContainsFunc(s.pending, func(w *kueue.Workload) bool {
		return len(queues.PendingWorkloadsInfo(queueOf(s, w))) > 0 && cache.ClusterQueueActive(queueOf(s, w))
	})
	if active {
		cycles := scheduler.New(queues, cache, api, silentRecorder{},
			scheduler.WithFairSharing(s.fairSharing),
			scheduler.WithPodsReadyRequeuingTimestamp(s.requeuingTimestamp),
			scheduler.WithPreemptionExpectations(issued),
			scheduler.WithClock(nil, clocktesting.NewFakeClock(s.now)))
		var admissions sync.WaitGroup
		setAdmissionRoutineWrapper(cycles, routine.NewWrapper(func() { admissions.Add(1) }, admissions.Done))
		go func() { <-ctx.Done(); queues.Broadcast() }()
		schedule(cycles, ctx)
		admissions.Wait()
	}
	return &cycleOutput{Heads: watch.inOrder(queues), Ignored: ignored, Refused: refused}, nil
}

// queueOf is the ClusterQueue that a pending Workload's LocalQueue points to.
func queueOf(s *cycleInput, pending *kueue.Workload) kueue.ClusterQueueReference {
	for _, local := range s.localQueues {
		if local.Namespace == pending.Namespace && local.Name == string(pending.Spec.QueueName) {
			return local.Spec.ClusterQueue
		}
	}
	return ""
}

// buildQueues fills a new queue manager. Workloads that it does not queue are returned by name.
func buildQueues(ctx context.Context, s *cycleInput, cache *schdcache.Cache, api client.Client, issued *expectations.Store) (*qcache.Manager, []string, error) {
	log := logr.FromContextOrDiscard(ctx)
	queues := qcache.NewManagerForUnitTests(api, cache,
		qcache.WithClock(clocktesting.NewFakeClock(s.now)),
		qcache.WithPreemptionExpectations(issued),
		qcache.WithPodsReadyRequeuingTimestamp(s.requeuingTimestamp))
	for _, cohort := range s.cohorts {
		queues.AddOrUpdateCohort(ctx, cohort)
	}
	for i, queue := range s.clusterQueues {
		if err := queues.AddClusterQueue(ctx, queue); err != nil {
			return nil, nil, badInput(fmt.Sprintf("clusterQueues[%d]", i), "%v", err)
		}
	}
	for i, local := range s.localQueues {
		if err := queues.AddLocalQueue(ctx, local); err != nil {
			return nil, nil, badInput(fmt.Sprintf("localQueues[%d]", i), "%v", err)
		}
	}
	var refused []string
	for _, pending := range s.pending {
		if err := queues.AddOrUpdateWorkload(log, pending); err != nil {
			refused = append(refused, fmt.Sprintf("%s: %v", workload.Key(pending), err))
		}
	}
	return queues, refused, nil
}

// patientCluster is an API server that has some Workloads and every Namespace, and lets every change of a status
// pass unseen: nothing reads it in the same cycle.
type patientCluster struct {
	emptyCluster
	workloads map[client.ObjectKey]*kueue.Workload
}

func newPatientCluster(workloads []*kueue.Workload) patientCluster {
	found := patientCluster{workloads: map[client.ObjectKey]*kueue.Workload{}}
	for _, w := range workloads {
		found.workloads[client.ObjectKeyFromObject(w)] = w.DeepCopy()
	}
	return found
}

func (c patientCluster) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	switch wanted := object.(type) {
	case *corev1.Namespace:
		wanted.SetName(key.Name)
		return nil
	case *kueue.Workload:
		if known := c.workloads[key]; known != nil {
			known.DeepCopyInto(wanted)
			return nil
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{}, key.String())
}

func (patientCluster) Status() client.SubResourceWriter { return passing{} }

// passing lets changes pass; another method than these is a nil call, as with emptyCluster.
type passing struct{ client.SubResourceWriter }

func (passing) Patch(context.Context, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
	return nil
}

func (passing) Update(context.Context, client.Object, ...client.SubResourceUpdateOption) error {
	return nil
}

type silentRecorder struct{}

func (silentRecorder) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {
}

// cycleWatch reads in Kueue's own log what a cycle does: in no other place is the order of its entries to be seen.
type cycleWatch struct {
	mutex sync.Mutex
	order []string
	heads map[string]*cycleHead
}

const (
	logTurn     = "Attempting to schedule workload"
	logEntry    = "Workload evaluated for admission"
	logVictim   = "Preempted"
	logOngoing  = "Preemption ongoing"
	logRequeue  = "Workload re-queued"
	logFinest   = 4
	keyWorkload = "workload"
)

func (*cycleWatch) Init(logr.RuntimeInfo)                       {}
func (*cycleWatch) Enabled(level int) bool                      { return level <= logFinest }
func (w *cycleWatch) WithName(string) logr.LogSink              { return w }
func (w *cycleWatch) WithValues(values ...any) logr.LogSink     { return &boundWatch{w, values} }
func (*cycleWatch) Error(error, string, ...any)                 {}
func (w *cycleWatch) Info(_ int, message string, values ...any) { w.note(message, values) }

// boundWatch is the watch of a logger that carries values.
type boundWatch struct {
	*cycleWatch
	values []any
}

func (w *boundWatch) WithName(string) logr.LogSink { return w }
func (w *boundWatch) WithValues(values ...any) logr.LogSink {
	return &boundWatch{w.cycleWatch, slices.Concat(w.values, values)}
}
func (w *boundWatch) Info(_ int, message string, values ...any) {
	w.note(message, slices.Concat(w.values, values))
}

func (w *cycleWatch) note(message string, values []any) {
	switch message {
	case logTurn, logEntry, logVictim, logOngoing, logRequeue:
	default:
		return
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	said := map[string]any{}
	for i := 0; i+1 < len(values); i += 2 {
		said[fmt.Sprint(values[i])] = values[i+1]
	}
	name := func(key string) string { return fmt.Sprint(said[key]) }
	switch message {
	case logTurn:
		w.order = append(w.order, name(keyWorkload))
		w.head(name(keyWorkload)).ClusterQueue = name("clusterQueue")
	case logEntry:
		head := w.head(name(keyWorkload))
		head.ClusterQueue, head.Status, head.Message = name("clusterQueue"), name("status"), name("reason")
		if assignment, ok := said["nominatedAssignment"].(flavorassigner.Assignment); ok {
			head.Mode, head.PendingFlavors = assignment.RepresentativeMode().String(), assignment.LastState.PendingFlavors()
		}
	case logVictim:
		head := w.head(name("preemptingWorkload"))
		head.Preempted = append(head.Preempted, preempted{
			Workload:     name("targetWorkload"),
			ClusterQueue: kueue.ClusterQueueReference(name("targetClusterQueue")),
			Reason:       name("reason"),
		})
	case logOngoing:
		head := w.head(name("preemptingWorkload"))
		head.Ongoing = append(head.Ongoing, name("targetWorkload"))
	case logRequeue:
		w.head(name(keyWorkload)).Requeue = name("requeueReason")
	}
}

func (w *cycleWatch) head(name string) *cycleHead {
	found := w.heads[name]
	if found == nil {
		found = &cycleHead{Workload: name, Preempted: []preempted{}, Ongoing: []string{}}
		w.heads[name] = found
	}
	return found
}

// inOrder is every head as it was handled, those that were not handled at the end; and where they wait now.
func (w *cycleWatch) inOrder(queues *qcache.Manager) []cycleHead {
	rest := []string{}
	for name := range w.heads {
		if !slices.Contains(w.order, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	waiting := map[string]bool{}
	for _, keys := range queues.Dump() {
		for _, key := range keys {
			waiting[string(key)] = true
		}
	}
	heads := []cycleHead{}
	for _, name := range slices.Concat(w.order, rest) {
		head := *w.heads[name]
		head.InHeap = waiting[name]
		slices.SortFunc(head.Preempted, targetOrder)
		slices.Sort(head.Ongoing)
		heads = append(heads, head)
	}
	return heads
}
