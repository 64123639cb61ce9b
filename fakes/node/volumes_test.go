package node_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/node"
)

// sh runs a script in a container of a pod, and returns what it prints.
func (w *world) sh(pod, name, script string) string {
	w.Helper()
	for _, cs := range w.pod(pod).Status.ContainerStatuses {
		if cs.Name == name {
			out, err := runtimeapi.NewRuntimeServiceClient(w.conn).ExecSync(context.Background(),
				&runtimeapi.ExecSyncRequest{ContainerId: cs.ContainerID[strings.Index(cs.ContainerID, "://")+3:], Cmd: []string{"sh", "-c", script}})
			require.NoError(w, err)
			return string(out.Stdout) + string(out.Stderr)
		}
	}
	require.Fail(w, "no container "+name)
	return ""
}

// events returns the events about an object as "reason path message", sorted.
func (w *world) events(namespace, name string) (all []string) {
	w.Helper()
	list, err := w.k.CoreV1().Events(namespace).List(context.Background(), metav1.ListOptions{FieldSelector: "involvedObject.name=" + name})
	require.NoError(w, err)
	for _, e := range list.Items {
		all = append(all, e.Reason+" "+e.InvolvedObject.FieldPath+" "+e.Message)
	}
	return all
}

// A pod has a token of its service account, which is renewed, and files of what is in the API, which follow it.
func TestVolumes(t *testing.T) {
	state := t.TempDir()
	options := apiserver.Options{Namespaces: true, Accounts: true, RootCA: "ca", Admission: apiserver.Admission{ServiceAccount: true}}
	withOptions(t, options, "", busybox, func(c *node.Config) { c.State = state }, func(w *world) {
		ctx, maps := context.Background(), w.k.CoreV1().ConfigMaps("default")
		_, err := w.k.CoreV1().Secrets("default").Create(ctx, &v1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Data: map[string][]byte{"k": []byte("secret")}}, metav1.CreateOptions{})
		require.NoError(t, err)
		p := parse(t, "a", `
terminationGracePeriodSeconds: 1
hostAliases: [{ip: 1.2.3.4, hostnames: [alias]}]
containers:
- name: m
  image: busybox
  imagePullPolicy: IfNotPresent
  command: [sleep, "100000"]
  resources: {limits: {memory: 64Mi}}
  volumeMounts: [{name: cm, mountPath: /cm}, {name: s, mountPath: /s}, {name: d, mountPath: /d}, {name: e, mountPath: /e, subPath: x/y}]
volumes:
- {name: cm, configMap: {name: cm}}
- {name: s, secret: {secretName: s, defaultMode: 0400, items: [{key: k, path: deep/k}]}}
- {name: d, downwardAPI: {items: [{path: l, fieldRef: {fieldPath: metadata.labels}}, {path: m, resourceFieldRef: {containerName: m, resource: limits.memory, divisor: 1Mi}}]}}
- {name: e, emptyDir: {}}
- {name: unused, configMap: {name: none}}
`)
		p.Labels = map[string]string{"b": "c", "a": "d"}
		w.create(p)
		time.Sleep(5 * time.Second)
		require.Equal(t, "ContainerCreating", w.pod("a").Status.ContainerStatuses[0].State.Waiting.Reason)
		assert.Equal(t, []string{`FailedMount  MountVolume.SetUp failed for volume "cm" : configmap "cm" not found`}, w.events("default", "a"))
		cm, err := maps.Create(ctx, &v1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "cm"}, Data: map[string]string{"one": "1", "two": "2"}, BinaryData: map[string][]byte{"bin": {65}}}, metav1.CreateOptions{})
		require.NoError(t, err)
		time.Sleep(10 * time.Second)

		const account = "/var/run/secrets/kubernetes.io/serviceaccount"
		assert.Equal(t, "ca.crt\nnamespace\ntoken\nbin\none\ntwo\n", w.sh("a", "m", "ls "+account+" | cat; ls /cm"))
		assert.Equal(t, "A12 secret a=\"d\"\nb=\"c\" 64 default ca", w.sh("a", "m", "cat /cm/bin /cm/one /cm/two; echo -n ' '; cat /s/deep/k; echo -n ' '; cat /d/l; echo -n ' '; cat /d/m; echo -n ' '; cat "+account+"/namespace; echo -n ' '; cat "+account+"/ca.crt"))
		assert.Contains(t, w.sh("a", "m", "ls -l /s/deep/k"), "-r--------")
		assert.Contains(t, w.sh("a", "m", "cat /etc/hosts"), "10.88.0.2\ta\n\n# Entries added by HostAliases.\n1.2.3.4\talias\n")
		assert.Equal(t, "sh: can't create /cm/x: Read-only file system\n", w.sh("a", "m", "echo x >/cm/x"))
		assert.Empty(t, w.sh("a", "m", "echo x >/e/x"))
		assert.FileExists(t, filepath.Join(state, "pods", string(w.pod("a").UID), "volumes", "e", "x", "y", "x"))

		token := w.sh("a", "m", "cat "+account+"/token")
		claims, err := (*apiserver.TokenKeys)(nil).OrDefault().Read(token)
		require.NoError(t, err)
		assert.Equal(t, "default", claims.About.ServiceAccount.Name)
		assert.EqualValues(t, w.pod("a").UID, claims.About.Pod.UID)
		cm.Data, cm.BinaryData = map[string]string{"one": "new"}, nil
		_, err = maps.Update(ctx, cm, metav1.UpdateOptions{})
		require.NoError(t, err)
		time.Sleep(20 * time.Second)
		assert.Equal(t, "one\nnew", w.sh("a", "m", "ls /cm; cat /cm/one"))
		time.Sleep(40 * time.Minute)
		assert.Equal(t, token, w.sh("a", "m", "cat "+account+"/token"))
		time.Sleep(10 * time.Minute)
		renewed := w.sh("a", "m", "cat "+account+"/token")
		assert.NotEqual(t, token, renewed)
		_, err = (*apiserver.TokenKeys)(nil).OrDefault().Read(renewed)
		require.NoError(t, err)
		assert.Len(t, w.requests("create", "serviceaccounts", "token"), 2)

		w.remove("a", nil)
		time.Sleep(10 * time.Second)
		files, err := os.ReadDir(filepath.Join(state, "pods"))
		require.NoError(t, err)
		assert.Empty(t, files)
	})
}

