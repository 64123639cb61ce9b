package workloads_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/serve"
	"github.com/lwtest/lwtest/fakes/workloads"
)

// scenario is what users do, one step after the other, each when all is at rest. After each step the state is compared with the one that
// a kube-controller-manager has led to.
type scenario struct {
	name    string
	steps   []step
	quiet   time.Duration // how long nothing happens at rest, in real time; 0: 3 s
	differs []difference
}

type step struct {
	name string
	do   func(c *cluster)
}

// difference drops lines from both sides. It must drop different ones.
type difference struct{ lines, why string }

// compared are the resources whose objects a state has.
var compared = []string{"deployments", "replicasets", "replicationcontrollers", "statefulsets", "daemonsets", "controllerrevisions", "jobs", "cronjobs", "pods",
	"endpoints", "endpointslices", "persistentvolumeclaims", "poddisruptionbudgets", "configmaps"}

// TestCompared compares with the states in testdata. To record them anew, with a kube-controller-manager in the place of ours:
//
//	LWTEST_RECORD=1 LWTEST_CONTROLLER_MANAGER=PATH go test -run TestCompared ./fakes/workloads
func TestCompared(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			file := filepath.Join("testdata", strings.ReplaceAll(s.name, " ", "-")+".txt")
			if os.Getenv("LWTEST_RECORD") != "" {
				t.Parallel()
				require.NoError(t, os.WriteFile(file, []byte(strings.Join(s.record(t), "\n")+"\n"), 0o644))
				return
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			var got []string
			bubble(t, everything, func(c *cluster) {
				c.rest = func() { c.wait(3 * time.Minute) }
				got = s.run(c)
			})
			s.compare(t, strings.Split(strings.TrimSpace(string(want)), "\n"), got)
		})
	}
}

func (s scenario) compare(t *testing.T, want, got []string) {
	for _, d := range s.differs {
		drop := func(all []string) (kept, dropped []string) {
			for _, line := range all {
				if regexp.MustCompile(d.lines).MatchString(line) {
					dropped = append(dropped, line)
				} else {
					kept = append(kept, line)
				}
			}
			return kept, dropped
		}
		var a, b []string
		want, a = drop(want)
		got, b = drop(got)
		assert.NotEqual(t, a, b, "there is no difference in %s any more: %s", d.lines, d.why)
	}
	assert.Equal(t, want, got)
}

// run does all steps, and returns the states after them.
func (s scenario) run(c *cluster) (lines []string) {
	for _, step := range s.steps {
		step.do(c)
		c.rest()
		lines = append(append(lines, "# "+step.name), c.state()...)
	}
	return lines
}

// record runs a scenario with a kube-controller-manager, in real time.
func (s scenario) record(t *testing.T) (lines []string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server, err := serve.Start(ctx, serve.Options{KeepNamespaces: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Close()) }()
	c := &cluster{t: t, Server: server.Store, kubelet: &kubelet{api: server.Store, ready: 300 * time.Millisecond}}
	config := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(config, server.First().Kubeconfig(), 0o600))
	for _, name := range []string{"node-1", "node-2"} {
		c.create(readyNode(name))
		n, err := c.Get(ctx, apiserver.Request{Resource: nodes, Name: name}, metav1.GetOptions{})
		require.NoError(t, err)
		n.(*corev1.Node).Spec.Taints = nil
		_, err = c.Update(ctx, apiserver.Request{Resource: nodes, Name: name}, n, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() { _ = workloads.Run(ctx, server.Store, workloads.Options{Scheduler: true}) })
	running.Go(func() { c.kubelet.run(ctx) })
	manager := exec.CommandContext(ctx, os.Getenv("LWTEST_CONTROLLER_MANAGER"), "--kubeconfig="+config, "--leader-elect=false", "--secure-port=0", "--kube-api-qps=1000",
		"--kube-api-burst=1000", "--use-service-account-credentials=false", "--controllers=*,-node-lifecycle-controller,-taint-eviction-controller")
	require.NoError(t, manager.Start())
	running.Go(func() { _ = manager.Wait() })
	quiet := max(s.quiet, 3*time.Second)
	c.rest = func() {
		last, since := "", time.Now()
		for began := time.Now(); time.Since(since) < quiet && time.Since(began) < 3*time.Minute; time.Sleep(100 * time.Millisecond) {
			if now := server.Store.Revision(); now != last {
				last, since = now, time.Now()
			}
		}
	}
	require.Eventually(t, func() bool { // it runs when it has made these
		_, there := get[*corev1.ConfigMap](c, configMaps, "kube-root-ca.crt")
		_, account := get[*corev1.ServiceAccount](c, corev1.SchemeGroupVersion.WithResource("serviceaccounts"), "default")
		return there && account
	}, time.Minute, 100*time.Millisecond)
	c.rest()
	return s.run(c)
}

