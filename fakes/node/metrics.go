package node

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// usage is what a container, a pod or the node uses.
type usage struct {
	namespace, pod, container, id string
	uid                           types.UID
	at, began                     time.Time
	cpu, nanoCores, memory, disk  uint64 // nanoseconds, billionths of a core, bytes, bytes
}

// What runs on the node beside containers uses a fiftieth of a core and this memory. No node has none, and metrics-server leaves out one that
// says so.
const (
	systemShare  = 50
	systemMemory = 200 << 20
)

// meter reads what the runtime says of containers. The node's time of CPU is that of all containers that the meter has seen, so that it never
// falls when one ends.
type meter struct {
	a    *Agent
	mu   sync.Mutex
	seen map[string]uint64 // the time of CPU of each container that runs
	cpu  uint64
}

// read returns what each running container uses, sorted, and the node's sum.
func (m *meter) read(q *http.Request) (all []usage, node usage, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	stats, err := m.a.rt.ListContainerStats(q.Context(), &runtimeapi.ListContainerStatsRequest{})
	if err != nil {
		return nil, node, err
	}
	running, err := m.a.listContainers(q.Context(), &runtimeapi.ContainerFilter{State: &runtimeapi.ContainerStateValue{State: running}})
	if err != nil {
		return nil, node, err
	}
	seen := map[string]uint64{}
	node = usage{at: time.Now(), began: m.a.began, nanoCores: 1e9 / systemShare, memory: systemMemory}
	for _, s := range stats.Stats {
		id, labels := s.Attributes.GetId(), s.Attributes.GetLabels()
		i := slices.IndexFunc(running, func(c *runtimeapi.Container) bool { return c.Id == id })
		if i < 0 {
			continue
		}
		u := usage{labels[labelPodNamespace], labels[labelPodName], labels[labelContainer], id, types.UID(labels[labelPodUID]), time.Unix(0, s.GetCpu().GetTimestamp()), time.Unix(0, running[i].CreatedAt),
			s.GetCpu().GetUsageCoreNanoSeconds().GetValue(), s.GetCpu().GetUsageNanoCores().GetValue(), s.GetMemory().GetWorkingSetBytes().GetValue(), s.GetWritableLayer().GetUsedBytes().GetValue()}
		all = append(all, u)
		seen[id] = u.cpu
		m.cpu += u.cpu - min(m.seen[id], u.cpu)
		node.memory += u.memory
		node.nanoCores += u.nanoCores
		node.disk += u.disk
	}
	m.seen, node.cpu = seen, m.cpu+uint64(time.Since(m.a.began)/systemShare)
	slices.SortFunc(all, func(x, y usage) int {
		return strings.Compare(x.namespace+"/"+x.pod+"/"+x.container, y.namespace+"/"+y.pod+"/"+y.container)
	})
	return all, node, nil
}

// byPod adds up sorted containers.
func byPod(all []usage) (pods []usage) {
	for _, u := range all {
		if n := len(pods); n == 0 || pods[n-1].uid != u.uid {
			u.container = ""
			pods = append(pods, u)
			continue
		}
		p := &pods[len(pods)-1]
		p.cpu, p.nanoCores, p.memory, p.disk = p.cpu+u.cpu, p.nanoCores+u.nanoCores, p.memory+u.memory, p.disk+u.disk
	}
	return pods
}

// metric writes metrics as Prometheus reads them.
type metric struct{ strings.Builder }

