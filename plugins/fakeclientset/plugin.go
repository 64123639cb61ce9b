// Package fakeclientset puts client-go's fake clientset (kubernetes/fake) to
// the watchcache suite: most controllers are tested against it, so how it
// differs from an API server matters to whoever trusts those tests.
//
// The target makes clientsets with NewSimpleClientset, which most tests call.
// NewClientset adds field management in front of the same tracker, and so
// serves applies, which the other does not; a test shows that it deviates alike.
//
// Objects of the fake carry no resourceVersion, so comparable-rv, bookmarks and
// watchlist are not declared. What it takes without an error and then ignores
// (selectors on watch, preconditions) is: these are failures, not skips. The
// known ones are in known.json, each with the upstream issue.
package fakeclientset

import (
	"context"
	_ "embed"
	"fmt"
	"runtime/debug"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
)

// Name is the connect string of the target.
const Name = "go:fakeclientset"

//go:embed known.json
var known []byte

// Features are what the fake clientset declares.
func Features() []harness.Feature {
	return []harness.Feature{
		harness.VirtualTime,
		watchcache.Patch,
		watchcache.JSONPatch,
		watchcache.StrategicPatch,
		watchcache.LabelWatch,
		watchcache.FieldWatch,
		watchcache.Precondition,
		watchcache.DeleteCollection,
		watchcache.GenerateName,
		watchcache.PlainUpdate,
		watchcache.UpdateNeedsObject,
		watchcache.DryRun,
		watchcache.SoleWriter,
	}
}

// Known are the known failures, as the target brings them with it.
func Known() ([]harness.Known, error) {
	return harness.ParseKnown("plugins/fakeclientset/known.json", known)
}

// Open opens the target; it takes no argument. It silences what client-go
// shares between all bubbles of a process.
func Open(_ context.Context, arg string) (harness.Target, error) {
	if arg != "" {
		return harness.Target{}, fmt.Errorf("the target %s takes no argument, and %q was given", Name, arg)
	}
	lines, err := Known()
	if err != nil {
		return harness.Target{}, err
	}
	cases := Cases(func() kubernetes.Interface { return fake.NewSimpleClientset() })
	return harness.Target{Name: Name, Cases: cases, Known: lines}, nil
}

// Cases binds the suite to clientsets that open makes, one for each check; more is what they declare beside Features.
func Cases(open func() kubernetes.Interface, more ...harness.Feature) []harness.Case {
	quiet()
	return watchcache.Suite.Bind(harness.Plugin[watchcache.Subject]{
		Name:     "client-go kubernetes/fake " + version(),
		Features: append(Features(), more...),
		Open:     func(*harness.T) (watchcache.Subject, error) { return subject{open()}, nil },
	})
}

// subject is a clientset as a watchcache.Subject.
type subject struct{ clientset kubernetes.Interface }

func (s subject) In(namespace string) watchcache.Client {
	return s.clientset.CoreV1().ConfigMaps(namespace)
}

// version of client-go in this program, where that is known.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path != "k8s.io/client-go" {
			continue
		}
		if m.Replace != nil {
			return m.Replace.Version
		}
		return m.Version
	}
	return ""
}