// Containers know the services of their namespace, and where the API server is.
func TestServiceVariables(t *testing.T) {
	inBubble(t, busybox, nil, func(w *world) {
		_, err := w.k.CoreV1().Services("default").Create(context.Background(), &v1.Service{ObjectMeta: metav1.ObjectMeta{Name: "my-db"}, Spec: v1.ServiceSpec{ClusterIP: "10.0.0.77",
			Ports: []v1.ServicePort{{Name: "sql", Port: 5432}, {Name: "dns-1", Port: 53, Protocol: v1.ProtocolUDP}}}}, metav1.CreateOptions{})
		require.NoError(t, err)
		time.Sleep(time.Second)
		p := simple("a", "sleep 600")
		p.Spec.Containers[0].Env = []v1.EnvVar{{Name: "DB", Value: "$(MY_DB_SERVICE_HOST)"}, {Name: "MY_DB_PORT", Value: "own"}}
		w.create(p)
		p = simple("b", "sleep 600")
		p.Spec.EnableServiceLinks = new(false)
		w.create(p)
		time.Sleep(5 * time.Second)
		env := w.sh("a", "m", "env")
		for _, want := range []string{"DB=10.0.0.77", "MY_DB_PORT=own", "MY_DB_SERVICE_PORT=5432", "MY_DB_SERVICE_PORT_DNS_1=53", "MY_DB_PORT_53_UDP=udp://10.0.0.77:53", "MY_DB_PORT_5432_TCP_ADDR=10.0.0.77",
			"KUBERNETES_SERVICE_HOST=10.0.0.1", "KUBERNETES_SERVICE_PORT=443"} {
			assert.Contains(t, env, want+"\n")
		}
		env = w.sh("b", "m", "env")
		assert.Contains(t, env, "KUBERNETES_SERVICE_HOST=")
		assert.NotContains(t, env, "MY_DB")
	})
}

// Probes reach the ports that a container declares, over the network of the runtime.
func TestProbesOfPorts(t *testing.T) {
	dial := func(w *world) { w.config.Dial = w.rt.DialPod }
	inBubble(t, busybox, nil, func(w *world) {
		w.stop()
		dial(w)
		w.start()
		for name, port := range map[string]int32{"good": 80, "bad": 81} {
			p := simple(name, "sleep 600")
			p.Spec.Containers[0].Ports = []v1.ContainerPort{{ContainerPort: 80}}
			p.Spec.Containers[0].ReadinessProbe = &v1.Probe{PeriodSeconds: 1, ProbeHandler: v1.ProbeHandler{HTTPGet: &v1.HTTPGetAction{Port: intstr.FromInt32(port)}}}
			p.Spec.Containers[0].StartupProbe = &v1.Probe{PeriodSeconds: 1, ProbeHandler: v1.ProbeHandler{TCPSocket: &v1.TCPSocketAction{Port: intstr.FromInt32(80)}}}
			w.create(p)
		}
		time.Sleep(10 * time.Second)
		assert.Equal(t, v1.ConditionTrue, condition(w.pod("good"), v1.PodReady).Status)
		assert.Equal(t, v1.ConditionFalse, condition(w.pod("bad"), v1.PodReady).Status)
		assert.Contains(t, strings.Join(w.events("default", "bad"), "\n"), "connect: connection refused")
	})
}

// Events say which container they are about, and what becomes of the node.
func TestEventsOfNode(t *testing.T) {
	inBubble(t, busybox, nil, func(w *world) {
		p := simple("a", "sleep 600")
		p.Spec.InitContainers = []v1.Container{{Name: "i", Image: "other", Command: []string{"true"}, ImagePullPolicy: v1.PullAlways}}
		w.create(p)
		time.Sleep(5 * time.Second)
		assert.ElementsMatch(t, []string{`Pulling spec.initContainers{i} Pulling image "other"`,
			`Pulled spec.initContainers{i} Successfully pulled image "other" in 0s (0s including waiting). Image size: 1000000 bytes.`, "Created spec.initContainers{i} Container created",
			"Started spec.initContainers{i} Container started", `Pulled spec.containers{m} Container image "busybox" already present on machine and can be accessed by the pod`,
			"Created spec.containers{m} Container created", "Started spec.containers{m} Container started"}, w.events("default", "a"))
		n, err := w.k.CoreV1().Nodes().Get(context.Background(), "node1", metav1.GetOptions{})
		require.NoError(t, err)
		n.Spec.Unschedulable = true
		_, err = w.k.CoreV1().Nodes().Update(context.Background(), n, metav1.UpdateOptions{})
		require.NoError(t, err)
		time.Sleep(time.Second)
		var want []string
		for _, s := range []string{"NodeHasSufficientMemory", "NodeHasNoDiskPressure", "NodeHasSufficientPID", "NodeReady", "NodeNotSchedulable"} {
			want = append(want, s+"  Node node1 status is now: "+s)
		}
		assert.ElementsMatch(t, append(want, "Starting  Starting kubelet."), w.events("default", "node1"))
	})
}
