package node

import (
	"cmp"
	"net"
	"runtime"
	"slices"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/tools/cache"
)

// declaredFeatures are those that kubelet v1.37.1 declares with its default feature gates.
var declaredFeatures = []string{
	"ExtendWebSocketsToKubelet", "InPlacePodLevelResourcesVerticalScaling", "InPlacePodVerticalScalingInitContainers", "RestartAllContainersOnContainerExits",
}

// watchNode follows the agent's own Node.
func (a *Agent) watchNode() {
	set := func(n *v1.Node) {
		a.mu.Lock()
		was := a.node
		first := was == nil
		a.node = n
		a.mu.Unlock()
		if was != nil && n != nil && was.Spec.Unschedulable != n.Spec.Unschedulable {
			a.events.nodeStatus([2]string{"NodeSchedulable", "NodeNotSchedulable"}[boolInt(n.Spec.Unschedulable)])
		}
		if first && n != nil {
			a.spawn(a.registerStatic) // it may take long, and the Node goes on meanwhile
		}
	}
	lw := cache.NewListWatchFromClient(a.api.CoreV1().RESTClient(), "nodes", "", fields.OneTermEqualSelector("metadata.name", a.c.Name))
	_, c := cache.NewInformerWithOptions(cache.InformerOptions{ListerWatcher: lw, ObjectType: &v1.Node{}, Handler: cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) { set(o.(*v1.Node)) }, UpdateFunc: func(_, o any) { set(o.(*v1.Node)) }, DeleteFunc: func(any) { set(nil) }}})
	a.spawn(func() {
		if cache.WaitForCacheSync(a.ctx.Done(), c.HasSynced) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.delivered["node"] = true
		}
	})
	c.RunWithContext(a.ctx)
}

// cachedNode returns the Node as last seen; before there is one, as it would be registered.
func (a *Agent) cachedNode() *v1.Node {
	a.mu.Lock()
	n := a.node
	a.mu.Unlock()
	if n != nil {
		return n
	}
	return a.newNode()
}

// reportNode registers the Node and keeps its status up to date.
func (a *Agent) reportNode() {
	a.events.node("Starting", "Starting kubelet.")
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 7*time.Second) {
		if !a.sleep(wait) {
			return
		}
		if err := a.register(); err == nil {
			break
		} else {
			a.log.Error("cannot register the node", "err", err)
		}
	}
	for a.runtimeError() != nil && time.Since(a.began) < 2*time.Minute && a.sleep(100*time.Millisecond) {
	}
	a.every(a.c.NodeStatusUpdateFrequency, func() {
		for try := range 5 {
			if err := a.updateNodeStatus(try); err == nil || a.ctx.Err() != nil {
				return
			}
		}
	})
}

// register creates the Node, or gives one that exists the labels of this agent. Other labels and taints stay.
func (a *Agent) register() error {
	nodes, mine := a.api.CoreV1().Nodes(), a.newNode()
	made, err := nodes.Create(a.ctx, mine, metav1.CreateOptions{})
	if err == nil {
		a.events.conditions(nil, slices.DeleteFunc(made.Status.Conditions, func(c v1.NodeCondition) bool { return c.Type == v1.NodeReady }))
	}
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	was, err := nodes.Get(a.ctx, a.c.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	now := was.DeepCopy()
	for k, v := range mine.Labels {
		metav1.SetMetaDataLabel(&now.ObjectMeta, k, v)
	}
	if equality.Semantic.DeepEqual(was.Labels, now.Labels) {
		return nil
	}
	_, err = a.patchNode(was, now)
	return err
}

func (a *Agent) patchNode(was, now *v1.Node) (*v1.Node, error) {
	now = now.DeepCopy()
	now.Spec = was.Spec
	before, err := marshal(was)
	if err != nil {
		return nil, err
	}
	after, err := marshal(now)
	if err != nil {
		return nil, err
	}
	patch, err := strategicpatch.CreateTwoWayMergePatch(before, after, v1.Node{})
	if err != nil {
		return nil, err
	}
	return a.api.CoreV1().Nodes().Patch(a.ctx, a.c.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
}

// updateNodeStatus patches the status of the Node if it changed, or was not reported for long.
func (a *Agent) updateNodeStatus(try int) error {
	a.mu.Lock()
	was, reported := a.node, a.reported
	a.mu.Unlock()
	if try > 0 || was == nil {
		var err error
		if was, err = a.api.CoreV1().Nodes().Get(a.ctx, a.c.Name, metav1.GetOptions{}); err != nil {
			return err
		}
	}
	now := was.DeepCopy()
	a.setNodeStatus(now)
	if !nodeStatusChanged(&was.Status, &now.Status) && time.Since(reported) < a.c.NodeStatusReportFrequency {
		return nil
	}
	if _, err := a.patchNode(was, now); err != nil {
		return err
	}
	a.events.conditions(was.Status.Conditions, now.Status.Conditions)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reported = time.Now()
	return nil
}

func nodeStatusChanged(was, now *v1.NodeStatus) bool {
	plain := func(s *v1.NodeStatus) *v1.NodeStatus {
		s = s.DeepCopy()
		for i := range s.Conditions {
			s.Conditions[i].LastHeartbeatTime = metav1.Time{}
		}
		slices.SortFunc(s.Conditions, func(x, y v1.NodeCondition) int { return cmp.Compare(x.Type, y.Type) })
		return s
	}
	return !equality.Semantic.DeepEqual(plain(was), plain(now))
}

// newNode returns the Node as it is registered.
func (a *Agent) newNode() *v1.Node {
	n := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: a.c.Name, Annotations: map[string]string{"volumes.kubernetes.io/controller-managed-attach-detach": "true"},
		Labels: map[string]string{v1.LabelHostname: a.c.Name, v1.LabelOSStable: runtime.GOOS, v1.LabelArchStable: runtime.GOARCH, "beta.kubernetes.io/os": runtime.GOOS, "beta.kubernetes.io/arch": runtime.GOARCH}}}
	for k, v := range a.c.Labels {
		n.Labels[k] = v
	}
	a.setNodeStatus(n)
	setCondition(&n.Status, v1.NodeReady, v1.ConditionFalse, "KubeletNotReady", "CSINode is not yet initialized") // which needs the Node
	return n
}

