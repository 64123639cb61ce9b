package apiserver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
	// PodSecurity refuses a pod that violates the level which its namespace enforces, warns of pods and of templates of pods that violate the
	// level of which the namespace warns, and refuses labels of namespaces that say no level or version.
	PodSecurity bool
	// DefaultStorageClass gives a new claim that names no class the newest class that is marked as the default.
	DefaultStorageClass bool
	// DefaultIngressClass gives a new Ingress that names no class the newest class that is marked as the default.
	DefaultIngressClass bool
	// StorageObjectInUseProtection gives new claims, volumes and VolumeAttributesClasses a finalizer, which a controller must take away.
	StorageObjectInUseProtection bool
}

// plugin is an admission plugin. Each function is for new objects, unless it has the old one, and is called with the lock held.
type plugin struct {
	name string
	on   func(*Admission) *bool // nil: it always is
	// mutate changes a new object, or refuses it. It is called before the webhooks and again after them.
	mutate func(c *core, k *kind, in runtime.Object) error
	// validate refuses what is to be stored in place of old, which may be nil, or adds warnings to notes.
	validate func(c *core, k *kind, sub string, in, old runtime.Object, notes *Notes) error
}

// plugins are in the order in which kube-apiserver calls them (k8s.io/kubernetes, pkg/kubeapiserver/options/plugins.go). ResourceQuota is
// called last, when an object is stored; see charge.
var plugins = []plugin{
	{name: "LimitRanger", on: func(a *Admission) *bool { return &a.LimitRanger }, mutate: mutates((*core).defaultLimits), validate: (*core).limit},
	{name: "ServiceAccount", on: func(a *Admission) *bool { return &a.ServiceAccount }, mutate: mutates((*core).giveAccount)},
	{name: "PodSecurity", on: func(a *Admission) *bool { return &a.PodSecurity }, validate: (*core).secure},
	{name: "Priority", mutate: mutates((*core).prioritize)},
	{name: "DefaultTolerationSeconds", mutate: mutates(func(_ *core, pod *corev1.Pod) error { tolerate(pod); return nil })},
	{name: "DefaultStorageClass", on: func(a *Admission) *bool { return &a.DefaultStorageClass }, mutate: mutates((*core).defaultStorageClass)},
	{name: "StorageObjectInUseProtection", on: func(a *Admission) *bool { return &a.StorageObjectInUseProtection }, mutate: protectStorage},
	{name: "RuntimeClass", mutate: mutates((*core).runAs)},
	{name: "DefaultIngressClass", on: func(a *Admission) *bool { return &a.DefaultIngressClass }, mutate: mutates((*core).defaultIngressClass)},
	{name: "PodTopologyLabels", mutate: mutates((*core).labelTopology)},
	{name: "ResourceQuota", on: func(a *Admission) *bool { return &a.ResourceQuota }},
}

// mutates is the mutate of a plugin for objects of one type.
func mutates[T runtime.Object](f func(*core, T) error) func(*core, *kind, runtime.Object) error {
	return func(c *core, _ *kind, in runtime.Object) error {
		if typed, ok := in.(T); ok {
			return f(c, typed)
		}
		return nil
	}
}

// AdmissionPlugins returns the names of the plugins that can be switched.
func AdmissionPlugins() (names []string) {
	for _, p := range plugins {
		if p.on != nil {
			names = append(names, p.name)
		}
	}
	return names
}

// Plugin returns the switch of a plugin, or nil if it has none.
func (a *Admission) Plugin(name string) *bool {
	if i := slices.IndexFunc(plugins, func(p plugin) bool { return p.name == name }); i >= 0 && plugins[i].on != nil {
		return plugins[i].on(a)
	}
	return nil
}

// ParseAdmission reads the names of plugins.
func ParseAdmission(names []string) (out Admission, err error) {
	for _, name := range names {
		on := out.Plugin(name)
		if on == nil {
			return out, fmt.Errorf("there is no admission plugin %q here that can be switched on, only %s", name, strings.Join(AdmissionPlugins(), ", "))
		}
		*on = true
	}
	return out, nil
}

// mutate lets the plugins change a new object. The lock is held.
func (c *core) mutate(k *kind, in runtime.Object) error {
	for _, p := range plugins {
		if p.mutate == nil || p.on != nil && !*p.on(&c.o.Admission) {
			continue
		}
		if err := p.mutate(c, k, in); err != nil {
			return err
		}
	}
	return nil
}

// permit lets the plugins refuse what is to be stored in place of old, which may be nil, by way of a subresource or not. The lock is held.
func (c *core) permit(k *kind, sub string, in, old runtime.Object, notes *Notes) error {
	for _, p := range plugins {
		if p.validate == nil || p.on != nil && !*p.on(&c.o.Admission) {
			continue
		}
		if err := p.validate(c, k, sub, in, old, notes); err != nil {
			return err
		}
	}
	return nil
}

// giveAccount sets a pod's service account, and gives it the account's token and pull secrets.
func (c *core) giveAccount(pod *corev1.Pod) error {
	if pod.Annotations[corev1.MirrorPodAnnotationKey] != "" {
		return nil
	}
	if pod.Spec.ServiceAccountName == "" {
		pod.Spec.ServiceAccountName = "default"
	}
	pod.Spec.DeprecatedServiceAccount = pod.Spec.ServiceAccountName
	name := pod.Spec.ServiceAccountName
	rec := c.st.kinds[accounts].Now().Get(pod.Namespace + "/" + name)
	if rec == nil {
		return apierrors.NewForbidden(pods.GroupResource(), cmp.Or(pod.Name, pod.GenerateName, "Unknown"), fmt.Errorf("error looking up service account %s/%s: serviceaccount %q not found", pod.Namespace, name, name))
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
