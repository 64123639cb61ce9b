package workloads_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var (
	jobs     = batchv1.SchemeGroupVersion.WithResource("jobs")
	cronJobs = batchv1.SchemeGroupVersion.WithResource("cronjobs")
)

// jobOf is a Job whose pods end so.
func jobOf(ends, spec string) string {
	return fmt.Sprintf(`
apiVersion: batch/v1
kind: Job
metadata: {name: work}
spec:
  %s
  template:
    metadata: {annotations: {test/ends: %q}}
    spec: {restartPolicy: Never, containers: [{name: c, image: i}]}
`, spec, ends)
}

func conditions(j *batchv1.Job) (all []string) {
	for _, c := range j.Status.Conditions {
		all = append(all, fmt.Sprintf("%s %s %s", c.Type, c.Status, c.Reason))
	}
	return all
}

func held(c *cluster) (n int) {
	for _, p := range list[*corev1.Pod](c, pods) {
		n += len(p.Finalizers)
	}
	return n
}

var completed = []string{"SuccessCriteriaMet True CompletionsReached", "Complete True CompletionsReached"}

func TestJobs(t *testing.T) {
	for _, c := range []struct {
		name, ends, spec  string
		after             time.Duration
		succeeded, failed int32
		pods              int
		conditions        []string
		indexes           string
	}{
		{"one", "Succeeded", "parallelism: 1", time.Minute, 1, 0, 1, completed, ""},
		{"several", "Succeeded", "completions: 5\n  parallelism: 2", time.Minute, 5, 0, 5, completed, ""},
		{"indexed", "Succeeded", "completions: 4\n  parallelism: 3\n  completionMode: Indexed", time.Minute, 4, 0, 4, completed, "0-3"},
		{"failing", "Failed", "backoffLimit: 2", 10 * time.Minute, 0, 3, 3, []string{"FailureTarget True BackoffLimitExceeded", "Failed True BackoffLimitExceeded"}, ""},
		{"backing off", "Failed", "backoffLimit: 6", 25 * time.Second, 0, 2, 2, nil, ""},
		{"too long", "", "activeDeadlineSeconds: 30", time.Minute, 0, 1, 0, []string{"FailureTarget True DeadlineExceeded", "Failed True DeadlineExceeded"}, ""},
		{"suspended", "", "suspend: true", time.Minute, 0, 0, 0, []string{"Suspended True JobSuspended"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, everything, func(k *cluster) {
				k.apply(jobOf(c.ends, c.spec))
				k.wait(c.after)
				j := the[*batchv1.Job](k, jobs, "work")
				assert.Equal(t, c.succeeded, j.Status.Succeeded, "succeeded")
				assert.Equal(t, c.failed, j.Status.Failed, "failed")
				assert.Len(t, list[*corev1.Pod](k, pods), c.pods)
				assert.Equal(t, c.conditions, conditions(j))
				assert.Equal(t, c.indexes, j.Status.CompletedIndexes)
				assert.Zero(t, held(k), "finalizers of pods that have ended")
			})
		})
	}
}

func TestParallelism(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.apply(jobOf("Succeeded", "completions: 6\n  parallelism: 2"))
		most := 0
		for range 300 {
			c.wait(100 * time.Millisecond)
			n := 0
			for _, p := range list[*corev1.Pod](c, pods) {
				if p.Status.Phase != corev1.PodSucceeded {
					n++
				}
			}
			most = max(most, n)
		}
		assert.Equal(t, 2, most)
		assert.Equal(t, completed, conditions(the[*batchv1.Job](c, jobs, "work")))
	})
}

func TestSuspendAndResume(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.apply(jobOf("", "parallelism: 2"))
		c.wait(time.Minute)
		assert.Equal(t, int32(2), the[*batchv1.Job](c, jobs, "work").Status.Active)
		change(c, jobs, "work", func(j *batchv1.Job) { j.Spec.Suspend = new(true) })
		c.wait(time.Minute)
		assert.Empty(t, list[*corev1.Pod](c, pods))
		change(c, jobs, "work", func(j *batchv1.Job) { j.Spec.Suspend = new(false) })
		c.wait(time.Minute)
		assert.Len(t, list[*corev1.Pod](c, pods), 2)
		assert.Equal(t, []string{"Suspended False JobResumed"}, conditions(the[*batchv1.Job](c, jobs, "work")))
	})
}

