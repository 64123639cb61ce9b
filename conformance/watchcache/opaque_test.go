package watchcache_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full/cases"
	"github.com/lwtest/lwtest/plugins/fake"
)

// A vendor whose resourceVersions say nothing but whether two are equal, texts
// or numbers in no order, and who therefore does not declare comparable-rv, or
// declares nothing.
func TestOpaqueVersions(t *testing.T) {
	var all []harness.Feature
	for _, f := range watchcache.Suite.Features {
		all = append(all, f.Name)
	}
	for name, v := range map[string]scramble{"numbers": "", "texts": "v"} {
		for declares, without := range map[string][]harness.Feature{"all else": {watchcache.ComparableRV}, "nothing": all} {
			t.Run(name+"/declares "+declares, func(t *testing.T) { failNothing(t, cases.Part(t, v.cases(without), 6, 0)) })
		}
	}
}

// scramble makes resourceVersions of others, one to one: they begin with a text and are in no order.
type scramble string

const scrambling, straightening = 2654435761, 244002641 // their product is 1 modulo 2^32

func (s scramble) show(rv string) string {
	n, err := strconv.ParseUint(rv, 10, 32)
	if err != nil || n == 0 {
		return rv
	}
	return fmt.Sprint(string(s), uint32(n)*scrambling)
}

func (s scramble) read(rv string) string {
	text, ok := strings.CutPrefix(rv, string(s))
	n, err := strconv.ParseUint(text, 10, 32)
	if !ok || err != nil {
		return rv
	}
	return fmt.Sprint(uint32(n) * straightening)
}

// cases binds the suite to the fake with such resourceVersions.
func (s scramble) cases(without []harness.Feature) []harness.Case {
	has := slices.DeleteFunc(fake.Features(), func(f harness.Feature) bool {
		return administered(f) || f == watchcache.DeleteAnswer || slices.Contains(without, f) // ConfigMaps of an API do not tell the answer of a delete
	})
	return watchcache.Suite.Bind(harness.Plugin[watchcache.Subject]{Name: "vendor", Features: has,
		Open: func(t *harness.T) (watchcache.Subject, error) {
			server := apiserver.New(apiserver.Options{Seed: uint64(t.Seed()), NoShards: !t.Has(watchcache.Shards), OnWatch: s.watch})
			t.Cleanup(func() { _ = server.Close() }) // its error is always nil
			return served{scrambled{server, s}}, nil
		}})
}

// watch is the server's OnWatch.
func (s scramble) watch(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
	o.ResourceVersion = s.read(o.ResourceVersion)
	return func(e watch.Event, c apiserver.Cause) []watch.Event {
		if c == apiserver.End {
			return nil
		}
		s.object(e.Object, nil)
		return []watch.Event{e}
	}
}

// object scrambles what an object shows.
func (s scramble) object(obj runtime.Object, err error) (runtime.Object, error) {
	if m, no := meta.Accessor(obj); err == nil && no == nil {
		m.SetResourceVersion(s.show(m.GetResourceVersion()))
	}
	return obj, err
}

type scrambled struct {
	apiserver.API
	scramble
}

func (s scrambled) Create(ctx context.Context, q apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
	return s.object(s.API.Create(ctx, q, obj, o))
}

func (s scrambled) Update(ctx context.Context, q apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
	obj = obj.DeepCopyObject()
	m := obj.(metav1.Object)
	m.SetResourceVersion(s.read(m.GetResourceVersion()))
	return s.object(s.API.Update(ctx, q, obj, o))
}

// versionInPatch is a resourceVersion in a merge patch, an apply, or an operation of a JSON patch.
var versionInPatch = regexp.MustCompile(`("resourceVersion":|"path":"/metadata/resourceVersion","value":)"([^"]*)"`)

func (s scrambled) Patch(ctx context.Context, q apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
	data = versionInPatch.ReplaceAllFunc(data, func(b []byte) []byte {
		m := versionInPatch.FindSubmatch(b)
		return fmt.Appendf(nil, `%s%q`, m[1], s.read(string(m[2])))
	})
	return s.object(s.API.Patch(ctx, q, pt, data, o))
}

func (s scrambled) Delete(ctx context.Context, q apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
	if p := o.Preconditions; p != nil && p.ResourceVersion != nil {
		rv, asked := s.read(*p.ResourceVersion), *p
		asked.ResourceVersion, o.Preconditions = &rv, &asked
	}
	return s.API.Delete(ctx, q, o)
}

func (s scrambled) Get(ctx context.Context, q apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
	o.ResourceVersion = s.read(o.ResourceVersion)
	return s.object(s.API.Get(ctx, q, o))
}

func (s scrambled) List(ctx context.Context, q apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
	o.ResourceVersion = s.read(o.ResourceVersion)
	l, err := s.API.List(ctx, q, o)
	if m, no := meta.ListAccessor(l); err == nil && no == nil {
		m.SetResourceVersion(s.show(m.GetResourceVersion()))
		err = meta.EachListItem(l, func(obj runtime.Object) error {
			_, err := s.object(obj, nil)
			return err
		})
	}
	return l, err
}
