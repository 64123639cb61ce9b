package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/lwtest/lwtest/conformance/node"
	"github.com/lwtest/lwtest/harness"
)

// goldens has what a real kubelet did, a file for each story.
const goldens = "testdata/kubelet-1.37.1"

// recordedStories are the stories with goldens: one or two of each section of the contract.
var recordedStories = []string{"source/http", "static/mirror", "static/remove", "order/init", "order/sidecar", "order/sandbox", "image/policy", "image/back-off", "image/credentials",
	"probe/startup", "probe/liveness", "probe/readiness", "restart/policy", "restart/back-off", "restart/rules", "termination/delete", "termination/pre-stop", "termination/deadline",
	"phase/ends", "admission/refused", "resize/pending", "eviction/pressure", "lease/renew", "node-status/register", "node-status/ready", "config/driver", "fault/agent-restart"}

// difference is where the reference agent may do otherwise than the kubelet. All but the reason are patterns.
type difference struct {
	story, section, line, why string
	chance                    bool // it is not always there
}

var differences = []difference{
	{"^(source/http|static/)", "statuses", "^reference: Pending; ", "the mirror pod is there sooner than in real time: the status of before its containers ran is still to be written", true},
	{"^(source/http|static/remove)$", "statuses", "^kubelet: Running; .* c terminated Completed", "the next housekeeping drops the statuses of pods without a manifest", true},
	{"^(source/http|static/remove)$", "removed", ": RemoveContainer c 0$", "the next housekeeping ends the worker of the pod, and containers are removed that are seen to end after that", true},
	{"^order/sidecar$", "statuses", "^kubelet: .* s running after terminated Error 1 started, restarts 1;", "between two goroutines of a kubelet, one of which notes that a startup probe has succeeded, and one that the container is ready", false},
	{"^order/sidecar$", "removed", "^kubelet: RemoveContainer s 0$", "the story may end before", true},
	{"^resize/pending$", "statuses", "; observed [23]$", "a resize is judged by the newest spec, and may be told with the generation that is synced just then; so in kubelets, as the lines show that not all recordings have", true},
	{".", "statuses", "^reference: Running; .* Ready=False.(PodCompleted|PodFailed)", "the last status is written before the worker has noted that nothing runs, and again after that: kubelets have the same two steps", true},
	{"^restart/policy$", "statuses", "^kubelet: .* restarts 3;", "the story ends about then", true},
	{"^admission/refused$", "statuses", "^kubelet: Pending; (Burstable|BestEffort); ; ", "until its first housekeeping, a kubelet takes each pod for one that may have containers, and holds Failed back", false},
}

// TestGolden plays stories on the reference agent in virtual time, and compares what it does with what a kubelet did. With
// LWTEST_RECORD=N it plays each on a real kubelet N times and writes down what that did: make goldens-node.
func TestGolden(t *testing.T) {
	if n := os.Getenv("LWTEST_RECORD"); n != "" {
		times, err := strconv.Atoi(n)
		require.NoError(t, err)
		recordGoldens(t, times)
		return
	}
	used := make([]bool, len(differences))
	reference := harness.Plugin[node.Subject]{Name: "lwtest's reference agent", Features: ReferenceFeatures, Open: func(t *harness.T) (node.Subject, error) {
		return OpenReference(t, Reference{Wrap: func(_ *harness.T, conn grpc.ClientConnInterface) grpc.ClientConnInterface { return slow{conn} }})
	}}
	for _, c := range golden(node.Suite.Bind(reference)) {
		b, err := os.ReadFile(goldenFile(c))
		if errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s has no golden: make goldens-node records it", c.Name)
			continue
		}
		require.NoError(t, err)
		r, h := harness.Run(c, harness.Options{TB: t, Seed: 1})
		require.Equal(t, harness.Pass, r.Verdict, "%s: %s", c.Name, r.Reason)
		for _, d := range compare(parse(strings.Split(string(b), "\n")), parse(node.Transcript(h))) {
			if !d.explained(c.Name, used) {
				t.Errorf("%s [%s] only the %s: %s", c.Name, d.section, d.who, d.line)
			}
		}
	}
	for i, d := range differences {
		assert.True(t, used[i] || d.chance, "there is no such difference any more, remove it: %s %s (%s)", d.story, d.line, d.why)
	}
}

// slow is a runtime that takes some time, as all but ours do: else an agent has no time to tell what it is about to do.
type slow struct{ grpc.ClientConnInterface }

// Invoke implements grpc.ClientConnInterface.
func (s slow) Invoke(ctx context.Context, method string, q, reply any, o ...grpc.CallOption) error {
	switch path.Base(method) {
	case "RunPodSandbox", "CreateContainer", "StartContainer", "StopContainer", "StopPodSandbox", "PullImage":
		time.Sleep(20 * time.Millisecond)
	}
	return s.ClientConnInterface.Invoke(ctx, method, q, reply, o...)
}

// golden returns the cases that have goldens.
func golden(cases []harness.Case) (out []harness.Case) {
	for _, c := range cases {
		if slices.Contains(recordedStories, c.Name) {
			out = append(out, c)
		}
	}
	return out
}

func goldenFile(c harness.Case) string {
	return filepath.Join(goldens, strings.ReplaceAll(c.Name, "/", "-")+".txt")
}

