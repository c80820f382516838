package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"sort"
	"strings"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	utilyaml "sigs.k8s.io/yaml"

	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/controller/core/indexer"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"
	_ "sigs.k8s.io/kueue/pkg/controller/jobs"
	utilpod "sigs.k8s.io/kueue/pkg/util/pod"
)

// created is when the first object of every cluster was created; the others follow by a second each.
var created = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// cluster is what one file of manifests becomes.
type cluster struct {
	client      client.Client
	scheme      *runtime.Scheme
	defaults    structuralDefaults
	webhooks    *capturedWebhooks
	reconcilers map[schema.GroupVersionKind]jobframework.JobReconcilerInterface
	applied     []client.Object
}

func quietContext() context.Context {
	ctrl.SetLogger(logr.Discard())
	return ctrl.LoggerInto(context.Background(), logr.Discard())
}

// indexes collects what would be registered with the cache of a manager.
type indexes struct{ builder *fake.ClientBuilder }

func (i indexes) IndexField(_ context.Context, obj client.Object, field string, by client.IndexerFunc) error {
	i.builder.WithIndex(obj, field, by)
	return nil
}

// capturedWebhooks is a server that keeps its handlers, so that they can be called without one.
type capturedWebhooks struct{ handlers map[string]http.Handler }

func (w *capturedWebhooks) NeedLeaderElection() bool                   { return false }
func (w *capturedWebhooks) Register(path string, handler http.Handler) { w.handlers[path] = handler }
func (w *capturedWebhooks) Start(context.Context) error                { return nil }
func (w *capturedWebhooks) StartedChecker() healthz.Checker            { return nil }
func (w *capturedWebhooks) WebhookMux() *http.ServeMux                 { return http.NewServeMux() }

var _ webhook.Server = &capturedWebhooks{}

func newCluster(ctx context.Context, defaults structuralDefaults) (*cluster, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, kueue.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	builder := fake.NewClientBuilder().WithScheme(scheme)
	if err := indexer.Setup(ctx, indexes{builder}); err != nil {
		return nil, err
	}
	var names []string
	err := jobframework.ForEachIntegration(func(name string, callbacks jobframework.IntegrationCallbacks) error {
		names = append(names, name)
		if callbacks.AddToScheme != nil {
			if err := callbacks.AddToScheme(scheme); err != nil {
				return err
			}
		}
		if callbacks.SetupIndexes != nil {
			return callbacks.SetupIndexes(ctx, indexes{builder})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	c := &cluster{
		client:      builder.Build(),
		scheme:      scheme,
		defaults:    defaults,
		webhooks:    &capturedWebhooks{map[string]http.Handler{}},
		reconcilers: map[schema.GroupVersionKind]jobframework.JobReconcilerInterface{},
	}
	queues := qcache.NewManagerForUnitTests(c.client, nil)
	cache := schdcache.New(c.client)
	options := []jobframework.Option{
		jobframework.WithEnabledFrameworks(names),
		jobframework.WithManagerName("kueue"),
		jobframework.WithQueues(queues),
		jobframework.WithCache(cache),
	}
	mgr, err := c.manager()
	if err != nil {
		return nil, err
	}
	return c, jobframework.ForEachIntegration(func(name string, callbacks jobframework.IntegrationCallbacks) error {
		jobframework.EnableIntegration(name)
		if err := callbacks.SetupWebhook(mgr, options...); err != nil {
			return err
		}
		gvk, err := apiutil.GVKForObject(callbacks.JobType, scheme)
		if err != nil {
			return err
		}
		recorder := events.NewFakeRecorder(1000)
		reconciler, err := callbacks.NewReconciler(ctx, c.client, indexes{builder}, recorder, options...)
		c.reconcilers[gvk] = reconciler
		return err
	})
}

// manager is what webhooks are registered with; it is never started and reaches no server.
func (c *cluster) manager() (manager.Manager, error) {
	return ctrl.NewManager(&rest.Config{Host: "http://127.0.0.1:1"}, ctrl.Options{
		Scheme:        c.scheme,
		Metrics:       metricsserver.Options{BindAddress: "0"},
		WebhookServer: c.webhooks,
		NewClient:     func(*rest.Config, client.Options) (client.Client, error) { return c.client, nil },
		MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) {
			return meta.NewDefaultRESTMapper(nil), nil
		},
	})
}

// documents are the parts of a YAML file.
func documents(text []byte) [][]byte {
	var parts [][]byte
	for _, part := range strings.Split("\n"+string(text), "\n---") {
		if strings.TrimSpace(part) != "" {
			parts = append(parts, []byte(part))
		}
	}
	return parts
}

// apply creates one object as the API server would: defaults, webhooks, identity.
func (c *cluster) apply(ctx context.Context, document []byte) error {
	fields := map[string]any{}
	if err := utilyaml.UnmarshalStrict(document, &fields); err != nil {
		return err
	}
	raw := &unstructured.Unstructured{Object: fields}
	c.defaults.apply(raw)
	typed, err := c.scheme.New(raw.GroupVersionKind())
	if err != nil {
		return err
	}
	text, err := json.Marshal(raw.Object)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(typed); err != nil {
		return err
	}
	setBuiltinDefaults(typed)
	object, ok := typed.(client.Object)
	if !ok {
		return fmt.Errorf("%T is not an object", typed)
	}
	object.GetObjectKind().SetGroupVersionKind(raw.GroupVersionKind())
	return c.create(ctx, object)
}

func (c *cluster) create(ctx context.Context, object client.Object) error {
	gvk := object.GetObjectKind().GroupVersionKind()
	mutated, err := c.mutate(ctx, object, gvk)
	if err != nil {
		return err
	}
	c.identify(mutated)
	mutated.SetGeneration(1)
	if err := c.client.Create(ctx, mutated); err != nil {
		return err
	}
	mutated.GetObjectKind().SetGroupVersionKind(gvk)
	c.applied = append(c.applied, mutated)
	return nil
}

// identify gives an object the uid and the time that the API server would.
func (c *cluster) identify(object client.Object) {
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%T/%s/%s", object, object.GetNamespace(), object.GetName())
	sum := hash.Sum64()
	object.SetUID(types.UID(fmt.Sprintf("%08x-%04x-4%03x-8000-000000000001", sum>>32, sum>>16&0xffff, sum&0xfff)))
	object.SetCreationTimestamp(metav1.NewTime(created.Add(time.Duration(len(c.applied)) * time.Second)))
}

// mutate passes an object through the mutating webhook of its kind, if Kueue has one.
func (c *cluster) mutate(ctx context.Context, object client.Object, gvk schema.GroupVersionKind) (client.Object, error) {
	path := "/mutate-" + strings.ReplaceAll(gvk.Group, ".", "-") + "-" + gvk.Version + "-" + strings.ToLower(gvk.Kind)
	handler, ok := c.webhooks.handlers[path].(*admission.Webhook)
	if !ok {
		return object, nil
	}
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	response := handler.Handle(ctx, admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		UID:       "1",
		Kind:      metav1.GroupVersionKind(gvk),
		Namespace: object.GetNamespace(),
		Name:      object.GetName(),
		Operation: admissionv1.Create,
		Object:    runtime.RawExtension{Raw: text},
	}})
	if !response.Allowed {
		return nil, fmt.Errorf("%s: %v", path, response.Result)
	}
	if len(response.Patches) > 0 {
		written, err := json.Marshal(response.Patches)
		if err != nil {
			return nil, err
		}
		patch, err := jsonpatch.DecodePatch(written)
		if err != nil {
			return nil, err
		}
		if text, err = patch.Apply(text); err != nil {
			return nil, err
		}
	}
	mutated, err := c.scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	return mutated.(client.Object), json.Unmarshal(text, mutated)
}

