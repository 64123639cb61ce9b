package workloads

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var jobKind = batchv1.SchemeGroupVersion.WithKind("Job")

const jobController = "job-controller"

// backoff tells when a Job may have new pods.
type backoff struct {
	failures int // since the last success
	last     time.Time
}

// job is one sync of a Job. podFailurePolicy, successPolicy and backoffLimitPerIndex are not followed.
type job struct {
	*manager
	*batchv1.Job // a copy
	stored       *batchv1.Job
	pods         []*corev1.Pod
	done         map[int]bool // the indexes that are complete
}

func (m *manager) syncJob(namespace, name string) error {
	stored, ok := get[*batchv1.Job](m, jobs, namespace, name)
	if err := m.releaseLost(namespace, name, stored); err != nil {
		return err
	}
	if !ok || stored.Spec.ManagedBy != nil && *stored.Spec.ManagedBy != batchv1.JobControllerName {
		return nil
	}
	j := &job{manager: m, Job: stored.DeepCopy(), stored: stored, done: indexes(stored.Status.CompletedIndexes)}
	var err error
	if j.pods, err = claim[*corev1.Pod](m, pods, stored, jobKind, selectorOf(stored)); err != nil {
		return err
	}
	if j.has(batchv1.JobComplete) || j.has(batchv1.JobFailed) {
		return j.afterEnd()
	}
	return j.sync()
}

// releaseLost releases the pods of Jobs of a name that are gone (syncOrphanPod of k8s.io/kubernetes/pkg/controller/job). now is the Job that has the
// name; nil: none has.
func (m *manager) releaseLost(namespace, name string, now *batchv1.Job) error {
	lost := only(in[*corev1.Pod](m, pods, namespace), func(p *corev1.Pod) bool {
		ref := metav1.GetControllerOfNoCopy(p)
		return ref != nil && ref.Kind == jobKind.Kind && strings.HasPrefix(ref.APIVersion, jobKind.Group) && ref.Name == name &&
			(now == nil || ref.UID != now.UID) && slices.Contains(p.Finalizers, batchv1.JobTrackingFinalizer)
	})
	return each(lost, func(p *corev1.Pod) error { return m.dropFinalizer(pods, p, batchv1.JobTrackingFinalizer) })
}

func (j *job) has(what batchv1.JobConditionType) bool {
	return slices.ContainsFunc(j.Status.Conditions, func(c batchv1.JobCondition) bool { return c.Type == what && c.Status == corev1.ConditionTrue })
}

// set sets a condition, and reports whether that changes its status.
func (j *job) set(what batchv1.JobConditionType, status corev1.ConditionStatus, reason, message string) bool {
	i := slices.IndexFunc(j.Status.Conditions, func(c batchv1.JobCondition) bool { return c.Type == what })
	if i < 0 && status == corev1.ConditionFalse || i >= 0 && j.Status.Conditions[i].Status == status {
		return false
	}
	c := batchv1.JobCondition{Type: what, Status: status, Reason: reason, Message: message, LastProbeTime: metav1.Now(), LastTransitionTime: metav1.Now()}
	if i >= 0 {
		j.Status.Conditions[i] = c
	} else {
		j.Status.Conditions = append(j.Status.Conditions, c)
	}
	return true
}

// afterEnd releases the pods of a Job that has ended, and deletes it when ttlSecondsAfterFinished is over.
func (j *job) afterEnd() error {
	delete(j.backoffs, j.UID)
	if err := each(j.pods, j.release); err != nil {
		return err
	}
	if j.Spec.TTLSecondsAfterFinished == nil || j.DeletionTimestamp != nil {
		return nil
	}
	end := j.CreationTimestamp.Time
	for _, c := range j.Status.Conditions {
		if c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed {
			end = c.LastTransitionTime.Time
		}
	}
	if left := time.Until(end.Add(time.Duration(*j.Spec.TTLSecondsAfterFinished) * time.Second)); left > 0 {
		j.after(jobs, j, left)
		return nil
	}
	return j.remove(jobs, j.stored, metav1.DeletePropagationForeground)
}

func (j *job) suspended() bool { return j.Spec.Suspend != nil && *j.Spec.Suspend }

func (j *job) isIndexed() bool {
	return j.Spec.CompletionMode != nil && *j.Spec.CompletionMode == batchv1.IndexedCompletion
}

func (j *job) release(p *corev1.Pod) error {
	return j.dropFinalizer(pods, p, batchv1.JobTrackingFinalizer)
}

