package apiserver

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Admission says which admission plugins are on beside those that always are. They do what kube-apiserver's plugins of the same name do.
type Admission struct {
	// ServiceAccount refuses a new pod whose service account does not exist, and gives the others its token as a volume.
	ServiceAccount bool
	// ResourceQuota refuses what a ResourceQuota has no room for, by its status: a quota controller must fill that in.
	ResourceQuota bool
	// LimitRanger gives containers of new pods the defaults of LimitRanges, and refuses pods and claims that those forbid. Of whole pods it
	// knows cpu and memory.
	LimitRanger bool
	// PodSecurity refuses a new pod that violates the level which its namespace enforces.
	PodSecurity bool
}

// ParseAdmission reads the names of plugins.
func ParseAdmission(names []string) (out Admission, err error) {
	for _, name := range names {
		switch name {
		case "ServiceAccount":
			out.ServiceAccount = true
		case "ResourceQuota":
			out.ResourceQuota = true
		case "LimitRanger":
			out.LimitRanger = true
		case "PodSecurity":
			out.PodSecurity = true
		default:
			return out, fmt.Errorf("there is no admission plugin %q here: ServiceAccount, LimitRanger, ResourceQuota and PodSecurity can be switched on", name)
		}
	}
	return out, nil
}

// mutate lets the plugins change a new object. The lock is held.
func (c *core) mutate(k *kind, in runtime.Object) error {
	if err := c.limit(k, in); err != nil {
		return err
	}
	pod, ok := in.(*corev1.Pod)
	if !ok {
		return nil
	}
	if err := c.secure(k, pod); err != nil {
		return err
	}
	if !c.o.Admission.ServiceAccount || pod.Annotations[corev1.MirrorPodAnnotationKey] != "" {
		return nil
	}
	if pod.Spec.ServiceAccountName == "" {
		pod.Spec.ServiceAccountName = "default"
	}
	pod.Spec.DeprecatedServiceAccount = pod.Spec.ServiceAccountName
	name := pod.Spec.ServiceAccountName
	rec := c.st.kinds[accounts].now().get(pod.Namespace + "/" + name)
	if rec == nil {
		return apierrors.NewForbidden(k.res.GroupResource(), pod.Name, fmt.Errorf("error looking up service account %s/%s: serviceaccount %q not found", pod.Namespace, name, name))
	}
	account := rec.obj.(*corev1.ServiceAccount)
	for _, wanted := range []*bool{pod.Spec.AutomountServiceAccountToken, account.AutomountServiceAccountToken, new(true)} {
		if wanted == nil {
			continue
		}
		if *wanted {
			c.mountToken(pod)
		}
		break
	}
	if len(pod.Spec.ImagePullSecrets) == 0 {
		pod.Spec.ImagePullSecrets = slices.Clone(account.ImagePullSecrets)
	}
	return nil
}

// tokenPath is where a pod has the token of its service account.
const tokenPath = "/var/run/secrets/kubernetes.io/serviceaccount"

// mountToken gives the containers of a pod the token of its service account, unless they mount something else there.
func (c *core) mountToken(pod *corev1.Pod) {
	const prefix = "kube-api-access-"
	name, has := "", slices.IndexFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return strings.HasPrefix(v.Name, prefix) })
	if has >= 0 {
		name = pod.Spec.Volumes[has].Name
	} else {
		name = c.newName(c.st.kinds[accounts], pod.Namespace, prefix)
	}
	mounted := false
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			if !slices.ContainsFunc(list[i].VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == tokenPath }) {
				list[i].VolumeMounts = append(list[i].VolumeMounts, corev1.VolumeMount{Name: name, ReadOnly: true, MountPath: tokenPath})
				mounted = true
			}
		}
	}
	if has >= 0 || !mounted {
		return
	}
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		DefaultMode: new(corev1.ProjectedVolumeSourceDefaultMode),
		Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token", ExpirationSeconds: new(int64(3607))}},
			{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: rootCA}, Items: []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
			{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}}}}},
		},
	}}})
}

var quotas = corev1.SchemeGroupVersion.WithResource("resourcequotas")

// charge takes what a new object uses from the quotas of its namespace, or refuses it. The lock is held.
func (c *core) charge(now time.Time, k *kind, in runtime.Object, dryRun bool) error {
	m, q := in.(metav1.Object), c.st.kinds[quotas]
	if !c.o.Admission.ResourceQuota || q == nil || m.GetNamespace() == "" {
		return nil
	}
	var writes []write
	for r := range q.now().within(m.GetNamespace()+"/", "") {
		quota := r.obj.(*corev1.ResourceQuota)
		if quota.DeletionTimestamp != nil || !covers(quota, in) {
			continue
		}
		after, err := charged(quota, k, in)
		if err != nil {
			return apierrors.NewForbidden(k.res.GroupResource(), m.GetName(), err)
		}
		if after != nil {
			writes = append(writes, write{kind: q, change: &change{old: r, new: c.st.record(r.key, after)}})
		}
	}
	if len(writes) > 0 && !dryRun {
		c.commit(now, writes...)
	}
	return nil
}

