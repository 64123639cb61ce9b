package fuzz_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/fuzz"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/clientgo"
	"github.com/lwtest/lwtest/plugins/clientgo/listwatch"
	"github.com/lwtest/lwtest/plugins/fake"
	"github.com/lwtest/lwtest/plugins/mutants"
	controllers "github.com/lwtest/lwtest/plugins/mutants/controller"
	informers "github.com/lwtest/lwtest/plugins/mutants/informer"
	clients "github.com/lwtest/lwtest/plugins/mutants/listerwatcher"
	nodes "github.com/lwtest/lwtest/plugins/mutants/node"
	runtimes "github.com/lwtest/lwtest/plugins/mutants/runtime"
	stores "github.com/lwtest/lwtest/plugins/mutants/store"
	"github.com/lwtest/lwtest/plugins/resources"
)

var ours = informers.Servers{Open: fake.Server, Has: fake.ServerFeatures}

// TestMain is also the worker.
func TestMain(m *testing.M) {
	clientgo.Quiet()
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		fuzz.Work(open)
	}
	os.Exit(m.Run())
}

// family is our implementations of a kind.
type family struct {
	correct, odd, faulty []mutants.Target
	pairs                []mutants.Target // faulty where two things meet
}

// families are made where they are wanted: there are hundreds of mutants.
var families = map[string]func() family{
	"informer": func() family { return family{ours.Correct(), ours.Oddities(), ours.Mutants(), ours.Pairs()} },
	"runtime": func() family {
		return family{runtimes.Correct(), runtimes.Oddities(), runtimes.Mutants(), runtimes.Pairs()}
	},
	"node": func() family { return family{nodes.Correct(), nodes.Oddities(), nodes.Mutants(), nodes.Pairs()} },
	"controller": func() family {
		return family{controllers.Oddities()[:1], controllers.Oddities()[1:], controllers.Mutants(), nil}
	},
	"store":      func() family { return family{stores.Correct(), stores.Oddities(), stores.Mutants(), nil} },
	"watchcache": func() family { return family{servers(), fake.Oddities(), fake.Mutants(), nil} },
	"listerwatcher": func() family {
		return family{ways(), clients.Oddities(fake.Server, fake.ServerFeatures...), clients.Mutants(fake.Server, fake.ServerFeatures...), clients.Pairs(fake.Server, fake.ServerFeatures...)}
	},
}

// ways are client-go's own lists and watches.
func ways() (out []mutants.Target) {
	for _, name := range listwatch.Names() {
		target, err := listwatch.Target(name, fake.Server, append(fake.ServerFeatures, harness.VirtualTime)...)
		if err != nil {
			panic(err) // its known failures are embedded
		}
		out = append(out, mutants.Right(name, target))
	}
	return out
}

// servers are the fake API server, tested with each resource that it can be tested with.
func servers() (out []mutants.Target) {
	for i, r := range resources.All {
		name, arg := "fake", ""
		if i > 0 {
			name, arg = "fake-"+r.Name, "resource/"+r.Name
		}
		target, err := fake.Open(context.Background(), arg)
		if err != nil {
			panic(err) // it is ours
		}
		out = append(out, mutants.Right(name, target))
	}
	return out
}

// open opens an implementation by its kind and name: "informer/streams".
func open(_ context.Context, name string) (harness.Target, error) {
	switch name {
	case "store/exits":
		return ending("exits", func() { os.Exit(7) }), nil
	case "store/counts":
		return failing("counts", count), nil
	case "store/hangs":
		return failing("hangs", func(t *harness.T) { <-t.Context().Done() }), nil
	case "store/deadlocks":
		return ending("deadlocks", func() { <-make(chan int) }), nil
	}
	kind, name, _ := strings.Cut(name, "/")
	f := families[kind]()
	for _, m := range slices.Concat(f.correct, f.odd, f.faulty, f.pairs) {
		if m.Name == name {
			target := m.Open()
			target.Known = slices.Clone(target.Known)
			for i := range target.Known {
				target.Known[i].Target = "" // it has another name here
			}
			return target, nil
		}
	}
	return harness.Target{}, os.ErrNotExist
}