// recordGoldens plays each story on a kubelet some times, four at once. What differs between two times is marked.
func recordGoldens(t *testing.T, times int) {
	target, err := OpenKubelet("")
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(goldens, 0o755))
	atOnce := make(chan struct{}, 4)
	var all sync.WaitGroup
	for _, c := range golden(target.Cases) {
		if only := os.Getenv("LWTEST_STORY"); only != "" && only != c.Name {
			continue
		}
		all.Go(func() {
			atOnce <- struct{}{}
			defer func() { <-atOnce }()
			merged := recordedBefore(c)
			for i := range times {
				r, h := harness.Run(c, harness.Options{Seed: int64(i + 1), Target: target.Name})
				if r.Verdict != harness.Pass {
					t.Errorf("%s is not recorded: %s %s", c.Name, r.Verdict, r.Reason)
					return
				}
				if merged == nil {
					merged = node.Transcript(h)
					continue
				}
				merged = merge(merged, node.Transcript(h))
			}
			text := "# " + c.Name + ": " + c.About + "\n" + strings.Join(merged, "\n") + "\n"
			assert.NoError(t, os.WriteFile(goldenFile(c), []byte(text), 0o644))
		})
	}
	all.Wait()
}

// recordedBefore returns what is recorded of a story, if LWTEST_MORE says that more is to be added to it.
func recordedBefore(c harness.Case) []string {
	b, err := os.ReadFile(goldenFile(c))
	if err != nil || os.Getenv("LWTEST_MORE") == "" {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")[1:]
}

// section is a section of a transcript. sometimes are the lines that not all recordings have.
type section struct {
	name             string
	lines, sometimes []string
}

// maybe marks a line that not all recordings have.
const maybe = "? "

// parse reads the sections of a transcript.
func parse(lines []string) (out []section) {
	for _, line := range lines {
		switch rest, optional := strings.CutPrefix(line, maybe); {
		case line == "" || line[0] == '#':
		case rest[0] == '[':
			out = append(out, section{name: strings.Trim(rest, "[]")})
		case optional:
			out[len(out)-1].sometimes = append(out[len(out)-1].sometimes, rest)
		default:
			out[len(out)-1].lines = append(out[len(out)-1].lines, line)
		}
	}
	return out
}

// merge returns the lines of two transcripts. Those that only one has are marked.
func merge(a, b []string) (out []string) {
	bare := func(line string) string { return strings.TrimPrefix(line, maybe) }
	align(len(a), len(b), func(i, j int) bool { return bare(a[i]) == bare(b[j]) }, func(i, j int) {
		switch {
		case i >= 0 && j >= 0:
			out = append(out, a[i])
		case i >= 0:
			out = append(out, maybe+bare(a[i]))
		default:
			out = append(out, maybe+bare(b[j]))
		}
	})
	return out
}

// align walks two sequences along a longest common subsequence. An index of -1 stands for nothing.
func align(n, m int, same func(i, j int) bool, f func(i, j int)) {
	length := make([][]int, n+1)
	for i := range length {
		length[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if length[i][j] = max(length[i+1][j], length[i][j+1]); same(i, j) {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < n || j < m {
		switch {
		case i < n && j < m && same(i, j):
			f(i, j)
			i, j = i+1, j+1
		case j == m || i < n && length[i+1][j] >= length[i][j+1]:
			f(i, -1)
			i++
		default:
			f(-1, j)
			j++
		}
	}
}

// found is a line that only one of two transcripts has.
type found struct{ who, section, line string }

func (f found) explained(story string, used []bool) bool {
	for i, d := range differences {
		if matches(d.story, story) && matches(d.section, f.section) && matches(d.line, f.who+": "+f.line) {
			used[i] = true
			return true
		}
	}
	return false
}

func matches(pattern, text string) bool { return regexp.MustCompile(pattern).MatchString(text) }

// compare returns the differences between what a kubelet and an agent did.
func compare(want, got []section) (out []found) {
	byName := map[string][2]section{}
	for _, s := range want {
		byName[s.name] = [2]section{s}
	}
	for _, s := range got {
		both := byName[s.name]
		both[1] = s
		byName[s.name] = both
	}
	for name, both := range byName {
		was, now := both[0], both[1]
		align(len(was.lines), len(now.lines), func(i, j int) bool { return was.lines[i] == now.lines[j] }, func(i, j int) {
			switch {
			case j < 0:
				out = append(out, found{"kubelet", name, was.lines[i]})
			case i < 0 && !slices.Contains(was.sometimes, now.lines[j]):
				out = append(out, found{"reference", name, now.lines[j]})
			}
		})
	}
	slices.SortFunc(out, func(a, b found) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return out
}

// Lines that one of two recordings lacks are marked, and need not be there.
func TestMerge(t *testing.T) {
	both := merge([]string{"[a]", "x", "y"}, []string{"[a]", "x", "z", "y"})
	assert.Equal(t, []string{"[a]", "x", "? z", "y"}, both)
	assert.Equal(t, []string{"[a]", "? x", "? z", "y"}, merge(both, []string{"[a]", "y"}))
	assert.Empty(t, compare(parse(both), parse([]string{"[a]", "x", "y"})))
	assert.Equal(t, []found{{"kubelet", "a", "y"}, {"reference", "a", "w"}}, compare(parse(both), parse([]string{"[a]", "x", "z", "w"})))
}