var configMaps = corev1.SchemeGroupVersion.WithResource("configmaps")

// state describes all objects of the namespace default, one or several alike a line, and which kinds of events there were.
func (c *cluster) state() (lines []string) {
	hashes := map[string]string{}
	var all []map[string]any
	for _, name := range compared {
		for _, r := range apiserver.Resources() {
			if r.Resource != name {
				continue
			}
			l, err := c.List(ctx, apiserver.Request{Resource: r.GroupVersionResource, Namespace: "default"}, metav1.ListOptions{})
			require.NoError(c.t, err)
			items, err := meta.ExtractList(l)
			require.NoError(c.t, err)
			for _, o := range items {
				u, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
				require.NoError(c.t, err)
				u["kind"] = r.Kind
				if m := o.(metav1.Object); m.GetName() == "kubernetes" || m.GetName() == "kube-root-ca.crt" {
					continue // of the cluster
				}
				for _, label := range []string{"pod-template-hash", "controller-revision-hash", "controller.kubernetes.io/hash"} {
					if v := o.(metav1.Object).GetLabels()[label]; v != "" {
						hashes[v[strings.LastIndex(v, "-")+1:]] = "HASH"
					}
				}
				all = append(all, u)
			}
		}
	}
	vl, err := c.List(ctx, apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("persistentvolumes")}, metav1.ListOptions{})
	require.NoError(c.t, err)
	for _, v := range vl.(*corev1.PersistentVolumeList).Items {
		if !strings.HasPrefix(v.Name, "pvc-") {
			lines = append(lines, fmt.Sprintf("PersistentVolume %s %s %v", v.Name, v.Status.Phase, v.Finalizers))
		}
	}
	times := map[string]int{}
	for _, u := range all {
		times[line1(u, hashes)]++
	}
	for _, line := range slices.Sorted(maps.Keys(times)) {
		lines = append(lines, fmt.Sprintf("%d %s", times[line], line))
	}
	return append(lines, c.eventKinds()...)
}

// eventKinds lists the kinds of events that there were, but those of the scheduler.
func (c *cluster) eventKinds() []string {
	kinds := map[string]bool{}
	l, err := c.List(ctx, apiserver.Request{Resource: schema.GroupVersionResource{Version: "v1", Resource: "events"}, Namespace: "default"}, metav1.ListOptions{})
	require.NoError(c.t, err)
	for _, e := range l.(*corev1.EventList).Items {
		if e.InvolvedObject.Kind != "Pod" {
			kinds[fmt.Sprintf("event %s %s %s", e.InvolvedObject.Kind, e.Type, e.Reason)] = true
		}
	}
	return slices.Sorted(maps.Keys(kinds))
}

var (
	uid    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	random = regexp.MustCompile(`^[bcdfghjklmnpqrstvwxz2456789]{5}$`)
	node   = regexp.MustCompile(`\bnode-[0-9]\b`)
	minute = regexp.MustCompile(`-[0-9]{8}\b`)
)

