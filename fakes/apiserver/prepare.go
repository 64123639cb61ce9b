package apiserver

import (
	"maps"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// What a create or an update does to an object beside what the client said, kind by kind: read out of
// kube-apiserver's strategies (k8s.io/kubernetes v1.37.1, pkg/registry) and recorded.

// prepareNamespace: the namespace controller's finalizer is there from the beginning, and only /finalize
// changes such.
func prepareNamespace(in, old *corev1.Namespace) {
	switch {
	case old != nil:
		in.Spec.Finalizers = old.Spec.Finalizers
	case !slices.Contains(in.Spec.Finalizers, corev1.FinalizerKubernetes):
		in.Spec.Finalizers = append(in.Spec.Finalizers, corev1.FinalizerKubernetes)
	}
}

// readSecret moves what is said in plain text to where it is kept.
func readSecret(in *corev1.Secret) {
	for k, v := range in.StringData {
		if in.Data == nil {
			in.Data = map[string][]byte{}
		}
		in.Data[k] = []byte(v)
	}
	in.StringData = nil
}

func prepareSecret(in, old *corev1.Secret) {
	readSecret(in)
	if old != nil && in.Type == "" {
		in.Type = old.Type
	}
}

func prepareAccount(in, _ *corev1.ServiceAccount) {
	for i, s := range in.Secrets {
		in.Secrets[i] = corev1.ObjectReference{Name: s.Name}
	}
}

// prepareNode: a new node takes no pods until something says that it is ready.
func prepareNode(in, old *corev1.Node) {
	taint := corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}
	if old == nil && !slices.Contains(in.Spec.Taints, taint) {
		in.Spec.Taints = append(in.Spec.Taints, taint)
	}
	//lint:ignore SA1019 clients may still send it
	if old == nil || old.Spec.ConfigSource == nil {
		//lint:ignore SA1019 likewise
		in.Spec.ConfigSource = nil // nobody heeds it any more
	}
}

// inheritPtr is for what an update leaves out.
func inheritPtr[T any](in **T, old *T) {
	if *in == nil {
		*in = old
	}
}

// preparePod: a pod keeps the priority, and gets the tolerations again, that an update leaves out.
func preparePod(in, old *corev1.Pod) {
	if old != nil {
		inheritPtr(&in.Spec.Priority, old.Spec.Priority)
		inheritPtr(&in.Spec.PreemptionPolicy, old.Spec.PreemptionPolicy)
		tolerate(in)
		return
	}
	in.Status.Phase, in.Status.QOSClass = corev1.PodPending, qosOf(&in.Spec)
	if len(in.Spec.SchedulingGates) > 0 {
		in.Status.Conditions = append(in.Status.Conditions, corev1.PodCondition{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonSchedulingGated,
			Message: "Scheduling is blocked due to non-empty scheduling gates", LastTransitionTime: in.CreationTimestamp,
		})
	}
}

// preparePodStatus keeps the generations that a client leaves out.
func preparePodStatus(in, old *corev1.Pod) {
	defaultTo(&in.Status.ObservedGeneration, old.Status.ObservedGeneration)
	was := map[corev1.PodConditionType][]int64{} // there may be several of a type
	for _, c := range old.Status.Conditions {
		was[c.Type] = append(was[c.Type], c.ObservedGeneration)
	}
	for i := range in.Status.Conditions {
		c := &in.Status.Conditions[i]
		if all := was[c.Type]; len(all) > 0 {
			defaultTo(&c.ObservedGeneration, all[0])
			was[c.Type] = all[1:]
		}
	}
	in.OwnerReferences, in.DeletionTimestamp = old.OwnerReferences, old.DeletionTimestamp
	if in.Status.QOSClass == "" {
		in.Status.QOSClass = old.Status.QOSClass
	}
}

// prepareCSINodeStatus: of metadata nothing changes either.
func prepareCSINodeStatus(in, old *storagev1.CSINode) {
	rv, uid := in.ResourceVersion, in.UID
	old.ObjectMeta.DeepCopyInto(&in.ObjectMeta)
	in.ResourceVersion, in.UID = rv, uid
}

// readDaemonSet: that annotation is a number inside, which is there from the beginning.
func readDaemonSet(in *appsv1.DaemonSet) {
	if _, ok := in.Annotations[appsv1.DeprecatedTemplateGeneration]; !ok {
		metav1.SetMetaDataAnnotation(&in.ObjectMeta, appsv1.DeprecatedTemplateGeneration, "0")
	}
}

// prepareDaemonSet: the generation of its template was a field once, and is an annotation.
func prepareDaemonSet(in, old *appsv1.DaemonSet) {
	const at = appsv1.DeprecatedTemplateGeneration
	generation := int64(1)
	if old != nil {
		generation, _ = strconv.ParseInt(old.Annotations[at], 10, 64)
		if !equality.Semantic.DeepEqual(in.Spec.Template, old.Spec.Template) {
			generation++
		}
	}
	metav1.SetMetaDataAnnotation(&in.ObjectMeta, at, strconv.FormatInt(generation, 10))
}

// prepareDaemonSetStatus: that is no metadata.
func prepareDaemonSetStatus(in, old *appsv1.DaemonSet) {
	if was, ok := old.Annotations[appsv1.DeprecatedTemplateGeneration]; ok {
		metav1.SetMetaDataAnnotation(&in.ObjectMeta, appsv1.DeprecatedTemplateGeneration, was)
	}
}

// prepareJob: unless a client selects its pods itself, they are labelled with the job's uid.
func prepareJob(in, old *batchv1.Job) {
	if old != nil || in.Spec.ManualSelector != nil && *in.Spec.ManualSelector {
		return
	}
	if in.Spec.Template.Labels == nil {
		in.Spec.Template.Labels = map[string]string{}
	}
	labels := in.Spec.Template.Labels
	for _, l := range []string{"", "batch.kubernetes.io/"} {
		labels[l+"controller-uid"], labels[l+"job-name"] = string(in.UID), in.Name
	}
	in.Spec.Selector = metav1.AddLabelToSelector(selectorOrNew(in.Spec.Selector), batchv1.ControllerUidLabel, string(in.UID))
}

// storedJob gives a Job without labels those of its template, which it has whenever it is read.
func storedJob(obj runtime.Object) (other bool) {
	in := obj.(*batchv1.Job)
	if other = len(in.Labels) == 0; other {
		in.Labels = in.Spec.Template.Labels
	}
	in.Labels = maps.Clone(in.Labels) // see defaultJob
	return other && len(in.Labels) > 0
}

func selectorOrNew(s *metav1.LabelSelector) *metav1.LabelSelector {
	if s == nil {
		return &metav1.LabelSelector{}
	}
	return s
}
