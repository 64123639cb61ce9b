// Command storagerecord puts the storage of k8s.io/apiserver to lwtest's suite of servers, from a process of its own. `lwtest track-record` builds it
// with the bugs of bugs.yaml in it, and chooses one of them by the variable LWTEST_BUG.
package main

import (
	"time"

	"github.com/lwtest/lwtest/interop/apiserver/etcd"
	"github.com/lwtest/lwtest/interop/apiserver/registry"
	"github.com/lwtest/lwtest/plugins/adapter"
)

func main() {
	registry.Main(func(cached bool) (adapter.Serving, error) {
		address, end, err := etcd.Start()
		if err != nil {
			return nil, err
		}
		return registry.Start(registry.Options{Etcd: address, Close: end, Cached: cached, Away: 25 * time.Millisecond, NotFoundAt: true, Admit: protection{}})
	})
}
