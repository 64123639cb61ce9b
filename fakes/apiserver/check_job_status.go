package apiserver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A job ends in one of two ways, each in two steps, and that does not change any more. What was wrong before and
// has not been touched is let be (k8s.io/kubernetes v1.37.1, pkg/registry/batch/job and pkg/apis/batch/validation).

// jobIs says that a condition of a job is true.
func jobIs(j *batchv1.Job, what batchv1.JobConditionType) bool {
	return jobHas(j, what, corev1.ConditionTrue)
}

func jobHas(j *batchv1.Job, what batchv1.JobConditionType, value corev1.ConditionStatus) bool {
	return slices.ContainsFunc(j.Status.Conditions, func(c batchv1.JobCondition) bool { return c.Type == what && c.Status == value })
}

func isFinished(j *batchv1.Job) bool {
	return jobIs(j, batchv1.JobComplete) || jobIs(j, batchv1.JobFailed)
}

// jobChange is a write to the status of a job.
type jobChange struct {
	in, old *batchv1.Job
	path    *field.Path
	errs    field.ErrorList
}

func checkJobStatus(in, old *batchv1.Job) field.ErrorList {
	c := &jobChange{in: in, old: old, path: field.NewPath("status")}
	c.numbers()
	c.ending()
	c.leftovers()
	c.indexes()
	c.staying()
	return c.errs
}

func (c *jobChange) invalid(name string, value any, what string) {
	c.errs = append(c.errs, field.Invalid(c.path.Child(name), value, what))
}

func (c *jobChange) conditions(what string) { c.invalid("conditions", field.OmitValueType{}, what) }

// turns says that one of some conditions has become true, or is so no more.
func (c *jobChange) turns(some ...batchv1.JobConditionType) bool {
	return slices.ContainsFunc(some, func(t batchv1.JobConditionType) bool { return jobIs(c.in, t) != jobIs(c.old, t) })
}

// finishes says that the job has come to an end, or is going on.
func (c *jobChange) finishes() bool { return isFinished(c.in) != isFinished(c.old) }

func changes[T any](in, old T) bool { return !equality.Semantic.DeepEqual(in, old) }

func (c *jobChange) numbers() {
	s := &c.in.Status
	for _, n := range []struct {
		name  string
		value *int32
	}{{"active", &s.Active}, {"succeeded", &s.Succeeded}, {"failed", &s.Failed}, {"ready", s.Ready}, {"terminating", s.Terminating}} {
		c.errs = append(c.errs, atLeast0(c.path.Child(n.name), n.value)...)
	}
	pods := s.UncountedTerminatedPods
	if pods == nil {
		return
	}
	seen := map[types.UID]bool{}
	for _, list := range []struct {
		name string
		all  []types.UID
	}{{"succeeded", pods.Succeeded}, {"failed", pods.Failed}} {
		for i, uid := range list.all {
			switch at := c.path.Child("uncountedTerminatedPods", list.name).Index(i); {
			case uid == "":
				c.errs = append(c.errs, field.Invalid(at, uid, "must not be empty"))
			case seen[uid]:
				c.errs = append(c.errs, field.Duplicate(at, uid))
			}
			seen[uid] = uid != ""
		}
	}
}

// ending: the conditions that say how, and the times.
func (c *jobChange) ending() {
	s, was := &c.in.Status, &c.old.Status
	complete, failed := jobIs(c.in, batchv1.JobComplete), jobIs(c.in, batchv1.JobFailed)
	started, ended := changes(s.StartTime, was.StartTime), changes(s.CompletionTime, was.CompletionTime)
	if c.turns(batchv1.JobComplete, batchv1.JobFailed) && complete && failed {
		c.conditions("cannot set Complete=True and Failed=true conditions")
	}
	if c.turns(batchv1.JobComplete, batchv1.JobFailureTarget) && complete && jobIs(c.in, batchv1.JobFailureTarget) {
		c.conditions("cannot set Complete=True and FailureTarget=true conditions")
	}
	if ended || c.turns(batchv1.JobComplete) {
		switch {
		case s.CompletionTime != nil && !complete:
			c.invalid("completionTime", s.CompletionTime, "cannot set completionTime when there is no Complete=True condition")
		case s.CompletionTime == nil && complete:
			c.errs = append(c.errs, field.Required(c.path.Child("completionTime"), "completionTime is required for Complete jobs"))
		}
	}
	if (started || ended) && s.StartTime != nil && s.CompletionTime != nil && s.CompletionTime.Before(s.StartTime) {
		c.invalid("completionTime", s.CompletionTime, "must be equal to or after `startTime`")
	}
	if (c.turns(batchv1.JobFailed) || changes(s.FailedIndexes, was.FailedIndexes)) && failed && !jobIs(c.in, batchv1.JobFailureTarget) {
		c.conditions("cannot set Failed=True condition without the FailureTarget=true condition")
	}
	if c.turns(batchv1.JobComplete, batchv1.JobSuccessCriteriaMet) && complete && !jobIs(c.in, batchv1.JobSuccessCriteriaMet) {
		c.conditions("cannot set Complete=True condition without the SuccessCriteriaMet=true condition")
	}
}

