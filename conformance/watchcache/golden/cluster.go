package golden

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/golden"
	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

//go:embed cluster/testdata
var clusters embed.FS

// Clusters reads the goldens of clusters with controllers, made by kind, as Load does those of API servers without any.
func Clusters() (map[string]map[string]*history.History, error) {
	sub, err := fs.Sub(clusters, "cluster")
	if err != nil {
		return nil, err
	}
	return golden.Load(sub)
}

const (
	oneMore = "pages, and counts of remaining items, include the ConfigMap that controllers put into each namespace"
	several = "several clients write at once"
	behind  = "a watch at 0 may start with any state"
)

// Differ are the checks whose histories on a cluster with controllers are others than on a server without, beyond that
// ConfigMap itself (see Bare), with the reasons.
var Differ = map[string]string{
	"list/bad-token": oneMore, "list/continue-alone": oneMore, "list/modes": oneMore, "list/page-size": oneMore, "list/pages": oneMore,
	"list/pages-with-selector": oneMore, "list/selectors": oneMore, "list/continue-expired": oneMore, "list/forms": oneMore, "list/future/next": oneMore + "; and " + Timed["shard/absent"], "list/snapshot": oneMore, "list/snapshot/content": oneMore,
	"watch/reliable/content": oneMore, "watch/scope/shapes": oneMore, "write/finalizers/shown": oneMore,
	"watch/zero": behind,
}

// Chance are the checks whose histories differ from run to run on one and the same server, with the reasons.
func Chance() map[string]string {
	out := map[string]string{
		"watch/atomic": Timed["watch/atomic"], "bookmark/monotonic": Timed["bookmark/monotonic"], "bookmark/complete/slow": Timed["watch/slow"],
		"watch/slow": Timed["watch/slow"], "watch/slow/forms": Timed["watch/slow/forms"], "watch/slow/start": Timed["watch/slow/start"],
		"watch/stop": Timed["watch/stop"], "shard/absent": Timed["shard/absent"],
		"list/snapshot/large": several, "write/dry-run/more": "the server makes up a name",
		"cache/restart": "nobody knows how much is written while a server restarts",
	}
	for _, name := range Concurrent {
		if !slices.Contains(Newer, name) {
			out[name] = several
		}
	}
	return out
}

// Broken are the rules that a cluster breaks, with the reasons.
var Broken = map[string]string{
	"list/remaining":         "the count of remaining items includes the ConfigMap that controllers put into each namespace, which is left out here",
	"write/finalizers-raced": "kubernetes#77988, as on a server without controllers",
}

// rootCA is what the controllers of a cluster put into each namespace.
const rootCA = "/kube-root-ca.crt"

// Bare is a normalised history of a cluster with controllers as a server without any would have given it, as far as it hangs
// on what they write: that is left out, and what is left numbered again.
func Bare(h *history.History) *history.History {
	others := func(o history.Ref) bool { return strings.HasSuffix(o.Key, rootCA) }
	number := make([]int32, len(h.Events)+1)
	var events []history.Event
	for i := range h.Events {
		e := h.Events[i]
		if e.Phase == history.Notice && others(e.Obj) {
			continue
		}
		if e.X != nil && slices.ContainsFunc(e.X.Items, others) {
			x := *e.X
			x.Items = slices.DeleteFunc(slices.Clone(x.Items), others)
			e.X = &x
		}
		number[e.Num] = int32(len(events) + 1)
		e.Call = number[e.Call]
		events = append(events, e)
	}
	out, err := history.New(h.Header, events)
	if err != nil {
		panic(fmt.Sprintf("golden: a history is none without notices: %v", err)) // calls and returns stay paired
	}
	return replay.Normalise(out)
}
