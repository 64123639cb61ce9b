package exec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/conformance/node"
	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
)

// check says what is wrong with what an adapter says of itself, if anything is: nothing is asked of such a one, by
// whatever verb.
func (h HelloReply) check() error {
	if h.Protocol != Version {
		return fmt.Errorf("it speaks version %d of the protocol; this lwtest speaks version %d", h.Protocol, Version)
	}
	if len(h.Offers) == 0 {
		return fmt.Errorf("it offers nothing: name at least one kind under offers")
	}
	for i, o := range h.Offers {
		if slices.ContainsFunc(h.Offers[:i], func(b Offer) bool { return b.Kind == o.Kind }) {
			return fmt.Errorf("it offers %s twice: offer each kind once, and choose a variant by the adapter's command line", o.Kind)
		}
		if err := o.check(); err != nil {
			return err
		}
	}
	return nil
}

func (o Offer) check() error {
	k := kindOf(o.Kind)
	if k == nil {
		return fmt.Errorf("it offers the unknown kind %q: the kinds are %s", o.Kind, strings.Join(names(), ", "))
	}
	for _, f := range o.Features {
		if !slices.ContainsFunc(k.Features, func(i harness.FeatureInfo) bool { return string(i.Name) == f }) || slices.Contains(serverHas, harness.Feature(f)) {
			return fmt.Errorf("it declares the unknown feature %q of %s: `lwtest list --features` lists those that there are", f, o.Kind)
		}
	}
	switch {
	case o.Holds && k.Name != informer.Suite.Kind:
		return fmt.Errorf("it offers %s with holds: only an informer has that", o.Kind)
	case o.Serves && k.Name != watchcache.Suite.Kind:
		return fmt.Errorf("it offers %s with serves: only a watchcache has that", o.Kind)
	case o.Config != nil && k.Name != node.Suite.Kind:
		return fmt.Errorf("it offers %s with config: only a node has that", o.Kind)
	}
	if _, err := o.Config.times(); err != nil {
		return err
	}
	return o.sorts()
}

// sorts refuses features of which one rules out the others, and a queue that is of no sort: the suite would ask of it what
// it cannot keep.
func (o Offer) sorts() error {
	queues := []harness.Feature{store.IsDelta, store.IsLog, store.IsAtomic}
	for _, one := range [][]harness.Feature{queues, {watchcache.UpdateNeedsObject, watchcache.CreateOnUpdate}} {
		if has := o.declared(one...); len(has) > 1 {
			return fmt.Errorf("it declares the features %s of %s, which exclude each other: declare one of them", strings.Join(has, " and "), o.Kind)
		}
	}
	if len(o.declared(store.IsQueue)) > 0 && len(o.declared(queues...)) == 0 {
		return fmt.Errorf("it declares the feature %s of %s without its sort: declare delta, log or atomic as well", store.IsQueue, o.Kind)
	}
	return nil
}

// declared are those of some features that it declares.
func (o Offer) declared(of ...harness.Feature) (has []string) {
	for _, f := range of {
		if slices.Contains(o.Features, string(f)) {
			has = append(has, string(f))
		}
	}
	return has
}
