// Command exec puts controller-runtime's cache to lwtest's suites from a process of its own, in real time.
//
//	go build -o DIR/controllerruntime ./exec && lwtest run --target 'exec:DIR/controllerruntime cache'
package main

import (
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/conformance/rig"
	cr "github.com/lwtest/lwtest/interop/controllerruntime"
	"github.com/lwtest/lwtest/plugins/adapter"
	"github.com/lwtest/lwtest/plugins/clientgo"
)

func main() {
	if len(os.Args) != 2 || os.Args[1] != "cache" {
		fmt.Fprint(os.Stderr, "say what of controller-runtime:\n  cache  pkg/cache, and a client that reads from it and sees its own writes\n")
		os.Exit(2)
	}
	clientgo.Quiet()
	var features []string
	for _, f := range cr.CacheFeatures {
		features = append(features, string(f))
	}
	adapter.Main(adapter.Adapter{Implementation: "controller-runtime cache", Version: adapter.ModuleVersion("sigs.k8s.io/controller-runtime"),
		Informer: adapter.InformerOffer{Features: features, New: open}})
}

func open(c adapter.InformerConfig) (adapter.Informer, error) {
	i, err := cr.Caches{}.New(informer.Config{
		Server:    rig.Endpoint{URL: c.Server.URL, CA: []byte(c.Server.CA), Token: c.Server.Token},
		Resource:  schema.GroupVersionResource(c.Resource),
		Namespace: c.Namespace, Resync: c.Resync, PageSize: c.PageSize, Transform: c.Transform, Index: c.Index, Failed: c.Failed, Push: c.Push})
	if err != nil {
		return nil, err
	}
	return told{i.(parts)}, nil
}

// parts are all that a cache offers.
type parts interface {
	informer.Informer
	informer.Synced
	informer.Indexed
	informer.Rereader
	informer.Handled
}

// told is an informer whose handlers are told in the adapter's words, which are the same.
type told struct{ parts }

// Handle implements adapter.InformerTeller.
func (t told) Handle(tell func(adapter.Notice), period time.Duration) (adapter.Registration, error) {
	return t.parts.Handle(func(n informer.Notice) { tell(adapter.Notice(n)) }, period)
}