// setNodeStatus fills in what the agent reports. Conditions and capacities of others stay.
func (a *Agent) setNodeStatus(n *v1.Node) {
	s := &n.Status
	s.Addresses = []v1.NodeAddress{{Type: v1.NodeInternalIP, Address: a.c.Address}, {Type: v1.NodeHostName, Address: a.c.Name}}
	if s.Capacity == nil {
		s.Capacity = v1.ResourceList{}
	}
	for k, v := range a.c.Capacity {
		s.Capacity[k] = v
	}
	s.Capacity[v1.ResourcePods] = *resource.NewQuantity(a.c.MaxPods, resource.DecimalSI)
	s.Allocatable = s.Capacity.DeepCopy()
	s.NodeInfo = v1.NodeSystemInfo{MachineID: a.c.Name, SystemUUID: a.c.Name, BootID: a.c.Name, KernelVersion: "0", OSImage: "lwtest", KubeletVersion: "v1.37.1", OperatingSystem: runtime.GOOS, Architecture: runtime.GOARCH,
		RunningInUserNamespace: new(false), ContainerRuntimeVersion: a.runtime.GetRuntimeName() + "://" + a.runtime.GetRuntimeVersion()}
	s.DaemonEndpoints = v1.NodeDaemonEndpoints{}
	if a.c.Listen != nil {
		_, port, _ := net.SplitHostPort(a.c.Listen.Addr().String())
		number, _ := strconv.Atoi(port)
		s.DaemonEndpoints.KubeletEndpoint.Port = int32(number)
	}
	s.Images = a.imagesOfNode()
	s.DeclaredFeatures = declaredFeatures
	a.mu.Lock()
	s.RuntimeHandlers = nil
	for _, h := range a.health.handlers {
		s.RuntimeHandlers = append(s.RuntimeHandlers, v1.NodeRuntimeHandler{Name: h.GetName(), Features: &v1.NodeRuntimeHandlerFeatures{
			RecursiveReadOnlyMounts: new(h.GetFeatures().GetRecursiveReadOnlyMounts()), UserNamespaces: new(h.GetFeatures().GetUserNamespaces())}})
	}
	if f := a.health.features; f != nil {
		s.Features = &v1.NodeFeatures{SupplementalGroupsPolicy: new(f.GetSupplementalGroupsPolicy())}
	}
	disk := a.pressure.disk
	a.mu.Unlock()
	setCondition(s, v1.NodeMemoryPressure, v1.ConditionFalse, "KubeletHasSufficientMemory", "kubelet has sufficient memory available")
	if disk {
		setCondition(s, v1.NodeDiskPressure, v1.ConditionTrue, "KubeletHasDiskPressure", "kubelet has disk pressure")
	} else {
		setCondition(s, v1.NodeDiskPressure, v1.ConditionFalse, "KubeletHasNoDiskPressure", "kubelet has no disk pressure")
	}
	setCondition(s, v1.NodePIDPressure, v1.ConditionFalse, "KubeletHasSufficientPID", "kubelet has sufficient PID available")
	if err := utilerrors.NewAggregate([]error{a.runtimeError(), a.networkError()}); err != nil {
		setCondition(s, v1.NodeReady, v1.ConditionFalse, "KubeletNotReady", err.Error())
	} else {
		setCondition(s, v1.NodeReady, v1.ConditionTrue, "KubeletReady", "kubelet is posting ready status")
	}
}

func setCondition(s *v1.NodeStatus, kind v1.NodeConditionType, is v1.ConditionStatus, reason, message string) {
	now := metav1.Now()
	c := v1.NodeCondition{Type: kind, Status: is, Reason: reason, Message: message, LastHeartbeatTime: now, LastTransitionTime: now}
	i := slices.IndexFunc(s.Conditions, func(c v1.NodeCondition) bool { return c.Type == kind })
	if i < 0 {
		s.Conditions = append(s.Conditions, c)
		return
	}
	if s.Conditions[i].Status == is {
		c.LastTransitionTime = s.Conditions[i].LastTransitionTime
	}
	s.Conditions[i] = c
}
