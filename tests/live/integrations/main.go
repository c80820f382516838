// Command integrations prints the Workloads that Kueue makes of manifests of jobs.
//
// Each file given is a cluster of its own, with the objects of cluster.yaml. All get the defaults of the API
// server, pass through Kueue's mutating webhooks and are reconciled by Kueue's own integrations, with a client
// that keeps objects in memory: no server is started.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

//go:embed cluster.yaml
var common []byte

// workloadsOf applies one file to an empty cluster.
func workloadsOf(ctx context.Context, path string, defaults structuralDefaults) ([]kueue.Workload, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	cluster, err := newCluster(ctx, defaults)
	if err != nil {
		return nil, err
	}
	for _, document := range slices.Concat(documents(common), documents(text)) {
		if err := cluster.apply(ctx, document); err != nil {
			return nil, err
		}
	}
	if err := cluster.reconcile(ctx); err != nil {
		return nil, err
	}
	return cluster.workloads(ctx)
}

// plain is an object as `kubectl get -o json` prints it, without what only a client in memory adds.
func plain(workload kueue.Workload) (map[string]any, error) {
	workload.APIVersion, workload.Kind = kueue.SchemeGroupVersion.String(), "Workload"
	workload.ResourceVersion = ""
	text, err := json.Marshal(workload)
	if err != nil {
		return nil, err
	}
	object := map[string]any{}
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, err
	}
	return object, nil
}

func run(paths []string) error {
	ctx := quietContext()
	// An integration in alpha is recorded too; all other gates have the defaults of the release.
	if err := utilfeature.DefaultMutableFeatureGate.Set("SparkApplicationIntegration=true"); err != nil {
		return err
	}
	defaults, err := readDefaults()
	if err != nil {
		return err
	}
	recorded := map[string][]map[string]any{}
	slices.Sort(paths)
	for _, path := range paths {
		workloads, err := workloadsOf(ctx, path, defaults)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		recorded[name] = []map[string]any{}
		for _, workload := range workloads {
			object, err := plain(workload)
			if err != nil {
				return err
			}
			recorded[name] = append(recorded[name], object)
		}
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", " ")
	return encoder.Encode(recorded)
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
