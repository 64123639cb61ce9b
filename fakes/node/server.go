package node

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// serve serves the kubelet's HTTP API until the agent ends.
func (a *Agent) serve() {
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		if err := a.runtimeError(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, "ok")
	})
	mux.HandleFunc("/pods", a.servePods)
	mux.HandleFunc("/configz", a.serveConfig)
	for _, path := range []string{"/metrics", "/metrics/resource", "/metrics/cadvisor"} {
		mux.HandleFunc(path, a.serveMetrics)
	}
	mux.HandleFunc("/stats/summary", a.serveSummary)
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", a.serveLogs)
	for _, kind := range []string{"exec", "attach"} {
		mux.HandleFunc("/"+kind+"/{namespace}/{pod}/{container}", a.serveStream(kind))
		mux.HandleFunc("/"+kind+"/{namespace}/{pod}/{uid}/{container}", a.serveStream(kind))
	}
	mux.HandleFunc("/portForward/{namespace}/{pod}", a.serveStream("portForward"))
	mux.HandleFunc("/portForward/{namespace}/{pod}/{uid}", a.serveStream("portForward"))
	mux.HandleFunc("POST /run/{namespace}/{pod}/{container}", a.serveRun)
	var open sync.RWMutex // read while a request is answered
	s := &http.Server{ReadHeaderTimeout: 30 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if !open.TryRLock() {
			return
		}
		defer open.RUnlock()
		mux.ServeHTTP(w, q)
	})}
	a.spawn(func() { _ = s.Serve(a.c.Listen) }, func() {
		<-a.ctx.Done()
		_ = s.Close()
		open.Lock()
	})
}

func (a *Agent) servePods(w http.ResponseWriter, _ *http.Request) {
	list := v1.PodList{}
	list.Kind, list.APIVersion = "PodList", "v1"
	for _, p := range a.configured() {
		p = p.DeepCopy()
		p.Status = a.status.get(p)
		list.Items = append(list.Items, *p)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(list)
}

func (a *Agent) serveConfig(w http.ResponseWriter, _ *http.Request) {
	c := &a.c
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"kubeletconfig": map[string]any{"syncFrequency": c.SyncFrequency.String(), "fileCheckFrequency": c.FileCheckFrequency.String(),
		"httpCheckFrequency": c.HTTPCheckFrequency.String(), "nodeStatusUpdateFrequency": c.NodeStatusUpdateFrequency.String(), "nodeStatusReportFrequency": c.NodeStatusReportFrequency.String(),
		"nodeLeaseDurationSeconds": int(c.NodeLeaseDuration.Seconds()), "runtimeRequestTimeout": c.RuntimeRequestTimeout.String(), "imageMinimumGCAge": c.ImageMinimumGCAge.String(),
		"imageMaximumGCAge": c.ImageMaximumGCAge.String(), "imageGCHighThresholdPercent": c.ImageGCHighThresholdPercent, "imageGCLowThresholdPercent": c.ImageGCLowThresholdPercent,
		"evictionHard": c.EvictionHard, "evictionPressureTransitionPeriod": c.EvictionPressureTransitionPeriod.String(), "cgroupsPerQOS": c.CgroupsPerQOS, "cgroupRoot": c.CgroupRoot,
		"crashLoopBackOff": map[string]string{"maxContainerRestartPeriod": c.MaxContainerRestartPeriod.String()}, "staticPodPath": c.Manifests, "staticPodURL": c.ManifestURL, "podLogsDir": c.Logs}})
}

// target finds the pod and the container of a request. A mirror pod stands for its static pod.
func (a *Agent) target(q *http.Request) (uid types.UID, cs *containerStatus, sandbox string, err error) {
	for id, p := range a.configured() {
		if p.Namespace != q.PathValue("namespace") || p.Name != q.PathValue("pod") || isMirror(p) {
			continue
		}
		s := a.pleg.get(id)
		if s == nil { // nothing has started
			return id, nil, "", nil
		}
		if len(s.sandboxes) > 0 {
			sandbox = s.sandboxes[0].Id
		}
		return id, s.find(q.PathValue("container"), false), sandbox, nil
	}
	return "", nil, "", fmt.Errorf("pod %q not found", q.PathValue("pod")+"_"+q.PathValue("namespace"))
}