// line1 describes an object: its kind and name, and what does not depend on time and chance.
func line1(u map[string]any, hashes map[string]string) string {
	m := u["metadata"].(map[string]any)
	name := m["name"].(string)
	if prefix, ok := m["generateName"].(string); ok && random.MatchString(strings.TrimPrefix(name, prefix)) {
		name = prefix + "*"
	}
	out := map[string]any{}
	for _, key := range []string{"labels", "annotations", "finalizers"} {
		if v, ok := m[key]; ok {
			out[key] = v
		}
	}
	if a, ok := out["annotations"].(map[string]any); ok {
		delete(a, "endpoints.kubernetes.io/last-change-trigger-time")
		delete(a, "batch.kubernetes.io/cronjob-scheduled-timestamp")
		if len(a) == 0 {
			delete(out, "annotations")
		}
	}
	if m["deletionTimestamp"] != nil {
		out["deleted"] = true
	}
	var owners []string
	refs, _ := m["ownerReferences"].([]any)
	for _, ref := range refs {
		r := ref.(map[string]any)
		owners = append(owners, fmt.Sprintf("%v %v controller=%v block=%v", r["kind"], r["name"], r["controller"], r["blockOwnerDeletion"]))
	}
	if owners != nil {
		out["owners"] = owners
	}
	describe(u, out)
	b, err := json.Marshal(out)
	if err != nil {
		panic(err)
	}
	text := fmt.Sprintf("%s %s %s", u["kind"], name, b)
	for hash, by := range hashes {
		text = strings.ReplaceAll(text, hash, by)
	}
	text = node.ReplaceAllString(text, "NODE") // which is first is chance
	return minute.ReplaceAllString(uid.ReplaceAllString(text, "UID"), "-MINUTE")
}

// describe adds the parts of an object's spec that a controller writes, and its status.
func describe(u, out map[string]any) {
	spec, _ := u["spec"].(map[string]any)
	switch u["kind"] {
	case "Pod":
		var c corev1.PodSpec
		_ = runtime.DefaultUnstructuredConverter.FromUnstructured(spec, &c)
		out["image"], out["env"] = c.Containers[0].Image, c.Containers[0].Env
		out["on"] = c.NodeName
		out["hostname"], out["subdomain"], out["affinity"] = c.Hostname, c.Subdomain, c.Affinity
		if c.Affinity != nil {
			out["tolerations"] = c.Tolerations
		} else {
			delete(out, "on") // any will do
		}
		for _, v := range c.Volumes {
			if v.PersistentVolumeClaim != nil {
				out["claim"] = v.PersistentVolumeClaim.ClaimName
			}
		}
		status, _ := u["status"].(map[string]any)
		out["phase"] = status["phase"]
		return
	case "EndpointSlice", "Endpoints":
		var ready, not int
		b, _ := json.Marshal(u)
		ready, not = strings.Count(string(b), `"ready":true`)+strings.Count(string(b), `"targetRef"`), strings.Count(string(b), `"ready":false`)
		out["ready"], out["not"], out["ports"], out["type"] = ready, not, u["ports"], u["addressType"]
		return
	case "ControllerRevision":
		out["revision"] = u["revision"]
		return
	case "ReplicaSet", "Deployment", "ReplicationController", "StatefulSet":
		out["replicas"] = spec["replicas"]
	}
	if status, ok := u["status"].(map[string]any); ok {
		if at, ok := status["observedGeneration"]; ok { // how often it was written is chance
			out["observed"] = at == u["metadata"].(map[string]any)["generation"]
		}
		out["status"] = prune(status)
	}
}

// prune drops times from a status, and what conditions say beside their type, status and reason.
func prune(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			switch {
			case strings.HasSuffix(k, "Time"), k == "resourceVersion", k == "uid", k == "observedGeneration":
			case k == "conditions":
				var all []string
				for _, c := range x.([]any) {
					c := c.(map[string]any)
					all = append(all, fmt.Sprintf("%v=%v %v", c["type"], c["status"], c["reason"]))
				}
				slices.Sort(all)
				out[k] = all
			default:
				out[k] = prune(x)
			}
		}
		return out
	case []any:
		var out []any
		for _, x := range v {
			out = append(out, prune(x))
		}
		return out
	}
	return v
}

