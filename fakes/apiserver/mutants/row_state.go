package mutants

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// onceRestarted has a row strike only after the store was restarted.
func onceRestarted(r row) func(*apiserver.Server) row {
	return func(s *apiserver.Server) row {
		restarted := restartOf(s)
		out := r // rows are shared by all servers
		out.when = func(c *call) bool { return (r.when == nil || r.when(c)) && restarted() }
		return out
	}
}

// restartOf returns a function that reports whether the store was restarted since: an idle watch of nothing ends then.
func restartOf(s *apiserver.Server) func() bool {
	day := int64(24 * time.Hour / time.Second)
	idle, err := apiserver.ConfigMaps(s, "idle").Watch(context.Background(), metav1.ListOptions{TimeoutSeconds: &day})
	if err != nil {
		panic(err) // the store is new
	}
	return func() bool {
		select {
		case _, open := <-idle.ResultChan():
			return !open
		default:
			return false
		}
	}
}
