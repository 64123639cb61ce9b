package clientgo

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"k8s.io/client-go/features"
)

// gates are client-go's feature gates, each with what it is by default.
type gates map[features.Feature]features.FeatureSpec

// Add is what client-go tells of them by.
func (g gates) Add(of map[features.Feature]features.FeatureSpec) error {
	maps.Copy(g, of)
	return nil
}

func allGates() gates {
	g := gates{}
	_ = features.AddFeaturesToExistingFeatureGates(g) // its error is Add's
	return g
}

// SetGates sets feature gates of client-go, of the form NAME=true or NAME=false, in this process and in those that it
// starts from now on. They are a whole process's: nothing that uses client-go may be under way. An error sets nothing.
func SetGates(all []string) error {
	to := map[features.Feature]bool{}
	for _, s := range all {
		name, on, err := gate(s)
		if err != nil {
			return err
		}
		if was, twice := to[name]; twice && was != on {
			return fmt.Errorf("the feature gate %s is given twice, on and off", name)
		}
		to[name] = on
	}
	set, ok := features.FeatureGates().(interface {
		Set(features.Feature, bool) error
	})
	if !ok {
		return fmt.Errorf("client-go's feature gates are a %T, which cannot be set", features.FeatureGates())
	}
	for name, on := range to {
		if err := os.Setenv("KUBE_FEATURE_"+string(name), strconv.FormatBool(on)); err != nil {
			return err
		}
		if err := set.Set(name, on); err != nil {
			return err
		}
	}
	return nil
}

// gate reads NAME=true or NAME=false.
func gate(s string) (features.Feature, bool, error) {
	name, value, _ := strings.Cut(s, "=")
	spec, known := allGates()[features.Feature(name)]
	on, err := strconv.ParseBool(value)
	switch {
	case !known:
		return "", false, fmt.Errorf("client-go has no feature gate %q: there are %v", name, slices.Sorted(maps.Keys(allGates())))
	case err != nil:
		return "", false, fmt.Errorf("the feature gate %s is to be %q: say %s=true or %s=false", name, value, name, name)
	case spec.LockToDefault && on != spec.Default:
		return "", false, fmt.Errorf("client-go has the feature gate %s locked: it stays %t", name, spec.Default)
	}
	return features.Feature(name), on, nil
}

// Gates are those that are not as by default, sorted, of the form NAME=false; who has set them is all the same.
func Gates() (out []string) {
	for name, spec := range allGates() {
		if on := features.FeatureGates().Enabled(name); on != spec.Default {
			out = append(out, fmt.Sprintf("%s=%t", name, on))
		}
	}
	slices.Sort(out)
	return out
}