// ending is a store that does something instead of being opened, and so does not let a story end.
func ending(name string, does func()) harness.Target {
	open := func(*harness.T) (store.Open, error) {
		does()
		return nil, nil
	}
	return harness.Target{Cases: store.Suite.Bind(harness.Plugin[store.Open]{Name: name, Features: []harness.Feature{harness.VirtualTime, store.Map}, Open: open})}
}

// A story that deadlocks is reported with its steps, as no broken clause.
func TestStoryDeadlocks(t *testing.T) {
	o := options("store/deadlocks", 2)
	o.Dir = t.TempDir()
	r, err := fuzz.Run(t.Context(), o)
	require.NoError(t, err)
	require.Len(t, r.Failed, 1)
	f := r.Failed[0]
	assert.Equal(t, "story/deadlock", f.Rule)
	assert.Equal(t, fuzz.Stopped, f.Level)
	assert.Equal(t, 2, f.Stories)
	require.NotEmpty(t, f.Shapes)
	b, err := os.ReadFile(filepath.Join(o.Dir, f.Shapes[0].File))
	require.NoError(t, err)
	_, err = store.Suite.Describe().Story(b)
	require.NoError(t, err)
}

// A story that ends its process costs itself only, and is reported with its steps.
func TestStoryEndsItsProcess(t *testing.T) {
	o := options("store/exits", 3)
	o.Dir, o.Shard, o.Shards = t.TempDir(), 1, 2
	r, err := fuzz.Run(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, 3, r.Stories)
	require.Len(t, r.Failed, 1)
	f := r.Failed[0]
	assert.Equal(t, "subject/survives", f.Rule)
	assert.Equal(t, 3, f.Stories)
	require.NotEmpty(t, f.Shapes)
	assert.Contains(t, f.Shapes[0].Got, "7")
	assert.Equal(t, 1, f.Shapes[0].Story%2, "it is of the second shard")
	b, err := os.ReadFile(filepath.Join(o.Dir, f.Shapes[0].File))
	require.NoError(t, err)
	_, err = store.Suite.Describe().Story(b)
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, r.Text(&text))
	assert.Contains(t, text.String(), "which ended its process")
}

func options(target string, stories int) fuzz.Options {
	return fuzz.Options{Target: target, Kind: strings.Split(target, "/")[0], Seed: 1, Stories: stories, Steps: 20, Workers: 2, Blind: true, Command: func() *exec.Cmd {
		cmd := exec.Command(os.Args[0], "worker")
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		return cmd
	}}
}

// A mutant is found, its story is shrunk, and the file repeats it.
func TestFindsAMutant(t *testing.T) {
	for _, c := range []struct {
		name  string
		kind  *harness.Kind
		steps int // at most, after shrinking
	}{
		{"informer/emptied-kept", informer.Suite.Describe(), 14},
		{"store/list-short", store.Suite.Describe(), 4},
		{"store/kubernetes-115658", store.Suite.Describe(), 3},
		{"store/get-by-key-beside", store.Suite.Describe(), 6}, // by calls that overlap
		{"listerwatcher/item-lost", listerwatcher.Suite.Describe(), 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			stories := 40
			if strings.HasSuffix(c.name, "beside") {
				if full.Race {
					t.Skip("two stories of the 300 overlap in the way that shows it, and the race detector changes what overlaps")
				}
				stories = 300
			}
			o := options(c.name, stories)
			o.Dir = t.TempDir()
			r, err := fuzz.Run(t.Context(), o)
			require.NoError(t, err)
			require.NotEmpty(t, r.Failed)
			assert.Equal(t, stories, r.Stories)
			f := r.Failed[0]
			require.NotEmpty(t, f.Shapes)
			assert.LessOrEqual(t, f.Shapes[0].Steps, c.steps, f.Shapes[0].Text)
			assert.Positive(t, f.Shapes[0].Again)
			if c.name == "informer/emptied-kept" {
				assert.Contains(t, f.Shapes[0].Seen, "-> RUN ", "the evidence begins where the informer does")
			}
			b, err := os.ReadFile(filepath.Join(o.Dir, f.Shapes[0].File))
			require.NoError(t, err)
			_, err = c.kind.Story(b)
			require.NoError(t, err)
			var text strings.Builder
			require.NoError(t, r.Text(&text))
			assert.Contains(t, text.String(), "FAIL  MUST "+o.Kind+"/"+f.Rule)
			_, err = json.Marshal(r)
			require.NoError(t, err)
		})
	}
}

