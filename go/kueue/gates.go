package main

import (
	"slices"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
)

// gates sets Kueue's feature gates. They are one global of the process, so every request starts
// from the defaults of the release again.
type gates struct {
	known   map[featuregate.Feature]featuregate.FeatureSpec
	current map[string]bool
}

func newGates() *gates {
	g := &gates{known: utilfeature.DefaultMutableFeatureGate.GetAll(), current: map[string]bool{}}
	// The two switches for whole stages would change gates behind the back of current.
	delete(g.known, "AllAlpha")
	delete(g.known, "AllBeta")
	for name := range g.known {
		g.current[string(name)] = utilfeature.DefaultFeatureGate.Enabled(name)
	}
	return g
}

// apply sets the wanted gates and the defaults of all others, and names those that the release does
// not have, sorted. A locked gate is refused here, before the registry sees it: the registry would
// remember the refused value, and refuse every later change as well.
func (g *gates) apply(wanted map[string]bool) (unknown []string, err error) {
	for name, value := range wanted {
		spec, ok := g.known[featuregate.Feature(name)]
		if !ok {
			unknown = append(unknown, name)
		} else if spec.LockToDefault && value != spec.Default {
			return nil, badInput("featureGates."+name, "found %v, but this release locks it to %v", value, spec.Default)
		}
	}
	slices.Sort(unknown)
	changes := g.changes(wanted)
	if len(changes) == 0 {
		return unknown, nil
	}
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(changes); err != nil {
		return nil, badInput("featureGates", "%v", err)
	}
	for name, value := range changes {
		g.current[name] = value
	}
	return unknown, nil
}

func (g *gates) changes(wanted map[string]bool) map[string]bool {
	changes := map[string]bool{}
	for feature, spec := range g.known {
		name, value := string(feature), spec.Default
		if asked, ok := wanted[name]; ok {
			value = asked
		}
		if value != g.current[name] {
			changes[name] = value
		}
	}
	return changes
}