// reconcile lets Kueue look at every object, and makes the pods of Deployments, as their controller would.
func (c *cluster) reconcile(ctx context.Context) error {
	for _, object := range c.applied {
		if deployment, ok := object.(*appsv1.Deployment); ok {
			if err := c.createPods(ctx, deployment); err != nil {
				return err
			}
		}
	}
	for _, object := range c.applied {
		reconciler := c.reconcilers[object.GetObjectKind().GroupVersionKind()]
		if reconciler == nil {
			continue
		}
		key := client.ObjectKeyFromObject(object)
		if pod, ok := object.(*corev1.Pod); ok && utilpod.GetPodGroupName(pod) != "" {
			key = types.NamespacedName{Namespace: "group/" + pod.Namespace, Name: utilpod.GetPodGroupName(pod)}
		}
		if _, err := reconciler.Reconcile(ctx, ctrl.Request{NamespacedName: key}); err != nil {
			return fmt.Errorf("%s: %w", object.GetName(), err)
		}
	}
	return nil
}

func (c *cluster) createPods(ctx context.Context, deployment *appsv1.Deployment) error {
	isController := true
	for index := range *deployment.Spec.Replicas {
		template := deployment.Spec.Template.DeepCopy()
		pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
		pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
		pod.Namespace = deployment.Namespace
		pod.Name = fmt.Sprintf("%s-pod-%d", deployment.Name, index)
		pod.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "apps/v1", Kind: "ReplicaSet", Name: deployment.Name + "-replicas",
			UID: deployment.UID, Controller: &isController,
		}}
		setBuiltinDefaults(pod)
		if err := c.create(ctx, pod); err != nil {
			return err
		}
	}
	return nil
}

// workloads are those that Kueue has created, by name, with what the API server adds to each.
func (c *cluster) workloads(ctx context.Context) ([]kueue.Workload, error) {
	var list kueue.WorkloadList
	if err := c.client.List(ctx, &list); err != nil {
		return nil, err
	}
	sort.Slice(list.Items, func(i, j int) bool { return list.Items[i].Name < list.Items[j].Name })
	for i := range list.Items {
		c.identify(&list.Items[i])
		list.Items[i].Generation = 1
	}
	return list.Items, nil
}