// failed reports whether a pod counts as failed: one that is deleted does, unless it is replaced only when it has ended.
func (j *job) failed(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodFailed || !j.replacesLate() && p.DeletionTimestamp != nil && p.Status.Phase != corev1.PodSucceeded
}

func (j *job) replacesLate() bool {
	return j.Spec.PodReplacementPolicy != nil && *j.Spec.PodReplacementPolicy == batchv1.Failed
}

func (j *job) tracked(p *corev1.Pod) bool {
	return slices.Contains(p.Finalizers, batchv1.JobTrackingFinalizer)
}

func (j *job) active() []*corev1.Pod {
	return only(j.pods, active)
}

// counts returns how many pods have succeeded and failed, with those not yet in the status.
func (j *job) counts() (succeeded, failed int) {
	u := j.Status.UncountedTerminatedPods
	succeeded, failed = int(j.Status.Succeeded)+len(u.Succeeded), int(j.Status.Failed)+len(u.Failed)
	done := maps.Clone(j.done)
	newSuccess, newFailures := 0, 0
	for _, p := range j.pods {
		if !j.tracked(p) || slices.Contains(u.Succeeded, p.UID) || slices.Contains(u.Failed, p.UID) {
			continue
		}
		if p.Status.Phase == corev1.PodSucceeded {
			newSuccess++
			if i, ok := j.index(p); ok {
				done[i] = true
			}
		} else if j.failed(p) {
			newFailures++
		}
	}
	if j.remember(newSuccess, newFailures); j.isIndexed() {
		return len(done), failed + newFailures
	}
	return succeeded + newSuccess, failed + newFailures
}

// remember keeps how often pods have failed since one has succeeded. A pod is seen here once: then it is in the status.
func (j *job) remember(succeeded, failed int) {
	b := j.backoffs[j.UID]
	if succeeded > 0 {
		b = backoff{}
	}
	if failed > 0 {
		b = backoff{b.failures + failed, time.Now()}
	}
	j.backoffs[j.UID] = b
}

func (j *job) sync() error {
	if j.Status.UncountedTerminatedPods == nil {
		j.Status.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{}
	}
	if j.Status.StartTime == nil && !j.suspended() {
		j.Status.StartTime = new(metav1.Now())
	}
	succeeded, failed := j.counts()
	reason, message := j.failure(failed)
	complete := j.has(batchv1.JobSuccessCriteriaMet)
	var err error
	switch {
	case reason != "" || complete:
		err = j.shrink(0, true)
	case j.DeletionTimestamp == nil:
		err = j.manage(succeeded)
	}
	left := len(j.active())
	if reason == "" && left == 0 && err == nil && (j.Spec.Completions == nil && succeeded > 0 || j.Spec.Completions != nil && succeeded >= int(*j.Spec.Completions)) {
		complete = true
	}
	if reason == "" && !complete && j.DeletionTimestamp == nil {
		j.setSuspended()
	}
	j.Status.Active, j.Status.Ready, j.Status.Terminating = int32(left), new(int32), new(int32)
	for _, p := range j.pods {
		if active(p) && ready(p) {
			*j.Status.Ready++
		} else if p.DeletionTimestamp != nil && !ended(p) {
			*j.Status.Terminating++
		}
	}
	if left > 0 {
		reason, complete = "", false // not yet
	}
	return cmp.Or(j.track(reason, message, complete), err)
}

// failure says why the Job fails; "": it does not.
func (j *job) failure(failed int) (reason, message string) {
	if j.has(batchv1.JobSuccessCriteriaMet) {
		return "", ""
	}
	for _, c := range j.Status.Conditions {
		if c.Type == batchv1.JobFailureTarget && c.Status == corev1.ConditionTrue {
			return c.Reason, c.Message
		}
	}
	restarts, limit := int32(0), *j.Spec.BackoffLimit
	for _, p := range j.pods {
		if p.Spec.RestartPolicy == corev1.RestartPolicyOnFailure && (p.Status.Phase == corev1.PodRunning || p.Status.Phase == corev1.PodPending) {
			for _, c := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
				restarts += c.RestartCount
			}
		}
	}
	if failed > int(limit) || restarts > 0 && restarts >= limit {
		return batchv1.JobReasonBackoffLimitExceeded, "Job has reached the specified backoff limit"
	}
	if j.Spec.ActiveDeadlineSeconds == nil || j.suspended() {
		return "", ""
	}
	if left := time.Until(j.Status.StartTime.Add(time.Duration(*j.Spec.ActiveDeadlineSeconds) * time.Second)); left > 0 {
		j.after(jobs, j, left)
		return "", ""
	}
	return batchv1.JobReasonDeadlineExceeded, "Job was active longer than specified deadline"
}