// do makes steps of what is written to the server.
func apply(manifests ...string) func(*cluster) {
	return func(c *cluster) {
		for _, m := range manifests {
			c.apply(m)
		}
	}
}

func merge(r schema.GroupVersionResource, name, patch string) func(*cluster) {
	return func(c *cluster) { c.merge(r, name, patch) }
}

func remove(r schema.GroupVersionResource, name string, policy metav1.DeletionPropagation) func(*cluster) {
	return func(c *cluster) { c.remove(r, name, policy) }
}

func readiness(d time.Duration) func(*cluster) {
	return func(c *cluster) { c.kubelet.setReady(d) }
}

func imagePatch(i string) string {
	return fmt.Sprintf(`{spec: {template: {spec: {containers: [{name: c, image: %q}]}}}}`, i)
}

const service = `
apiVersion: v1
kind: Service
metadata: {name: web, labels: {l: v}}
spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}
`

const headless = `
apiVersion: v1
kind: Service
metadata: {name: db}
spec: {clusterIP: None, selector: {app: db}, ports: [{port: 80}]}
`

const budget = `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 50%, selector: {matchLabels: {app: web}}}
`

const controller = `
apiVersion: v1
kind: ReplicationController
metadata: {name: rc}
spec:
  replicas: 2
  selector: {app: rc}
  template:
    metadata: {labels: {app: rc}}
    spec: {terminationGracePeriodSeconds: 1, containers: [{name: c, image: "i:1"}]}
`

const dependents = `
apiVersion: v1
kind: ConfigMap
metadata: {name: absent, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: nobody, uid: no-such}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: unknown, ownerReferences: [{apiVersion: nobody.example.com/v1, kind: Nobody, name: nobody, uid: no-such}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: alone}
`

const volumesOfClass = `
apiVersion: v1
kind: PersistentVolume
metadata: {name: big}
spec: {capacity: {storage: 10Gi}, accessModes: [ReadWriteOnce], storageClassName: manual, hostPath: {path: /big}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: middle}
spec: {capacity: {storage: 5Gi}, accessModes: [ReadWriteOnce], storageClassName: manual, hostPath: {path: /middle}}
`

