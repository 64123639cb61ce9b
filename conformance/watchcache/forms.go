package watchcache

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Served says by which API version something is asked.
type Served struct {
	Other bool `json:"other,omitempty"` // by the other version, in a story that begins with two-versions
}

// Way says how something is read.
type Way struct {
	Form string `json:"form,omitempty"` // "protobuf", "cbor", "table", "table-v1beta1", "table-object", "metadata", "metadata-v1beta1" or "metadata-protobuf"; empty: JSON
	Served
}

// representations are the names of all forms but JSON. Each is a feature.
var representations = []string{replay.FormProtobuf, replay.FormCBOR, replay.FormTable, replay.FormTableBeta, replay.FormTableObject, replay.FormMetadata, replay.FormMetadataBeta, replay.FormMetadataProtobuf}

// Validate returns an error for an unknown form.
func (x Way) Validate() error { return oneOf("form", x.Form, append(representations, "")...) }

func (x Way) needs() []harness.Feature {
	if x.Form == "" {
		return nil
	}
	return []harness.Feature{harness.Feature(x.Form)}
}

// needs returns the features without which a get cannot be asked for.
func (g Get) needs() []harness.Feature { return g.Way.needs() }

func (x Served) text() string {
	if x.Other {
		return ", by the other version"
	}
	return ""
}

func (x Way) text() string {
	if x.Form == "" {
		return x.Served.text()
	}
	return ", as " + x.Form + x.Served.text()
}

// asking returns w as it asks in a way.
func (w *world) asking(way Way) *world {
	d := *w.driver
	way.Other = way.Other && d.versions != nil
	d.way = way
	return &world{&d, w.memory}
}

// otherVersion is how a history names the other version.
const otherVersion = "other"

// asked adds to a call in which way it asks.
func (d *driver) asked(c harness.Call) harness.Call {
	way := d.way
	if way == (Way{}) {
		return c
	}
	served := ""
	if way.Other {
		served = otherVersion
	}
	switch a := c.Args.(type) {
	case map[string]any: // Args.Flat
		if served != "" {
			a["served"] = served
		}
		if way.Form != "" && slices.Contains([]string{replay.Get, replay.List, replay.Watch}, c.Kind) {
			a["form"] = way.Form
		}
	case replay.WriteArgs:
		a.Served = served
		c.Args = a
	case nil:
		if served != "" {
			c.Args = replay.WriteArgs{Served: served}
		}
	}
	return c
}

// reader returns the client of a namespace that reads in the form that is asked for.
func (d *driver) reader(namespace string) Client {
	c, form := d.in(namespace), d.way.Form
	if form == "" {
		return c
	}
	f, ok := c.(Former)
	if !ok {
		return formless{c, fmt.Errorf("the feature %s is declared, but the client has no As", form)}
	}
	return f.As(form)
}

// formless is a client that can read no other form than JSON.
type formless struct {
	Client
	err error
}

func (c formless) Get(context.Context, string, metav1.GetOptions) (*corev1.ConfigMap, error) {
	return nil, c.err
}

func (c formless) List(context.Context, metav1.ListOptions) (*corev1.ConfigMapList, error) {
	return nil, c.err
}

func (c formless) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return nil, c.err
}

// As implements Former.
func (c clustered) As(form string) Client {
	f, ok := c.Client.(Former)
	if !ok {
		return formless{c, fmt.Errorf("the feature %s is declared, but the client has no As", form)}
	}
	return clustered{f.As(form), c.prefix}
}

// stepTwoVersions makes the story one of a resource that is served in two versions.
func stepTwoVersions(w *world, _ story.Step) error {
	s, ok := w.s.(VersionServer)
	if !ok {
		return fmt.Errorf("the feature %s is declared, but the subject has no InVersion", ServedVersions)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cluster != nil || w.used.Load() {
		return story.SkipStep("it is not the first step")
	}
	w.versions = s
	return nil
}
