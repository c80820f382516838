package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	utilyaml "sigs.k8s.io/yaml"
)

// definitions are where the modules of jobs keep their CustomResourceDefinitions.
var definitions = map[string]string{
	"sigs.k8s.io/jobset":                          "config/components/crd/bases",
	"sigs.k8s.io/lws":                             "config/crd/bases",
	"github.com/kubeflow/mpi-operator":            "manifests/base",
	"github.com/kubeflow/spark-operator/v2":       "config/crd/bases",
	"github.com/kubeflow/trainer/v2":              "manifests/base/crds",
	"github.com/kubeflow/training-operator":       "manifests/base/crds",
	"github.com/project-codeflare/appwrapper":     "config/crd/bases",
	"github.com/ray-project/kuberay/ray-operator": "config/crd/bases",
	"sigs.k8s.io/kueue":                           "config/components/crd/bases",
}

// structuralDefaults are the defaults that the schemas of CustomResourceDefinitions have, by kind.
type structuralDefaults map[schema.GroupVersionKind]*structuralschema.Structural

func (d structuralDefaults) apply(object *unstructured.Unstructured) {
	if found := d[object.GroupVersionKind()]; found != nil {
		defaulting.Default(object.Object, found)
	}
}

// setBuiltinDefaults sets what the API server does for kinds of its own.
func setBuiltinDefaults(object runtime.Object) { legacyscheme.Scheme.Default(object) }

func readDefaults() (structuralDefaults, error) {
	read := structuralDefaults{}
	for module, folder := range definitions {
		found, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
		if err != nil {
			return nil, err
		}
		files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(found)), folder, "*_*.yaml"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			// The MPIJob of the training operator is another version of the kind, which Kueue does not read.
			if strings.Contains(module, "training-operator") && strings.Contains(file, "mpijobs") {
				continue
			}
			if err := read.add(file); err != nil {
				return nil, err
			}
		}
	}
	return read, nil
}

func (d structuralDefaults) add(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := utilyaml.Unmarshal(text, &definition); err != nil {
		return err
	}
	for _, version := range definition.Spec.Versions {
		var internal apiextensions.JSONSchemaProps
		props := version.Schema.OpenAPIV3Schema
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, &internal, nil); err != nil {
			return err
		}
		structural, err := structuralschema.NewStructural(&internal)
		if err != nil {
			return err
		}
		gvk := schema.GroupVersionKind{
			Group: definition.Spec.Group, Version: version.Name, Kind: definition.Spec.Names.Kind,
		}
		d[gvk] = structural
	}
	return nil
}
