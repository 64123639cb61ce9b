package cri

import (
	"context"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

func (r service) Version(context.Context, *runtimeapi.VersionRequest) (*runtimeapi.VersionResponse, error) {
	return &runtimeapi.VersionResponse{Version: "0.1.0", RuntimeName: "lwtest-fake", RuntimeVersion: "1.37.0", RuntimeApiVersion: "v1"}, nil
}

// Status tells the conditions of the runtime, which SetReady changes.
func (r service) Status(_ context.Context, q *runtimeapi.StatusRequest) (*runtimeapi.StatusResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	condition := func(kind, why string) *runtimeapi.RuntimeCondition {
		c := &runtimeapi.RuntimeCondition{Type: kind, Status: why == ""}
		if why != "" {
			c.Reason, c.Message = "NotReady", why
		}
		return c
	}
	out := &runtimeapi.StatusResponse{
		Status:   &runtimeapi.RuntimeStatus{Conditions: []*runtimeapi.RuntimeCondition{condition(runtimeapi.RuntimeReady, r.unready), condition(runtimeapi.NetworkReady, r.offline)}},
		Features: &runtimeapi.RuntimeFeatures{SupplementalGroupsPolicy: true},
	}
	for _, name := range append([]string{""}, r.o.Handlers...) {
		out.RuntimeHandlers = append(out.RuntimeHandlers, &runtimeapi.RuntimeHandler{Name: name, Features: &runtimeapi.RuntimeHandlerFeatures{RecursiveReadOnlyMounts: true, UserNamespaces: true}})
	}
	if q.GetVerbose() {
		out.Info = map[string]string{"config": `{"fake":true}`}
	}
	return out, nil
}

// SetReady says why the runtime and the network are not ready; empty means that they are.
func (r *Runtime) SetReady(runtime, network string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unready, r.offline = runtime, network
}

func (r service) RuntimeConfig(context.Context, *runtimeapi.RuntimeConfigRequest) (*runtimeapi.RuntimeConfigResponse, error) {
	return &runtimeapi.RuntimeConfigResponse{Linux: &runtimeapi.LinuxRuntimeConfiguration{CgroupDriver: r.o.CgroupDriver}}, nil
}

func (r service) UpdateRuntimeConfig(context.Context, *runtimeapi.UpdateRuntimeConfigRequest) (*runtimeapi.UpdateRuntimeConfigResponse, error) {
	return &runtimeapi.UpdateRuntimeConfigResponse{}, nil
}

// Holds returns how many things the runtime holds, by their kind.
func (r *Runtime) Holds() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return map[string]int{"sandboxes": len(r.sandboxes), "containers": len(r.containers), "addresses": len(r.addresses), "names in the making": len(r.held) + len(r.making)}
}
