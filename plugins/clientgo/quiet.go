package clientgo

import (
	"sync"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// Quiet replaces, once per process, what client-go keeps in package variables.
// apimachinery's ErrorHandlers hold a back-off whose clock runs on across
// bubbles: what one bubble reports would delay the next by years. And klog's
// sink writes to stderr under a lock of its own.
var Quiet = sync.OnceFunc(func() {
	utilruntime.ErrorHandlers = nil
	klog.SetLogger(klog.New(nil))
})