// leftovers: of a job that is finished nothing runs any more, and it has begun once.
func (c *jobChange) leftovers() {
	s, was, over := &c.in.Status, &c.old.Status, isFinished(c.in)
	if (c.finishes() || s.Active != was.Active) && over && s.Active > 0 {
		c.invalid("active", s.Active, "active>0 is invalid for finished job")
	}
	spec := &c.in.Spec
	never := spec.Suspend != nil && *spec.Suspend && spec.Completions != nil && *spec.Completions == 0
	if (c.finishes() || changes(s.StartTime, was.StartTime)) && !never && over && s.StartTime == nil {
		c.errs = append(c.errs, field.Required(c.path.Child("startTime"), "startTime is required for finished job"))
	}
	pods := s.UncountedTerminatedPods
	if (c.finishes() || changes(pods, was.UncountedTerminatedPods)) && over && pods != nil && len(pods.Failed)+len(pods.Succeeded) > 0 {
		c.invalid("uncountedTerminatedPods", struct{ Succeeded, Failed []types.UID }(*pods), "must be empty for finished job")
	}
}

// indexes: those that are done and those that have failed are ranges below the number of completions, and not both.
func (c *jobChange) indexes() {
	s, was, spec := &c.in.Status, &c.old.Status, &c.in.Spec
	done, failed := s.CompletedIndexes != was.CompletedIndexes, changes(s.FailedIndexes, was.FailedIndexes)
	n := valueOf(spec.Completions)
	if done && spec.Completions != nil {
		if _, err := intervals(s.CompletedIndexes, n); err != nil {
			c.invalid("completedIndexes", s.CompletedIndexes, "error parsing completedIndexes: "+err.Error())
		}
	}
	if failed && spec.Completions != nil && spec.BackoffLimitPerIndex != nil && s.FailedIndexes != nil {
		if _, err := intervals(*s.FailedIndexes, n); err != nil {
			c.invalid("failedIndexes", *s.FailedIndexes, "error parsing failedIndexes: "+err.Error())
		}
	}
	if done && s.CompletedIndexes != "" && !isIndexed(spec) {
		c.invalid("completedIndexes", s.CompletedIndexes, "cannot set non-empty completedIndexes when non-indexed completion mode")
	}
	if failed && s.FailedIndexes != nil && spec.BackoffLimitPerIndex == nil {
		c.invalid("failedIndexes", *s.FailedIndexes, "cannot set non-null failedIndexes when backoffLimitPerIndex is null")
	}
	if (done || failed) && spec.Completions != nil && s.FailedIndexes != nil {
		if at, both := overlap(s.CompletedIndexes, *s.FailedIndexes, n); both {
			c.invalid("failedIndexes", *s.FailedIndexes, fmt.Sprintf("failedIndexes and completedIndexes overlap at index: %d", at))
		}
	}
	if (c.finishes() || changes(s.Terminating, was.Terminating)) && valueOf(s.Terminating) > 0 && isFinished(c.in) {
		c.invalid("terminating", *s.Terminating, "terminating>0 is invalid for finished job")
	}
	if (changes(s.Ready, was.Ready) || s.Active != was.Active) && s.Ready != nil && *s.Ready > s.Active {
		c.invalid("ready", *s.Ready, "cannot set more ready pods than active")
	}
	met := jobIs(c.in, batchv1.JobSuccessCriteriaMet)
	if met && jobIs(c.in, batchv1.JobFailed) {
		c.conditions("cannot set SuccessCriteriaMet=True and Failed=true conditions")
	}
	if met && jobIs(c.in, batchv1.JobFailureTarget) {
		c.conditions("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions")
	}
	if spec.SuccessPolicy != nil && !met && jobIs(c.in, batchv1.JobComplete) {
		c.conditions("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True")
	}
}

