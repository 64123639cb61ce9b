package sim

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// jobsOf returns jobs with a wall that no healthy one reaches.
func jobsOf(names ...string) []Job {
	var out []Job
	for _, n := range names {
		out = append(out, Job{Body: n, Wall: 5 * time.Minute})
	}
	return out
}

// run does jobs and returns the reply to each.
func run(t *testing.T, size int, jobs []Job) []Reply {
	t.Helper()
	out := make([]Reply, len(jobs))
	require.NoError(t, Pool{Command: self, Size: size}.Run(t.Context(), jobs, func(i int, r Reply) { out[i] = r }))
	return out
}

// TestLastWords checks that the output of a process after its last job is passed on.
func TestLastWords(t *testing.T) {
	var said []string
	p := Pool{Command: self, Size: 1, Parted: func(log string) { said = append(said, log) }}
	require.NoError(t, p.Run(t.Context(), jobsOf("fine", "fine"), func(int, Reply) {}))
	assert.Equal(t, []string{"closing\n"}, said)
}

// TestDeathsCostOneReply kills workers in every way, between jobs that are fine.
func TestDeathsCostOneReply(t *testing.T) {
	cases := []struct {
		name     string
		how, log string
		external bool
	}{
		{"panic", "exit status 2", "panic: boom", false},
		{"aside", "exit status 2", "panic: boom aside", false},
		{"exit0", "exit status 0", "", false},
		{"exit7", "exit status 7", "last words", false},
		{"orphan", "exit status 5", "", false},
		{"garbage", "garbage", "", true},
		{"forged", "garbage", "", true},
		{"killed", "signal: killed", "", true},
		{"hang", "killed: no answer within", "goroutine", true},
		{"spin", "killed: no answer within", "", true},
	}
	for _, size := range []int{1, 2} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			var jobs []Job
			for _, c := range cases {
				bad := Job{Body: c.name, Wall: 5 * time.Minute}
				if strings.HasPrefix(c.how, "killed") {
					bad.Wall = 300 * time.Millisecond
				}
				jobs = append(jobs, jobsOf("fine")[0], bad)
			}
			jobs = append(jobs, jobsOf("fine")...)
			replies := run(t, size, jobs)
			for i, c := range cases {
				assert.Nil(t, replies[2*i].Died, "the job before %s", c.name)
				d := replies[2*i+1].Died
				require.NotNil(t, d, c.name)
				assert.Contains(t, d.How, c.how, c.name)
				assert.Contains(t, d.Log, c.log, c.name)
				assert.Equal(t, c.external, d.External, c.name)
				assert.Equal(t, strings.HasPrefix(c.how, "killed"), d.Late, c.name)
			}
			assert.Nil(t, replies[len(replies)-1].Died)
		})
	}
}

// TestGroupsDoNotShareAProcess checks that what a job left behind only affects jobs of its own group.
func TestGroupsDoNotShareAProcess(t *testing.T) {
	jobs := jobsOf("bomb", "nap", "fine", "bomb", "nap")
	for i := range jobs[:3] {
		jobs[i].Group = []string{"a", "b", "b"}[i]
	}
	var said []string
	p := Pool{Command: self, Size: 1, Parted: func(log string) { said = append(said, log) }}
	var died []int
	require.NoError(t, p.Run(t.Context(), jobs, func(i int, r Reply) {
		if r.Died != nil {
			died = append(died, i)
		}
	}))
	assert.Equal(t, []int{4}, died)
	assert.Equal(t, []string{"closing\n", "closing\n"}, said, "a process that a group is done with ends in peace")
}

// TestJobThatNeverBegan checks that such a job gets a new process once, if the one that died had done others.
func TestJobThatNeverBegan(t *testing.T) {
	for _, c := range []struct {
		name   string
		jobs   []string
		begun  bool
		starts int
		died   bool
	}{
		{"killed by what another left", []string{"bomb", "nap"}, false, 2, false},
		{"had begun", []string{"bomb", "nap"}, true, 1, true},
		{"dies of itself", []string{"fine", "exit7"}, false, 2, true},
		{"in a process of its own", []string{"exit7"}, false, 1, true},
	} {
		starts := 0
		p := Pool{Size: 1, Command: func() *exec.Cmd { starts++; return self() }}
		jobs := jobsOf(c.jobs...)
		last := len(jobs) - 1
		jobs[last].Begun = func() bool { return c.begun }
		require.NoError(t, p.Run(t.Context(), jobs, func(i int, r Reply) {
			assert.Equal(t, i == last && c.died, r.Died != nil, "%s: job %d", c.name, i)
		}))
		assert.Equal(t, c.starts, starts, c.name)
	}
}

func TestNoiseIsBounded(t *testing.T) {
	r := run(t, 1, jobsOf("noise", "fine", "exit7"))
	assert.Nil(t, r[0].Died)
	require.NotNil(t, r[2].Died)
	assert.Less(t, len(r[2].Died.Log), 70<<10)
	assert.Contains(t, r[2].Died.Log, "last words")
}

func TestCommandThatDoesNotStart(t *testing.T) {
	p := Pool{Command: func() *exec.Cmd { return exec.Command("/nonexistent/lwtest") }, Size: 2}
	n := 0
	require.NoError(t, p.Run(t.Context(), jobsOf("fine", "fine"), func(_ int, r Reply) {
		n++
		require.NotNil(t, r.Died)
		assert.Contains(t, r.Died.How, "did not start")
	}))
	assert.Equal(t, 2, n)
}

// Cancelling kills the workers. done is not called for the unfinished jobs.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var told atomic.Int32
	p := Pool{Command: self, Size: 2, Began: func(i int) {
		if i == 3 {
			time.AfterFunc(50*time.Millisecond, cancel)
		}
	}}
	began := time.Now()
	err := p.Run(ctx, jobsOf("fine", "fine", "hang", "hang", "fine"), func(i int, r Reply) {
		told.Add(1)
		assert.Less(t, i, 2)
	})
	assert.ErrorIs(t, err, context.Canceled)
	assert.EqualValues(t, 2, told.Load())
	assert.Less(t, time.Since(began), time.Minute)
}

func TestNoJobs(t *testing.T) {
	require.NoError(t, Pool{Command: self}.Run(t.Context(), nil, func(int, Reply) { t.Error("told of a job that there is not") }))
}