func (m *metric) head(name, kind, help string) {
	fmt.Fprintf(m, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// each writes a metric of each of some containers or pods. labels are in the order of their names.
func (m *metric) each(name, kind, help string, all []usage, labels func(usage) string, value func(usage) any) {
	m.head(name, kind, help)
	for _, u := range all {
		fmt.Fprintf(m, "%s%s %v %d\n", name, labels(u), value(u), u.at.UnixMilli())
	}
}

func noLabels(usage) string { return "" }
func podLabels(u usage) string {
	return fmt.Sprintf("{namespace=%q,pod=%q}", u.namespace, u.pod)
}
func containerLabels(u usage) string {
	return fmt.Sprintf("{container=%q,namespace=%q,pod=%q}", u.container, u.namespace, u.pod)
}
func cgroupLabels(u usage) string {
	return fmt.Sprintf("{container=%q,id=\"/kubepods/pod%s/%s\",name=%q,namespace=%q,pod=%q}", u.container, u.uid, u.id, u.id, u.namespace, u.pod)
}
func cpuSeconds(u usage) any   { return float64(u.cpu) / 1e9 }
func memoryBytes(u usage) any  { return u.memory }
func startSeconds(u usage) any { return float64(u.began.UnixMilli()) / 1e3 }

// resources writes what metrics-server reads.
func (m *metric) resources(all, pods, node []usage) {
	m.each("container_cpu_usage_seconds_total", "counter", "[STABLE] Cumulative cpu time consumed by the container in core-seconds", all, containerLabels, cpuSeconds)
	m.each("container_memory_working_set_bytes", "gauge", "[STABLE] Current working set of the container in bytes", all, containerLabels, memoryBytes)
	m.head("container_start_time_seconds", "gauge", "[STABLE] Start time of the container since unix epoch in seconds")
	for _, u := range all {
		fmt.Fprintf(m, "container_start_time_seconds%s %v\n", containerLabels(u), startSeconds(u))
	}
	m.each("node_cpu_usage_seconds_total", "counter", "[STABLE] Cumulative cpu time consumed by the node in core-seconds", node, noLabels, cpuSeconds)
	m.each("node_memory_working_set_bytes", "gauge", "[STABLE] Current working set of the node in bytes", node, noLabels, memoryBytes)
	m.each("pod_cpu_usage_seconds_total", "counter", "[STABLE] Cumulative cpu time consumed by the pod in core-seconds", pods, podLabels, cpuSeconds)
	m.each("pod_memory_working_set_bytes", "gauge", "[STABLE] Current working set of the pod in bytes", pods, podLabels, memoryBytes)
	m.head("resource_scrape_error", "gauge", "[STABLE] 1 if there was an error while getting container metrics, 0 otherwise")
	m.WriteString("resource_scrape_error 0\n")
}

// cgroups writes what cAdvisor says of containers and the machine.
func (m *metric) cgroups(c *Config, all []usage) {
	m.each("container_cpu_usage_seconds_total", "counter", "Cumulative cpu time consumed in seconds.", all, cgroupLabels, cpuSeconds)
	m.each("container_memory_working_set_bytes", "gauge", "Current working set in bytes.", all, cgroupLabels, memoryBytes)
	m.each("container_start_time_seconds", "gauge", "Start time of the container since unix epoch in seconds.", all, cgroupLabels, startSeconds)
	m.head("machine_cpu_cores", "gauge", "Number of logical CPU cores.")
	fmt.Fprintf(m, "machine_cpu_cores %d\n", c.Capacity.Cpu().Value())
	m.head("machine_memory_bytes", "gauge", "Amount of memory installed on the machine.")
	fmt.Fprintf(m, "machine_memory_bytes %d\n", c.Capacity.Memory().Value())
}

// serveMetrics answers one of the paths below /metrics (k8s.io/kubernetes v1.37.1, pkg/kubelet/metrics/collectors/resource_metrics.go).
func (a *Agent) serveMetrics(w http.ResponseWriter, q *http.Request) {
	all, node, err := a.meter.read(q)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	m, pods := &metric{}, byPod(all)
	switch q.URL.Path {
	case "/metrics/resource":
		m.resources(all, pods, []usage{node})
	case "/metrics/cadvisor":
		m.cgroups(&a.c, all)
	default:
		m.head("kubelet_node_name", "gauge", "[ALPHA] The node's name. The count is always 1.")
		fmt.Fprintf(m, "kubelet_node_name{node=%q} 1\n", a.c.Name)
		m.head("kubelet_running_containers", "gauge", "[ALPHA] Number of containers currently running")
		fmt.Fprintf(m, "kubelet_running_containers{container_state=\"running\"} %d\n", len(all))
		m.head("kubelet_running_pods", "gauge", "[ALPHA] Number of pods that have a running pod sandbox")
		fmt.Fprintf(m, "kubelet_running_pods %d\n", len(pods))
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write([]byte(m.String()))
}

// serveSummary answers /stats/summary, with the fields of k8s.io/kubelet/pkg/apis/stats/v1alpha1 that the agent knows.
func (a *Agent) serveSummary(w http.ResponseWriter, q *http.Request) {
	all, node, err := a.meter.read(q)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	summary := func(u usage, name, title string) map[string]any {
		return map[string]any{name: title, "startTime": u.began.UTC().Format(time.RFC3339),
			"cpu":    map[string]any{"time": u.at.UTC().Format(time.RFC3339), "usageNanoCores": u.nanoCores, "usageCoreNanoSeconds": u.cpu},
			"memory": map[string]any{"time": u.at.UTC().Format(time.RFC3339), "usageBytes": u.memory, "workingSetBytes": u.memory, "rssBytes": u.memory}}
	}
	total := summary(node, "nodeName", a.c.Name)
	total["memory"].(map[string]any)["availableBytes"] = max(a.c.Capacity.Memory().Value()-int64(node.memory), 0)
	used, capacity := a.imageStats()
	total["fs"] = map[string]any{"time": node.at.UTC().Format(time.RFC3339), "availableBytes": capacity - min(used, capacity), "capacityBytes": capacity, "usedBytes": used}
	pods := []any{}
	for _, p := range byPod(all) {
		x := summary(p, "podRef", "")
		x["podRef"] = v1.ObjectReference{Name: p.pod, Namespace: p.namespace, UID: p.uid}
		x["ephemeral-storage"] = map[string]any{"time": p.at.UTC().Format(time.RFC3339), "usedBytes": p.disk}
		containers := []any{}
		for _, u := range all {
			if u.uid == p.uid {
				containers = append(containers, summary(u, "name", u.container))
			}
		}
		x["containers"] = containers
		pods = append(pods, x)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"node": total, "pods": pods})
}