// serveStream passes a request on to the streaming server of the runtime.
func (a *Agent) serveStream(kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		_, cs, sandbox, err := a.target(q)
		if err == nil && cs == nil && kind != "portForward" {
			err = fmt.Errorf("container not found (%q)", q.PathValue("container"))
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		where, err := a.streamURL(kind, q, cs, sandbox)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		at, err := url.Parse(where)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		ctx, cancel := context.WithCancel(q.Context())
		defer cancel()
		defer context.AfterFunc(a.ctx, cancel)()
		(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL, r.Out.Host = at, at.Host },
			Transport: &http.Transport{DisableKeepAlives: true}}).ServeHTTP(w, q.WithContext(ctx))
	}
}

// streamURL asks the runtime where a stream is served.
func (a *Agent) streamURL(kind string, q *http.Request, cs *containerStatus, sandbox string) (string, error) {
	_ = q.ParseForm()
	on := func(name string) bool { x := q.FormValue(name); return x == "1" || x == "true" }
	var out interface{ GetUrl() string }
	var err error
	switch kind {
	case "exec":
		out, err = a.rt.Exec(q.Context(), &runtimeapi.ExecRequest{ContainerId: cs.Id, Cmd: q.Form["command"], Tty: on("tty"), Stdin: on("input"), Stdout: on("output"), Stderr: on("error") && !on("tty")})
	case "attach":
		out, err = a.rt.Attach(q.Context(), &runtimeapi.AttachRequest{ContainerId: cs.Id, Tty: on("tty"), Stdin: on("input"), Stdout: on("output"), Stderr: on("error") && !on("tty")})
	default:
		r := &runtimeapi.PortForwardRequest{PodSandboxId: sandbox}
		if port, err := strconv.Atoi(q.FormValue("port")); err == nil {
			r.Port = []int32{int32(port)}
		}
		out, err = a.rt.PortForward(q.Context(), r)
	}
	if err != nil {
		return "", err
	}
	return out.GetUrl(), nil
}

// serveRun runs a command, and answers with its output.
func (a *Agent) serveRun(w http.ResponseWriter, q *http.Request) {
	_, cs, _, err := a.target(q)
	if err != nil || cs == nil {
		http.Error(w, "container not found", http.StatusNotFound)
		return
	}
	out, err := a.rt.ExecSync(q.Context(), &runtimeapi.ExecSyncRequest{ContainerId: cs.Id, Cmd: strings.Fields(q.FormValue("cmd"))})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(append(out.Stdout, out.Stderr...))
}

// serveLogs answers with the log of a container, or of its previous run.
func (a *Agent) serveLogs(w http.ResponseWriter, q *http.Request) {
	var p *v1.Pod
	for _, x := range a.configured() {
		if x.Namespace == q.PathValue("namespace") && x.Name == q.PathValue("pod") && !isMirror(x) {
			p = x
		}
	}
	name := q.PathValue("container")
	switch {
	case p == nil:
		http.Error(w, fmt.Sprintf("pod %q does not exist", q.PathValue("pod")), http.StatusNotFound)
		return
	case container(p, name) == nil:
		http.Error(w, fmt.Sprintf("container %q not found in pod %q", name, p.Name), http.StatusNotFound)
		return
	}
	cs, err := a.logged(p, name, q.FormValue("previous") == "true")
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, err)
		return
	}
	f, err := os.Open(cs.LogPath)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer f.Close()
	var to io.Writer = w
	if n, err := strconv.ParseInt(q.FormValue("limitBytes"), 10, 64); err == nil {
		to = &limited{w, n}
	}
	l := &logCopy{to: to, times: q.FormValue("timestamps") == "true", tail: -1}
	if n, err := strconv.Atoi(q.FormValue("tailLines")); err == nil {
		l.tail = n
	}
	if n, err := strconv.Atoi(q.FormValue("sinceSeconds")); err == nil {
		l.since = time.Now().Add(-time.Duration(n) * time.Second)
	}
	if at, err := time.Parse(time.RFC3339, q.FormValue("sinceTime")); err == nil {
		l.since = at
	}
	r := bufio.NewReader(f)
	for l.copy(r); q.FormValue("follow") == "true"; l.copy(r) {
		if w, ok := w.(http.Flusher); ok {
			w.Flush()
		}
		s, err := a.rt.ContainerStatus(q.Context(), &runtimeapi.ContainerStatusRequest{ContainerId: cs.Id})
		if err != nil || s.GetStatus().GetState() != running {
			l.copy(r)
			return
		}
		if sleep(q.Context(), 100*time.Millisecond); a.ctx.Err() != nil || q.Context().Err() != nil {
			return
		}
	}
}

