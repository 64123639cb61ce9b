package workloads

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/robfig/cron/v3"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var cronJobKind = batchv1.SchemeGroupVersion.WithKind("CronJob")

const cronJobController = "cronjob-controller"

// cronJob is one sync of a CronJob.
type cronJob struct {
	*manager
	*batchv1.CronJob // a copy
	jobs             []*batchv1.Job
}

func (m *manager) syncCronJob(namespace, name string) error {
	stored, ok := get[*batchv1.CronJob](m, cronJobs, namespace, name)
	if !ok {
		return nil
	}
	c := &cronJob{manager: m, CronJob: stored.DeepCopy()}
	for _, j := range indexed[*batchv1.Job](m, jobs, string(stored.UID)) {
		if metav1.IsControlledBy(j, stored) {
			c.jobs = append(c.jobs, j)
		}
	}
	slices.SortStableFunc(c.jobs, func(a, b *batchv1.Job) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	err := c.sync()
	return cmp.Or(err, writeStatus(m, cronJobs, c.CronJob, stored.Status, c.Status))
}

// ending returns how a Job has ended; "": it has not.
func ending(j *batchv1.Job) batchv1.JobConditionType {
	for _, c := range j.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return c.Type
		}
	}
	return ""
}

func (c *cronJob) say(what, reason, format string, args ...any) {
	c.event(cronJobController, cronJobKind, c.CronJob, what, reason, format, args...)
}

func (c *cronJob) removeJob(j *batchv1.Job) error {
	err := c.remove(jobs, j, metav1.DeletePropagationBackground)
	if err == nil {
		c.say(corev1.EventTypeNormal, "SuccessfulDelete", "Deleted job %s", j.Name)
	}
	return err
}

func (c *cronJob) sync() error {
	c.setActive()
	if err := cmp.Or(c.truncate(batchv1.JobComplete, c.Spec.SuccessfulJobsHistoryLimit), c.truncate(batchv1.JobFailed, c.Spec.FailedJobsHistoryLimit)); err != nil {
		return err
	}
	if c.DeletionTimestamp != nil || c.Spec.Suspend != nil && *c.Spec.Suspend {
		return nil
	}
	spec := c.Spec.Schedule
	if c.Spec.TimeZone != nil {
		spec = "TZ=" + *c.Spec.TimeZone + " " + spec
	}
	schedule, err := cron.ParseStandard(spec)
	if err != nil {
		c.say(corev1.EventTypeWarning, "UnparseableSchedule", "unparseable schedule: %q : %s", c.Spec.Schedule, err)
		return nil
	}
	now := time.Now()
	defer c.after(cronJobs, c, schedule.Next(now).Sub(now)+100*time.Millisecond)
	return c.start(schedule, now)
}

func refTo(j *batchv1.Job) corev1.ObjectReference {
	return corev1.ObjectReference{APIVersion: "batch/v1", Kind: "Job", Namespace: j.Namespace, Name: j.Name, UID: j.UID, ResourceVersion: j.ResourceVersion}
}

// setActive lists the Jobs that go on, and keeps when one has succeeded last.
func (c *cronJob) setActive() {
	was := c.Status.Active
	c.Status.Active = nil
	for _, j := range c.jobs {
		end := ending(j)
		if end == "" && j.DeletionTimestamp == nil {
			c.Status.Active = append(c.Status.Active, refTo(j))
		}
		if t := j.Status.CompletionTime; end == batchv1.JobComplete && t != nil && (c.Status.LastSuccessfulTime == nil || c.Status.LastSuccessfulTime.Before(t)) {
			c.Status.LastSuccessfulTime = t
		}
		if i := slices.IndexFunc(was, func(r corev1.ObjectReference) bool { return r.UID == j.UID }); i >= 0 && end != "" {
			c.say(corev1.EventTypeNormal, "SawCompletedJob", "Saw completed job: %s, condition: %v", j.Name, end)
		} else if end == "" && i >= 0 && j.DeletionTimestamp == nil {
			c.Status.Active[len(c.Status.Active)-1] = was[i] // no write for each change of the Job
		}
	}
}

// truncate deletes the oldest Jobs that have ended in a way, beyond a limit.
func (c *cronJob) truncate(how batchv1.JobConditionType, limit *int32) error {
	over := only(c.jobs, func(j *batchv1.Job) bool { return ending(j) == how && j.DeletionTimestamp == nil })
	if limit == nil {
		return nil
	}
	return each(over[:max(0, len(over)-int(*limit))], c.removeJob)
}

// due returns the last time of the schedule that is over and not yet served; zero: there is none.
func (c *cronJob) due(schedule cron.Schedule, now time.Time) (due time.Time) {
	from := c.CreationTimestamp.Time
	if c.Status.LastScheduleTime != nil {
		from = c.Status.LastScheduleTime.Time
	}
	if s := c.Spec.StartingDeadlineSeconds; s != nil {
		if earliest := now.Add(-time.Duration(*s) * time.Second); earliest.After(from) {
			from = earliest
		}
	}
	missed := 0
	for t := schedule.Next(from); !t.IsZero() && !t.After(now); t = schedule.Next(t) {
		due = t
		missed++
	}
	if missed > 100 {
		c.say(corev1.EventTypeWarning, "TooManyMissedTimes", "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew")
	}
	return due
}

func (c *cronJob) start(schedule cron.Schedule, now time.Time) error {
	due := c.due(schedule, now)
	if due.IsZero() {
		return nil
	}
	if len(c.Status.Active) > 0 && c.Spec.ConcurrencyPolicy == batchv1.ForbidConcurrent {
		c.say(corev1.EventTypeNormal, "JobAlreadyActive", "Not starting job because prior execution is running and concurrency policy is Forbid")
		return nil
	}
	if c.Spec.ConcurrencyPolicy == batchv1.ReplaceConcurrent {
		running := only(c.jobs, func(j *batchv1.Job) bool { return ending(j) == "" && j.DeletionTimestamp == nil })
		if err := each(running, c.removeJob); err != nil {
			return err
		}
		c.Status.Active = nil
	}
	t := &c.Spec.JobTemplate
	j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace, Name: fmt.Sprintf("%s-%d", c.Name, due.Unix()/60), Labels: maps.Clone(t.Labels), Annotations: maps.Clone(t.Annotations),
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(c.CronJob, cronJobKind)}}, Spec: *t.Spec.DeepCopy()}
	metav1.SetMetaDataAnnotation(&j.ObjectMeta, batchv1.CronJobScheduledTimestampAnnotation, due.Format(time.RFC3339))
	out, err := create(c.manager, jobs, j)
	switch {
	case apierrors.IsAlreadyExists(err): // made before the status was written
	case err != nil:
		c.say(corev1.EventTypeWarning, "FailedCreate", "Error creating job: %v", err)
		return err
	default:
		c.say(corev1.EventTypeNormal, "SuccessfulCreate", "Created job %s", out.Name)
		c.Status.Active = append(c.Status.Active, refTo(out))
	}
	c.Status.LastScheduleTime = &metav1.Time{Time: due}
	return nil
}
