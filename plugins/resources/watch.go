package resources

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// showing is a watch whose objects are shown as ConfigMaps. Unlike
// watch.Filter's, its goroutine ends when it is stopped with events unread.
type showing struct {
	in   watch.Interface
	out  chan watch.Event
	stop func()
	done chan struct{}
}

// Watch is a watch whose objects are shown as ConfigMaps. Stop ends it, and its
// goroutine, with events unread.
func Watch(in watch.Interface, show func(runtime.Object) runtime.Object) watch.Interface {
	s := &showing{in: in, out: make(chan watch.Event), done: make(chan struct{})}
	s.stop = sync.OnceFunc(func() { close(s.done) })
	go s.run(show)
	return s
}

func (s *showing) run(show func(runtime.Object) runtime.Object) {
	defer close(s.out)
	for e := range s.in.ResultChan() {
		e.Object = show(e.Object)
		select {
		case s.out <- e:
		case <-s.done:
			return
		}
	}
}

func (s *showing) ResultChan() <-chan watch.Event { return s.out }

func (s *showing) Stop() {
	s.stop()
	s.in.Stop()
}