// logged returns the run of a container that has the log which is asked for: the previous one, or the one that runs or ran last
// (k8s.io/kubernetes v1.37.1, pkg/kubelet/kubelet_pods.go, validateContainerLogStatus).
func (a *Agent) logged(p *v1.Pod, name string, previous bool) (*containerStatus, error) {
	st := a.status.get(p)
	all := slices.Concat(st.ContainerStatuses, st.InitContainerStatuses, st.EphemeralContainerStatuses)
	i := slices.IndexFunc(all, func(x v1.ContainerStatus) bool { return x.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("container %q in pod %q is not available", name, p.Name)
	}
	x, last, id := all[i], "", ""
	if t := x.LastTerminationState.Terminated; t != nil {
		last = t.ContainerID
	}
	switch {
	case previous:
		if id = last; id == "" {
			return nil, fmt.Errorf("previous terminated container %q in pod %q not found", name, p.Name)
		}
	case x.State.Running != nil:
		id = x.ContainerID
	case x.State.Terminated != nil || x.LastTerminationState.Terminated != nil:
		if id = last; x.State.Terminated != nil && x.State.Terminated.ContainerID != "" {
			id = x.State.Terminated.ContainerID
		}
		if id == "" {
			return nil, fmt.Errorf("container %q in pod %q is terminated", name, p.Name)
		}
	default:
		return nil, fmt.Errorf("container %q in pod %q is waiting to start: %s", name, p.Name, whyNoLog(x.State.Waiting))
	}
	if s := a.pleg.get(p.UID); s != nil {
		for _, cs := range s.containers {
			if strings.HasSuffix(id, "://"+cs.Id) {
				return cs, nil
			}
		}
	}
	return nil, fmt.Errorf("unable to retrieve container logs for %s", id)
}

// whyNoLog says why a container that waits has no log.
func whyNoLog(w *v1.ContainerStateWaiting) string {
	switch {
	case w == nil:
		return ""
	case w.Reason == "ErrImagePull":
		return "image can't be pulled"
	case w.Reason == "ImagePullBackOff":
		return "trying and failing to pull image"
	}
	return w.Reason
}

// logCopy writes the text of log lines.
type logCopy struct {
	to    io.Writer
	times bool
	tail  int // lines at the first copy; -1: all
	since time.Time
}

// copy writes the lines that are there.
func (l *logCopy) copy(r *bufio.Reader) {
	var lines []string
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			break
		}
		parts := strings.SplitN(line, " ", 4)
		if len(parts) < 4 {
			continue
		}
		if at, err := time.Parse(time.RFC3339Nano, parts[0]); err == nil && at.Before(l.since) {
			continue
		}
		text := parts[3]
		if parts[2] == "P" {
			text = strings.TrimSuffix(text, "\n")
		}
		if l.times {
			text = parts[0] + " " + text
		}
		lines = append(lines, text)
	}
	if l.tail >= 0 {
		lines = lines[max(len(lines)-l.tail, 0):]
	}
	l.tail = -1
	for _, line := range lines {
		_, _ = io.WriteString(l.to, line)
	}
}

// limited is a writer that takes so many bytes.
type limited struct {
	io.Writer
	left int64
}

func (l *limited) Write(b []byte) (int, error) {
	n := min(int64(len(b)), l.left)
	l.left -= n
	_, err := l.Writer.Write(b[:n])
	return len(b), err
}