// charged returns a quota with what an object uses; nil: it uses nothing of it.
func charged(quota *corev1.ResourceQuota, k *kind, in runtime.Object) (*corev1.ResourceQuota, error) {
	var after *corev1.ResourceQuota
	var asked, used, hard, missing []string
	uses := usage(k, in)
	for _, name := range sortedNames(quota.Status.Hard) {
		amount, limit := uses[name], quota.Status.Hard[name]
		if _, says := uses[name]; !says && computed(name) && k.res.Resource == "pods" {
			missing = append(missing, string(name)+" for: "+strings.Join(silent(in.(*corev1.Pod), name), ","))
			continue
		}
		if amount.IsZero() {
			continue
		}
		now := quota.Status.Used[name]
		sum := now.DeepCopy()
		sum.Add(amount)
		if sum.Cmp(limit) > 0 {
			asked, used, hard = append(asked, fmt.Sprintf("%s=%s", name, amount.String())), append(used, fmt.Sprintf("%s=%s", name, now.String())), append(hard, fmt.Sprintf("%s=%s", name, limit.String()))
		}
		if after == nil {
			after = quota.DeepCopy()
		}
		if after.Status.Used == nil {
			after.Status.Used = corev1.ResourceList{}
		}
		after.Status.Used[name] = sum
	}
	switch {
	case len(missing) > 0:
		return nil, fmt.Errorf("failed quota: %s: must specify %s", quota.Name, strings.Join(missing, "; "))
	case len(asked) > 0:
		return nil, errors.New("exceeded quota: " + quota.Name + ", requested: " + strings.Join(asked, ",") + ", used: " + strings.Join(used, ",") + ", limited: " + strings.Join(hard, ","))
	}
	return after, nil
}

func sortedNames(l corev1.ResourceList) []corev1.ResourceName {
	var out []corev1.ResourceName
	for name := range l {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// computed reports whether a quota counts what the containers of pods ask for.
func computed(name corev1.ResourceName) bool {
	kind, _ := asks(name)
	return kind != ""
}

// asks returns what a quota counts of the containers of pods: of which kind, and "requests" or "limits"; "": it counts objects.
func asks(name corev1.ResourceName) (kind corev1.ResourceName, of string) {
	switch name {
	case corev1.ResourceCPU, corev1.ResourceMemory:
		return name, "requests"
	}
	of, rest, _ := strings.Cut(string(name), ".")
	if kind = corev1.ResourceName(rest); kind == corev1.ResourceCPU || kind == corev1.ResourceMemory {
		return kind, of
	}
	return "", ""
}

// silent are the containers that do not say what a quota counts.
func silent(pod *corev1.Pod, name corev1.ResourceName) (names []string) {
	kind, of := asks(name)
	for _, c := range containersOf(&pod.Spec) {
		if _, ok := amounts(c.Resources, of)[kind]; !ok {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	return names
}

func amounts(r corev1.ResourceRequirements, of string) corev1.ResourceList {
	if of == "limits" {
		return r.Limits
	}
	return r.Requests
}

// usage is what an object counts for in quotas.
func usage(k *kind, in runtime.Object) corev1.ResourceList {
	one := *resource.NewQuantity(1, resource.DecimalSI)
	out := corev1.ResourceList{corev1.ResourceName("count/" + k.res.GroupResource().String()): one}
	if slices.Contains([]string{"pods", "services", "secrets", "configmaps", "persistentvolumeclaims", "replicationcontrollers", "resourcequotas"}, k.res.GroupResource().String()) {
		out[corev1.ResourceName(k.res.Resource)] = one
	}
	switch o := in.(type) {
	case *corev1.Service:
		if o.Spec.Type == corev1.ServiceTypeLoadBalancer {
			out[corev1.ResourceServicesLoadBalancers] = one
		}
		for _, p := range o.Spec.Ports {
			if p.NodePort != 0 {
				n := out[corev1.ResourceServicesNodePorts]
				n.Add(one)
				out[corev1.ResourceServicesNodePorts] = n
			}
		}
	case *corev1.PersistentVolumeClaim:
		out[corev1.ResourceRequestsStorage] = *o.Spec.Resources.Requests.Storage()
	case *corev1.Pod:
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceRequestsCPU, corev1.ResourceRequestsMemory, corev1.ResourceLimitsCPU, corev1.ResourceLimitsMemory} {
			if len(silent(o, name)) == 0 {
				out[name] = asksFor(o, name)
			}
		}
	}
	return out
}

// asksFor is what a pod asks for: of all containers and sidecars together, or of the largest init container.
func asksFor(pod *corev1.Pod, name corev1.ResourceName) (sum resource.Quantity) {
	kind, of := asks(name)
	for _, c := range pod.Spec.Containers {
		sum.Add(amounts(c.Resources, of)[kind])
	}
	var sidecars, most resource.Quantity
	for _, c := range pod.Spec.InitContainers {
		amount := amounts(c.Resources, of)[kind]
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			sidecars.Add(amount)
			continue
		}
		if amount.Add(sidecars); amount.Cmp(most) > 0 {
			most = amount
		}
	}
	if sum.Add(sidecars); most.Cmp(sum) > 0 {
		return most
	}
	return sum
}