// One worker plays the same stories with the same verdicts. How often a shrunk story fails again may differ: Go chooses at random among
// the ready cases of a select. On a busy machine one run in many differs in more: Go takes the processor from a goroutine that has had it
// for ten milliseconds of real time, most of which other processes may have had, and so calls overlap otherwise. So two runs of four must
// be equal. If the seed did not choose the stories, no two would.
func TestSameSeedSameVerdicts(t *testing.T) {
	if full.Race {
		t.Skip("the race detector takes the processor from any goroutine at any time, which changes what overlaps")
	}
	type verdicts struct {
		Tested map[string]int
		Broken map[string]int // stories, by rule
	}
	for _, name := range []string{"informer/emptied-kept", "store/two-replicas", "store/close-wakes-one"} {
		var all []verdicts
		same := false
		for len(all) < 4 && !same {
			o := options(name, 30)
			o.Workers = 1
			r, err := fuzz.Run(t.Context(), o)
			require.NoError(t, err)
			v := verdicts{r.Tested, map[string]int{}}
			for _, f := range r.Failed {
				v.Broken[f.Rule] += f.Stories
			}
			same = slices.ContainsFunc(all, func(before verdicts) bool { return assert.ObjectsAreEqual(before, v) })
			all = append(all, v)
		}
		assert.True(t, same, "%s: %+v", name, all)
	}
}

// Over HTTP the same seed plays the same steps. Their verdicts may differ: a transport's goroutines run in any order.
func TestSameSeedSameSteps(t *testing.T) {
	target, err := open(t.Context(), "listerwatcher/typed")
	require.NoError(t, err)
	of := target.Cases[0]
	played := func() (all []string) {
		for n := range uint64(20) {
			c, err := of.Play(of.Kind.Language.Draw(rand.New(rand.NewPCG(1, n)), 20))
			require.NoError(t, err)
			_, h := harness.Run(c, harness.Options{TB: t, Seed: 1})
			all = append(all, string(h.Header.Story))
		}
		return all
	}
	assert.Equal(t, played(), played())
}

// Shards play each story of a seed once.
func TestShards(t *testing.T) {
	if full.Race {
		t.Skip("the race detector takes the processor from any goroutine at any time, which changes what overlaps")
	}
	whole, err := fuzz.Run(t.Context(), options("informer/streams", 40))
	require.NoError(t, err)
	sum := map[string]int{}
	for i := range 4 {
		o := options("informer/streams", 10)
		o.Shard, o.Shards = i, 4
		r, err := fuzz.Run(t.Context(), o)
		require.NoError(t, err)
		for rule, n := range r.Tested {
			sum[rule] += n
		}
	}
	for rule, n := range whole.Tested {
		assert.InDelta(t, n, sum[rule], 3, "%s: on a busy machine a story may end for its real time", rule)
	}
}

// An end of the context keeps what was found.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := options("informer/streams", 0)
	o.For = time.Hour
	o.Told = func(r *fuzz.Report) { cancel() }
	r, err := fuzz.Run(ctx, o)
	require.NoError(t, err)
	assert.Positive(t, r.Stories)
}