const claimsOfClass = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: small}
spec: {accessModes: [ReadWriteOnce], storageClassName: manual, resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: picky}
spec: {accessModes: [ReadWriteMany], storageClassName: manual, selector: {matchLabels: {no: such}}, resources: {requests: {storage: 1Gi}}}
`

const user = `
apiVersion: v1
kind: Pod
metadata: {name: user}
spec: {terminationGracePeriodSeconds: 1, containers: [{name: c, image: i}], volumes: [{name: v, persistentVolumeClaim: {claimName: small}}]}
`

// own creates a ConfigMap that blocks the deletion of a Thing.
func own(name, owner string) func(*cluster) {
	return func(c *cluster) {
		o := the[*unstructured.Unstructured](c, things, owner)
		c.create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(o, things.GroupVersion().WithKind("Thing"))}}})
	}
}

const (
	background = metav1.DeletePropagationBackground
	foreground = metav1.DeletePropagationForeground
	orphan     = metav1.DeletePropagationOrphan
)

var replicationControllers = corev1.SchemeGroupVersion.WithResource("replicationcontrollers")

var provisioned = []difference{{`PersistentVolumeClaim (data-db-|Normal FailedBinding)`, "a claim of no class gets a volume; with kube-controller-manager alone it stays Pending"}}

var scenarios = []scenario{
	{name: "deployment", steps: []step{
		{"no pods", apply(service, budget)},
		{"create", apply(web)},
		{"another image", merge(deployments, "web", imagePatch("i:2"))},
		{"back", merge(deployments, "web", imagePatch("i:1"))},
		{"grow", merge(deployments, "web", `{spec: {replicas: 6}}`)},
		{"shrink", merge(deployments, "web", `{spec: {replicas: 2}}`)},
		{"none", merge(deployments, "web", `{spec: {replicas: 0}}`)},
		{"delete", remove(deployments, "web", background)},
	}},
	{name: "deployment paused", steps: []step{
		{"create", apply(web)},
		{"pause", merge(deployments, "web", `{spec: {paused: true}}`)},
		{"another image", merge(deployments, "web", imagePatch("i:2"))},
		{"grow", merge(deployments, "web", `{spec: {replicas: 6}}`)},
		{"resume", merge(deployments, "web", `{spec: {paused: false}}`)},
		{"annotate", merge(deployments, "web", `{metadata: {annotations: {kubernetes.io/change-cause: because}}}`)},
		{"one old", merge(deployments, "web", `{spec: {revisionHistoryLimit: 0}}`)},
	}},
	{name: "deployment stuck", steps: []step{
		{"create", apply(service, web)},
		{"nothing is ready", readiness(-1)},
		{"another image", merge(deployments, "web", imagePatch("i:2"))},
		{"grow", merge(deployments, "web", `{spec: {replicas: 10}}`)},
		{"a third image", merge(deployments, "web", imagePatch("i:3"))},
		{"back", merge(deployments, "web", imagePatch("i:1"))},
	}},
	{name: "deployment recreated", steps: []step{
		{"create", apply(web)},
		{"strategy", merge(deployments, "web", `{spec: {strategy: {type: Recreate, rollingUpdate: null}}}`)},
		{"another image", merge(deployments, "web", imagePatch("i:2"))},
		{"foreground", remove(deployments, "web", foreground)},
	}},
	{name: "orphans", steps: []step{
		{"create", apply(web, controller)},
		{"orphan", remove(deployments, "web", orphan)},
		{"orphan pods", remove(replicationControllers, "rc", orphan)},
		{"adopt", apply(web, controller)},
		{"owners that are absent", apply(dependents)},
	}},
	{name: "stateful set", differs: provisioned, steps: []step{
		{"create", apply(headless, db)},
		{"another image", merge(statefulSets, "db", imagePatch("i:2"))},
		{"partition", merge(statefulSets, "db", `{spec: {updateStrategy: {rollingUpdate: {partition: 2}}, template: {spec: {containers: [{name: c, image: "i:3"}]}}}}`)},
		{"shrink", merge(statefulSets, "db", `{spec: {replicas: 1}}`)},
		{"whole", merge(statefulSets, "db", `{spec: {updateStrategy: {rollingUpdate: {partition: 0}}}}`)},
		{"back", merge(statefulSets, "db", imagePatch("i:1"))},
		{"delete", remove(statefulSets, "db", background)},
	}},
	{name: "stateful set stuck", differs: provisioned, steps: []step{
		{"nothing is ready", readiness(-1)},
		{"create", apply(db)},
		{"again", readiness(0)},
		{"restart the pod", remove(pods, "db-0", background)},
		{"retention", merge(statefulSets, "db", `{spec: {persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete, whenScaled: Delete}}}`)},
		{"shrink", merge(statefulSets, "db", `{spec: {replicas: 1}}`)},
	}},
	{name: "daemon set", steps: []step{
		{"create", apply(agent)},
		{"another image", merge(daemonSets, "agent", imagePatch("i:2"))},
		{"on delete", merge(daemonSets, "agent", `{spec: {updateStrategy: {type: OnDelete, rollingUpdate: null}, template: {spec: {containers: [{name: c, image: "i:3"}]}}}}`)},
		{"one node", merge(daemonSets, "agent", `{spec: {template: {spec: {nodeSelector: {kubernetes.io/hostname: node-2}}}}}`)},
		{"foreground", remove(daemonSets, "agent", foreground)},
	}},
	{name: "job", steps: []step{{"create", apply(jobOf("Succeeded", "completions: 3\n  parallelism: 2"))}, {"delete", remove(jobs, "work", background)}}},
	{name: "job indexed", steps: []step{{"create", apply(jobOf("Succeeded", "completions: 3\n  parallelism: 2\n  completionMode: Indexed"))}, {"orphan", remove(jobs, "work", orphan)}}},
	{name: "job that fails", quiet: 25 * time.Second, steps: []step{{"create", apply(jobOf("Failed", "backoffLimit: 1"))}}},
	{name: "job in time", quiet: 10 * time.Second, steps: []step{{"create", apply(jobOf("", "activeDeadlineSeconds: 5"))}}},
	{name: "job suspended", steps: []step{
		{"create", apply(jobOf("", "parallelism: 2"))},
		{"suspend", merge(jobs, "work", `{spec: {suspend: true}}`)},
		{"resume", merge(jobs, "work", `{spec: {suspend: false}}`)},
		{"shrink", merge(jobs, "work", `{spec: {parallelism: 1}}`)},
		{"foreground", remove(jobs, "work", foreground)},
	}},
	{name: "job with a time to live", quiet: 8 * time.Second, steps: []step{{"create", apply(jobOf("Succeeded", "ttlSecondsAfterFinished: 5"))}}},
	{name: "cron job", quiet: 65 * time.Second, steps: []step{
		{"create", apply(strings.Replace(cronOf("", "concurrencyPolicy: Forbid"), "*/10", "*", 1))},
		{"suspend", merge(cronJobs, "tick", `{spec: {suspend: true}}`)},
		{"delete", remove(cronJobs, "tick", background)},
	}},
	{name: "daemon set that surges", steps: []step{
		{"create", apply(agent)},
		{"surge", merge(daemonSets, "agent", `{spec: {updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}}}`)},
		{"another image", merge(daemonSets, "agent", imagePatch("i:2"))},
		{"nothing is ready", readiness(-1)},
		{"a third image", merge(daemonSets, "agent", imagePatch("i:3"))},
	}},
	{name: "replication controller", steps: []step{
		{"create", apply(controller)},
		{"grow", merge(replicationControllers, "rc", `{spec: {replicas: 4}}`)},
		{"shrink", merge(replicationControllers, "rc", `{spec: {replicas: 1}}`)},
		{"foreground", remove(replicationControllers, "rc", foreground)},
	}},
	{name: "job of a work queue", steps: []step{{"create", apply(jobOf("Succeeded", "parallelism: 3"))}}},
	{name: "cron job with history", differs: []difference{{"event CronJob Normal SuccessfulDelete", "it has run more often in virtual time"}}, quiet: 50 * time.Second, steps: []step{
		{"create", apply(strings.Replace(cronOf("Succeeded", "successfulJobsHistoryLimit: 1"), "*/10", "*", 1))},
		{"suspend", merge(cronJobs, "tick", `{spec: {suspend: true}}`)},
		{"no history", merge(cronJobs, "tick", `{spec: {successfulJobsHistoryLimit: 0}}`)},
	}},
	{name: "claims", differs: []difference{{"event PersistentVolumeClaim Warning ProvisioningFailed", "no class is missing, as none is needed"}}, steps: []step{
		{"volumes", apply(volumesOfClass)},
		{"claims", apply(claimsOfClass)},
		{"use", apply(user)},
		{"delete what is in use", remove(claims, "small", background)},
		{"delete the pod", remove(pods, "user", background)},
	}},
	{name: "custom resources", quiet: 40 * time.Second, steps: []step{
		{"definition", apply(definition)},
		{"owner", func(c *cluster) { c.createThing("owner") }},
		{"dependents", own("dependent", "owner")},
		{"foreground", func(c *cluster) { c.remove(things, "owner", foreground) }},
	}},
	{name: "unhealthy budget", steps: []step{
		{"alone", apply(budget)},
		{"nothing is ready", readiness(-1)},
		{"pods", apply(web)},
	}},
}
