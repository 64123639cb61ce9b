package node

import (
	"errors"
	"fmt"
	"time"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// health is what the runtime last said of itself.
type health struct {
	checked  time.Time // when it last answered with RuntimeReady; zero: never
	runtime  error     // why it is not ready
	network  error
	handlers []*runtimeapi.RuntimeHandler
	features *runtimeapi.RuntimeFeatures
}

// watchRuntime asks for the runtime's status each 5 seconds, and each 0.1 seconds until it is ready.
func (a *Agent) watchRuntime() {
	for {
		a.checkRuntime()
		pause := 5 * time.Second
		if a.runtimeError() != nil && time.Since(a.began) < 2*time.Minute {
			pause = 100 * time.Millisecond
		}
		if !a.sleep(pause) {
			return
		}
	}
}

func (a *Agent) checkRuntime() {
	out, err := a.rt.Status(a.ctx, &runtimeapi.StatusRequest{})
	if err != nil {
		a.log.Error("the runtime does not tell its status", "err", err)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	h := health{checked: a.health.checked, runtime: errors.New("container runtime not ready: no RuntimeReady condition"), network: errors.New("container runtime network not ready: no NetworkReady condition"),
		handlers: out.GetRuntimeHandlers(), features: out.GetFeatures()}
	for _, c := range out.GetStatus().GetConditions() {
		var err error
		if !c.GetStatus() {
			err = fmt.Errorf("container runtime status: %s=false reason:%s message:%s", c.GetType(), c.GetReason(), c.GetMessage())
		}
		switch c.GetType() {
		case runtimeapi.RuntimeReady:
			h.runtime = err
		case runtimeapi.NetworkReady:
			h.network = err
		}
	}
	if h.runtime == nil {
		h.checked = time.Now()
	}
	a.health = h
}

// runtimeError returns why pods cannot be synced; nil: they can.
func (a *Agent) runtimeError() error {
	relisted := a.pleg.lastRelist()
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []error
	switch h := a.health; {
	case h.checked.IsZero() && h.runtime == nil:
		all = append(all, errors.New("container runtime status check may not have completed yet"))
	case !h.checked.IsZero() && time.Since(h.checked) > 30*time.Second:
		all = append(all, errors.New("container runtime is down"))
	case h.runtime != nil:
		all = append(all, h.runtime)
	}
	if relisted.IsZero() {
		all = append(all, errors.New("PLEG is not healthy: pleg has yet to be successful"))
	} else if since := time.Since(relisted); since > a.c.RelistThreshold {
		all = append(all, fmt.Errorf("PLEG is not healthy: pleg was last seen active %v ago; threshold is %v", since, a.c.RelistThreshold))
	}
	if err := utilerrors.NewAggregate(all); err != nil {
		return err
	}
	return nil
}

func (a *Agent) networkError() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.health.network
}