func (j *job) setSuspended() {
	if j.suspended() {
		if j.set(batchv1.JobSuspended, corev1.ConditionTrue, "JobSuspended", "Job suspended") {
			j.event(jobController, jobKind, j, corev1.EventTypeNormal, "Suspended", "Job suspended")
			j.Status.StartTime = nil
		}
	} else if j.set(batchv1.JobSuspended, corev1.ConditionFalse, "JobResumed", "Job resumed") {
		j.event(jobController, jobKind, j, corev1.EventTypeNormal, "Resumed", "Job resumed")
		j.Status.StartTime = new(metav1.Now())
	}
}

// manage makes or deletes pods, so that as many are active as may be.
func (j *job) manage(succeeded int) error {
	has, want := len(j.active()), int(*j.Spec.Parallelism)
	switch {
	case j.suspended():
		want = 0
	case j.Spec.Completions != nil:
		want = max(0, min(want, int(*j.Spec.Completions)-succeeded))
	case succeeded > 0:
		want = has
	}
	if has >= want {
		return j.shrink(want, false)
	}
	if b := j.backoffs[j.UID]; b.failures > 0 {
		wait := min(10*time.Second<<min(b.failures-1, 10), 10*time.Minute)
		if left := time.Until(b.last.Add(wait)); left > 0 {
			j.after(jobs, j, left)
			return nil
		}
	}
	if j.replacesLate() {
		want -= len(only(j.pods, func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil && !ended(p) }))
	}
	return j.grow(want - has)
}

// shrink deletes active pods. They count as failed only where the Job ends by that.
func (j *job) shrink(want int, count bool) error {
	has := j.active()
	slices.SortStableFunc(has, func(a, b *corev1.Pod) int { return compareLoss(a, b, nil) })
	defer j.reread()
	return each(has[:max(0, len(has)-want)], func(p *corev1.Pod) error {
		if !count {
			if err := j.release(p); err != nil {
				return err
			}
		}
		return j.removePod(jobController, jobKind, j, p)
	})
}

func (j *job) reread() {
	j.pods = slices.DeleteFunc(indexed[*corev1.Pod](j.manager, pods, string(j.UID)), func(p *corev1.Pod) bool { return !metav1.IsControlledBy(p, j) })
}

func (j *job) grow(n int) error {
	taken := maps.Clone(j.done)
	for _, p := range j.pods {
		if i, ok := j.index(p); ok && (active(p) || p.Status.Phase == corev1.PodSucceeded) {
			taken[i] = true
		}
	}
	for i := 0; n > 0; i++ {
		p := podOf(&j.Spec.Template, j, jobKind)
		p.Finalizers = append(p.Finalizers, batchv1.JobTrackingFinalizer)
		if j.isIndexed() {
			if i >= int(*j.Spec.Completions) {
				break
			} else if taken[i] {
				continue
			}
			addIndex(p, j.Name, strconv.Itoa(i))
		}
		if err := j.createPod(jobController, jobKind, j, p); err != nil {
			return err
		}
		n--
	}
	j.reread()
	return nil
}