func TestFinishedJobIsDeleted(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.apply(jobOf("Succeeded", "ttlSecondsAfterFinished: 60"))
		c.wait(30 * time.Second)
		assert.Len(t, list[*batchv1.Job](c, jobs), 1)
		c.wait(time.Minute)
		assert.Empty(t, list[*batchv1.Job](c, jobs))
		assert.Empty(t, list[*corev1.Pod](c, pods))
	})
}

// A Job that is deleted before it has ended takes its pods with it, also if another has its name by then.
func TestDeletedJobTakesItsPods(t *testing.T) {
	for _, again := range []bool{false, true} {
		bubble(t, everything, func(c *cluster) {
			c.apply(jobOf("", ""))
			c.wait(30 * time.Second)
			first := list[*corev1.Pod](c, pods)
			require.NotEmpty(t, first)
			c.remove(jobs, "work", metav1.DeletePropagationBackground)
			if again {
				c.apply(jobOf("", ""))
			}
			c.wait(time.Minute)
			for _, p := range list[*corev1.Pod](c, pods) {
				assert.NotEqual(t, first[0].UID, p.UID)
			}
			assert.Len(t, list[*batchv1.Job](c, jobs), map[bool]int{true: 1}[again])
		})
	}
}

// cronOf is a CronJob whose pods end so.
func cronOf(ends, spec string) string {
	return fmt.Sprintf(`
apiVersion: batch/v1
kind: CronJob
metadata: {name: tick}
spec:
  schedule: "*/10 * * * *"
  %s
  jobTemplate:
    spec:
      template:
        metadata: {annotations: {test/ends: %q}}
        spec: {restartPolicy: Never, containers: [{name: c, image: i}]}
`, spec, ends)
}

func TestCronJobs(t *testing.T) {
	for _, c := range []struct {
		name, ends, spec string
		jobs, active     int
		last             time.Time // the clock of a bubble starts at 2000-01-01
	}{
		{"history", "Succeeded", "successfulJobsHistoryLimit: 2", 2, 0, time.Date(2000, 1, 1, 5, 0, 0, 0, time.UTC)},
		{"allow", "", "concurrencyPolicy: Allow", 30, 30, time.Date(2000, 1, 1, 5, 0, 0, 0, time.UTC)},
		{"forbid", "", "concurrencyPolicy: Forbid", 1, 1, time.Date(2000, 1, 1, 0, 10, 0, 0, time.UTC)},
		{"replace", "", "concurrencyPolicy: Replace", 1, 1, time.Date(2000, 1, 1, 5, 0, 0, 0, time.UTC)},
		{"suspended", "", "suspend: true", 0, 0, time.Time{}},
		{"elsewhere", "Succeeded", "timeZone: Asia/Kolkata\n  successfulJobsHistoryLimit: 1", 1, 0, time.Date(2000, 1, 1, 5, 0, 0, 0, time.UTC)},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, everything, func(k *cluster) {
				k.apply(cronOf(c.ends, c.spec))
				k.wait(5*time.Hour + time.Minute)
				cj := the[*batchv1.CronJob](k, cronJobs, "tick")
				assert.Len(t, list[*batchv1.Job](k, jobs), c.jobs)
				assert.Len(t, cj.Status.Active, c.active)
				if c.last.IsZero() {
					assert.Nil(t, cj.Status.LastScheduleTime)
				} else if assert.NotNil(t, cj.Status.LastScheduleTime) {
					assert.True(t, c.last.Equal(cj.Status.LastScheduleTime.Time), "%s", cj.Status.LastScheduleTime)
				}
			})
		})
	}
}

func TestMissedStarts(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.apply(cronOf("Succeeded", "startingDeadlineSeconds: 60\n  suspend: true"))
		c.wait(5*time.Hour + 5*time.Minute)
		change(c, cronJobs, "tick", func(cj *batchv1.CronJob) { cj.Spec.Suspend = new(false) })
		c.wait(time.Second)
		assert.Empty(t, list[*batchv1.Job](c, jobs), "the last start is five minutes ago")
		change(c, cronJobs, "tick", func(cj *batchv1.CronJob) { cj.Spec.StartingDeadlineSeconds = new(int64(600)) })
		c.wait(time.Second)
		if all := list[*batchv1.Job](c, jobs); assert.Len(t, all, 1) {
			due := time.Date(2000, 1, 1, 5, 0, 0, 0, time.UTC)
			assert.Equal(t, fmt.Sprintf("tick-%d", due.Unix()/60), all[0].Name)
			assert.True(t, metav1.IsControlledBy(all[0], the[*batchv1.CronJob](c, cronJobs, "tick")))
		}
	})
}
