package watchcache

import (
	"sync"

	"k8s.io/apimachinery/pkg/watch"
)

// deafWatch is a watch whose Stop does nothing.
type deafWatch struct{ watch.Interface }

func (deafWatch) Stop() {}

// stream is a watch that misbehaves.
type stream struct {
	inner  watch.Interface
	floods bool // the first event is repeated without end
	panics bool // when it is read

	out  chan watch.Event
	stop chan struct{}
	once sync.Once
}

func newStream(in watch.Interface, set func(*stream)) *stream {
	s := &stream{inner: in, out: make(chan watch.Event), stop: make(chan struct{})}
	set(s)
	go s.pump()
	return s
}

func (s *stream) ResultChan() <-chan watch.Event {
	if s.panics {
		panic("hostile: panic when a watch is read")
	}
	return s.out
}

func (s *stream) Stop() { s.once.Do(func() { close(s.stop) }) }

// pump hands on events, or the first one again and again.
func (s *stream) pump() {
	defer close(s.out)
	defer s.inner.Stop()
	for {
		select {
		case e, ok := <-s.inner.ResultChan():
			if !ok {
				return
			}
			for again := true; again; again = s.floods {
				select {
				case s.out <- e:
				case <-s.stop:
					return
				}
			}
		case <-s.stop:
			return
		}
	}
}