// addIndex tells a pod its completion index.
func addIndex(p *corev1.Pod, job, i string) {
	metav1.SetMetaDataAnnotation(&p.ObjectMeta, batchv1.JobCompletionIndexAnnotation, i)
	p.Labels[batchv1.JobCompletionIndexAnnotation] = i
	p.Spec.Hostname, p.GenerateName = job+"-"+i, job+"-"+i+"-"
	for _, containers := range [][]corev1.Container{p.Spec.InitContainers, p.Spec.Containers} {
		for i := range containers {
			containers[i].Env = append(containers[i].Env, corev1.EnvVar{Name: "JOB_COMPLETION_INDEX", ValueFrom: &corev1.EnvVarSource{
				FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.labels['" + batchv1.JobCompletionIndexAnnotation + "']"}}})
		}
	}
}

// index returns the completion index of a pod.
func (j *job) index(p *corev1.Pod) (int, bool) {
	i, err := strconv.Atoi(p.Annotations[batchv1.JobCompletionIndexAnnotation])
	return i, err == nil && j.isIndexed() && i < int(*j.Spec.Completions)
}

// track counts pods that have ended: their UIDs are written to the status, then their finalizers are removed, and then the counts change.
// So each is counted once, whatever happens meanwhile. After the last one the Job ends.
func (j *job) track(reason, message string, complete bool) error {
	j.settle()
	u, over := j.Status.UncountedTerminatedPods, []*corev1.Pod{}
	for _, p := range j.pods {
		failed := j.failed(p)
		if !j.tracked(p) || !failed && p.Status.Phase != corev1.PodSucceeded && reason == "" && !complete && j.DeletionTimestamp == nil {
			continue
		}
		over = append(over, p)
		i, has := j.index(p)
		switch {
		case slices.Contains(u.Succeeded, p.UID) || slices.Contains(u.Failed, p.UID):
		case p.Status.Phase == corev1.PodSucceeded && j.isIndexed():
			if has {
				j.done[i] = true
			}
		case p.Status.Phase == corev1.PodSucceeded:
			u.Succeeded = append(u.Succeeded, p.UID)
		case (failed || reason != "") && (has || !j.isIndexed()):
			u.Failed = append(u.Failed, p.UID)
		}
	}
	if j.isIndexed() {
		j.Status.CompletedIndexes, j.Status.Succeeded = intervals(j.done), int32(len(j.done))
	}
	if reason != "" {
		j.set(batchv1.JobFailureTarget, corev1.ConditionTrue, reason, message)
	} else if complete {
		j.set(batchv1.JobSuccessCriteriaMet, corev1.ConditionTrue, batchv1.JobReasonCompletionsReached, "Reached expected number of succeeded pods")
	}
	if err := j.write(); err != nil {
		return err
	}
	if err := each(over, j.release); err != nil {
		return err
	}
	j.reread()
	j.settle()
	if u := j.Status.UncountedTerminatedPods; len(u.Succeeded)+len(u.Failed) == 0 && *j.Status.Terminating == 0 {
		j.end(reason, message, complete)
	}
	return j.write()
}

// settle counts the pods in the status whose finalizers are gone.
func (j *job) settle() {
	u, held := j.Status.UncountedTerminatedPods, map[types.UID]bool{}
	for _, p := range j.pods {
		held[p.UID] = j.tracked(p)
	}
	count := func(uids *[]types.UID, n *int32) {
		before := len(*uids)
		*uids = slices.DeleteFunc(*uids, func(uid types.UID) bool { return !held[uid] })
		*n += int32(before - len(*uids))
	}
	count(&u.Succeeded, &j.Status.Succeeded)
	count(&u.Failed, &j.Status.Failed)
}

func (j *job) end(reason, message string, complete bool) {
	switch {
	case reason != "":
		j.set(batchv1.JobFailed, corev1.ConditionTrue, reason, message)
		j.event(jobController, jobKind, j, corev1.EventTypeWarning, reason, "%s", message)
	case complete:
		j.set(batchv1.JobComplete, corev1.ConditionTrue, batchv1.JobReasonCompletionsReached, "Reached expected number of succeeded pods")
		j.Status.CompletionTime = new(metav1.Now())
		j.event(jobController, jobKind, j, corev1.EventTypeNormal, "Completed", "Job completed")
	}
}

func (j *job) write() error {
	if equality.Semantic.DeepEqual(j.stored.Status, j.Status) {
		return nil
	}
	out, err := update(j.manager, jobs, j.Job, "status")
	if err != nil {
		return err
	}
	j.stored, j.Job = out, out.DeepCopy()
	if j.Status.UncountedTerminatedPods == nil {
		j.Status.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{}
	}
	return nil
}

// indexes reads what intervals writes: "0,2-4".
func indexes(text string) map[int]bool {
	all := map[int]bool{}
	for part := range strings.SplitSeq(text, ",") {
		from, to, _ := strings.Cut(part, "-")
		i, err := strconv.Atoi(from)
		last, _ := strconv.Atoi(cmp.Or(to, from))
		for ; err == nil && i <= last; i++ {
			all[i] = true
		}
	}
	return all
}

func intervals(all map[int]bool) string {
	var parts []string
	sorted := slices.Sorted(maps.Keys(all))
	for i := 0; i < len(sorted); i++ {
		from := sorted[i]
		for i+1 < len(sorted) && sorted[i+1] == sorted[i]+1 {
			i++
		}
		switch to := sorted[i]; to - from {
		case 0:
			parts = append(parts, strconv.Itoa(from))
		case 1:
			parts = append(parts, fmt.Sprintf("%d,%d", from, to))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", from, to))
		}
	}
	return strings.Join(parts, ",")
}