// staying: what has been said of an end stays, and numbers only grow.
func (c *jobChange) staying() {
	s, was, spec := &c.in.Status, &c.old.Status, &c.in.Spec
	for _, end := range []batchv1.JobConditionType{batchv1.JobFailed, batchv1.JobComplete, batchv1.JobFailureTarget} {
		if jobIs(c.old, end) && !jobIs(c.in, end) {
			c.conditions(fmt.Sprintf("cannot disable the terminal %s=True condition", end))
		}
	}
	if s.Failed < was.Failed {
		c.invalid("failed", s.Failed, "cannot decrease the failed counter")
	}
	if s.Succeeded < was.Succeeded && !(isIndexed(spec) && equality.Semantic.DeepEqual(spec.Completions, spec.Parallelism)) {
		c.invalid("succeeded", s.Succeeded, "cannot decrease the succeeded counter")
	}
	if s.CompletionTime != nil && was.CompletionTime != nil && changes(s.CompletionTime, was.CompletionTime) {
		c.invalid("completionTime", s.CompletionTime, "field is immutable")
	}
	resumes := jobIs(c.old, batchv1.JobSuspended) && jobHas(c.in, batchv1.JobSuspended, corev1.ConditionFalse)
	waits := spec.Suspend != nil && *spec.Suspend
	if was.StartTime != nil && changes(s.StartTime, was.StartTime) && !resumes && !waits {
		c.invalid("startTime", s.StartTime, "field is immutable for unsuspended job once set")
	}
	switch met := jobIs(c.in, batchv1.JobSuccessCriteriaMet); {
	case !met && jobIs(c.old, batchv1.JobSuccessCriteriaMet):
		c.conditions("cannot disable the SuccessCriteriaMet=True condition")
	case met && !jobIs(c.old, batchv1.JobSuccessCriteriaMet) && jobIs(c.old, batchv1.JobComplete):
		c.conditions("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions")
	}
}

// intervals are indexes, as in "0,2-4".
func intervals(text string, completions int32) (out [][2]int, err error) {
	if text == "" {
		return nil, nil
	}
	last := -1
	for i, part := range strings.Split(text, ",") {
		from, to, err := interval(part, int(completions))
		if err != nil {
			return out, err
		}
		if i > 0 && last >= from {
			return out, fmt.Errorf("non-increasing order, previous: %d, current: %d", last, from)
		}
		last = to
		out = append(out, [2]int{from, to})
	}
	return out, nil
}

func interval(text string, completions int) (from, to int, err error) {
	parts := strings.Split(text, "-")
	if len(parts) > 2 {
		return 0, 0, fmt.Errorf("the fragment %q violates the requirement that an index interval can have at most two parts separated by '-'", text)
	}
	var ends []int
	for _, p := range parts {
		n, err := strconv.Atoi(p)
		switch {
		case err != nil:
			return 0, 0, fmt.Errorf("cannot convert string to integer for index: %q", p)
		case n >= completions:
			return 0, 0, fmt.Errorf("too large index: %q", p)
		}
		ends = append(ends, n)
	}
	from, to = ends[0], ends[len(ends)-1]
	if len(ends) == 2 && from >= to {
		return 0, 0, fmt.Errorf("non-increasing order, previous: %d, current: %d", from, to)
	}
	return from, to, nil
}

// overlap is the first index that is in both, of what can be read.
func overlap(done, failed string, completions int32) (at int, both bool) {
	a, _ := intervals(done, completions)
	b, _ := intervals(failed, completions)
	for _, x := range a {
		for _, y := range b {
			if x[0] <= y[1] && y[0] <= x[1] {
				return max(x[0], y[0]), true
			}
		}
	}
	return 0, false
}