// Of a batch that is under way when the context ends, the stories that were played count.
func TestInterruptedInABatch(t *testing.T) {
	file := filepath.Join(t.TempDir(), "opened")
	t.Setenv(counted, file)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := options("store/counts", 0)
	o.For, o.Workers, o.Rate = time.Hour, 1, 3
	var watch sync.WaitGroup
	defer watch.Wait()
	watch.Go(func() {
		for ctx.Err() == nil {
			if b, _ := os.ReadFile(file); len(b) >= 6 { // batches: four of one story, and then one of two
				cancel()
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
	r, err := fuzz.Run(ctx, o)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, r.Stories, 6)
}

// counted names the file that gets a byte for each store that counts opens.
const counted = "LWTEST_FUZZ_COUNTED"

// count counts a story.
func count(*harness.T) {
	f, err := os.OpenFile(os.Getenv(counted), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, _ = f.WriteString(".")
		f.Close()
	}
}

// The report and the corpus are there as soon as something was found, and the text of a slow run has stories a minute.
func TestKept(t *testing.T) {
	o := options("store/list-short", 60)
	o.Dir, o.Corpus, o.Blind = filepath.Join(t.TempDir(), "found"), filepath.Join(t.TempDir(), "corpus"), false
	kept := 0
	o.Told = func(r *fuzz.Report) {
		if kept += r.New(); kept == 0 {
			return
		}
		b, err := os.ReadFile(filepath.Join(o.Dir, "report.json"))
		require.NoError(t, err)
		read, err := fuzz.ReadReport(b)
		require.NoError(t, err)
		assert.Equal(t, r.New(), read.New())
		assert.FileExists(t, filepath.Join(o.Corpus, "reached.txt"))
	}
	r, err := fuzz.Run(t.Context(), o)
	require.NoError(t, err)
	require.Positive(t, kept)
	assert.Contains(t, r.Line(), " a second, ")
	last := r.Progress[len(r.Progress)-1]
	assert.Equal(t, fuzz.Point{Took: last.Took, Stories: 60, Classes: len(r.Reached), Triples: r.Triples}, last)
	assert.True(t, slices.IsSortedFunc(r.Progress, func(a, b fuzz.Point) int { return cmp.Compare(a.Took, b.Took) }))
	for i, p := range r.Progress[:max(len(r.Progress)-2, 0)] {
		assert.GreaterOrEqual(t, r.Progress[i+1].Took, p.Took*11/10)
	}
	sum, err := fuzz.Merge(r, r)
	require.NoError(t, err)
	assert.Empty(t, sum.Progress, "nobody knows when the two ran")
	r.Took = time.Hour
	assert.Contains(t, r.Line(), "60 stories in 1h0m0s, 1 a minute, ")
	parts, err := filepath.Glob(filepath.Join(o.Dir, ".*"))
	require.NoError(t, err)
	assert.Empty(t, parts, "nothing is left of writing")
}

// A story that leaves a rule undecided proves something if other rules judged it.
func TestUnsure(t *testing.T) {
	r, err := fuzz.Run(t.Context(), options("informer/streams", 200))
	require.NoError(t, err)
	for why, n := range r.Unsure {
		assert.NotContains(t, why, "is undecided", "%d stories", n)
	}
}

// failing is a store in real time that does something and cannot be opened then.
func failing(name string, does func(*harness.T)) harness.Target {
	open := func(t *harness.T) (store.Open, error) {
		does(t)
		return nil, errors.New("there is no store")
	}
	return harness.Target{Cases: store.Suite.Bind(harness.Plugin[store.Open]{Name: name, Features: []harness.Feature{store.Map}, Open: open})}
}

// In real time a story that hangs takes no longer than it may.
func TestTimeout(t *testing.T) {
	o := options("store/hangs", 1)
	o.Timeout = 2 * time.Second
	began := time.Now()
	r, err := fuzz.Run(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, 1, r.Stories)
	assert.Len(t, r.Unsure, 1)
	assert.Less(t, time.Since(began), time.Minute, "its steps could take minutes")
	assert.Equal(t, 1, r.Idle)
	var text strings.Builder
	require.NoError(t, r.Text(&text))
	assert.Contains(t, text.String(), "idle   1 of 1 stories tested no rule\n")
	assert.Regexp(t, `(?m)^unsure 1 story: the plugin could not be opened: .* \(.lwtest run. with this target shows why in full\)$`, text.String(), "why, and what to do")
	sum, err := fuzz.Merge(r, r)
	require.NoError(t, err)
	assert.Equal(t, 2, sum.Idle)
}

// When the time of a run is over, the story under way ends soon, however long it may take, and blames nobody.
func TestForBoundsTheLastStory(t *testing.T) {
	o := options("store/hangs", 0)
	o.For, o.Timeout, o.Workers = time.Second, 10*time.Minute, 1
	began := time.Now()
	r, err := fuzz.Run(t.Context(), o)
	require.NoError(t, err)
	assert.Less(t, time.Since(began), time.Minute, "its story could take ten")
	assert.Empty(t, r.Failed)
	assert.Equal(t, map[string]int{"the time was over before the story ended": 1}, r.Unsure)
}

// Nearly all stories test rules.
func TestIdle(t *testing.T) {
	r, err := fuzz.Run(t.Context(), options("store/map", 40))
	require.NoError(t, err)
	assert.Less(t, r.Idle, 4)
}

// A story that tested nothing is not kept to be varied.
func TestIdleIsNotVaried(t *testing.T) {
	o := options("store/counts", 5) // a store that nobody can open
	o.Blind, o.Corpus = false, t.TempDir()
	t.Setenv(counted, filepath.Join(t.TempDir(), "opened"))
	r, err := fuzz.Run(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, r.Stories, r.Idle)
	kept, err := filepath.Glob(filepath.Join(o.Corpus, "*.json"))
	require.NoError(t, err)
	assert.Empty(t, kept)
}

func FuzzInformer(f *testing.F) { story.Fuzz(f, casesOf(f, "informer/streams")) }

func FuzzStore(f *testing.F) { story.Fuzz(f, casesOf(f, "store/map")) }

func FuzzQueue(f *testing.F) { story.Fuzz(f, casesOf(f, "store/delta")) }

func FuzzListerWatcher(f *testing.F) {
	f.Setenv("LWTEST_KNOWN", "../plugins/clientgo/listwatch/known.json")
	story.Fuzz(f, casesOf(f, "listerwatcher/typed"))
}

func FuzzServer(f *testing.F) { story.Fuzz(f, casesOf(f, "watchcache/fake")) }

func FuzzRuntime(f *testing.F) { story.Fuzz(f, casesOf(f, "runtime/containerd")) }

// nothing is the environment variable that lets FuzzNothing play stories.
const nothing = "LWTEST_TEST_FUZZ_NOTHING"

// FuzzNothing is for TestNothingTested: it plays stories on a store that nobody can open.
func FuzzNothing(f *testing.F) {
	if os.Getenv(nothing) == "" {
		f.Skip("only for TestNothingTested")
	}
	story.Fuzz(f, casesOf(f, "store/counts"))
}

// Plain go test fails if no rule tested anything, but not if that was one story of many.
func TestNothingTested(t *testing.T) {
	for run, want := range map[string]string{"^FuzzNothing$": "no rule tested anything in 5 stories, so nothing is known of counts: the plugin could not be opened: there is no store", "^FuzzNothing$/^seed#3$": ""} {
		cmd := exec.Command(os.Args[0], "-test.run", run)
		cmd.Env = append(os.Environ(), nothing+"=1", counted+"="+filepath.Join(t.TempDir(), "opened"))
		out, err := cmd.CombinedOutput()
		assert.Equal(t, want != "", err != nil, "%s", out)
		assert.Contains(t, string(out), want)
	}
}

// LWTEST_STORIES has plain go test play random stories, too, the same ones for the same LWTEST_SEED.
func TestRandomStories(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run", "^FuzzStore$", "-test.v")
	cmd.Env = append(os.Environ(), "LWTEST_STORIES=30", "LWTEST_SEED=7")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	cmd = exec.Command(os.Args[0], "-test.run", "^FuzzStore$", "-test.v")
	few, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", few)
	assert.Equal(t, 30, strings.Count(string(out), "--- PASS: FuzzStore/")-strings.Count(string(few), "--- PASS: FuzzStore/"))

	cmd = exec.Command(os.Args[0], "-test.run", "^FuzzStore$")
	cmd.Env = append(os.Environ(), "LWTEST_STORIES=many")
	out, err = cmd.CombinedOutput()
	assert.Error(t, err)
	assert.Contains(t, string(out), `LWTEST_STORIES is "many": say a number, such as 1000`)
}

// casesOf returns the cases of an implementation, by its kind and name. Unless tests run in full, Fuzz plays ten stories of the covering
// set, as with -short: TestCrossRaisesNoFalseAlarm plays others.
func casesOf(f *testing.F, name string) []harness.Case {
	if !full.Wanted() {
		before := flag.Lookup("test.short").Value.String()
		require.NoError(f, flag.Set("test.short", "true"))
		f.Cleanup(func() { _ = flag.Set("test.short", before) }) // it was read from there
	}
	target, err := open(context.Background(), name)
	require.NoError(f, err)
	return target.Cases
}

// A story that is drawn has the features that were declared or withdrawn for the target.
func TestFeaturesOfStories(t *testing.T) {
	target, err := open(t.Context(), "store/map")
	require.NoError(t, err)
	c := target.Cases[0]
	c.Has = c.Has[:1]
	one, err := c.Play(c.Kind.Language.Draw(rand.New(rand.NewPCG(1, 1)), 20))
	require.NoError(t, err)
	assert.Equal(t, c.Has, one.Has)
}
