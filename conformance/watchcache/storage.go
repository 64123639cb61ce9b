package watchcache

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// StorageFault is how a storage goes wrong, in a way that a correct etcd may: it has lost its leader, or the network loses an answer. Its fields
// are those of a file of faults (docs/faults.md). The zero value ends an earlier fault.
type StorageFault struct {
	Verbs      []string       `json:"verbs,omitempty"`
	Times      int            `json:"times,omitempty"` // how often it strikes
	Latency    story.Duration `json:"latency,omitzero"`
	Status     string         `json:"status,omitempty"`
	LoseAnswer bool           `json:"loseAnswer,omitempty"`
	Events     *StorageEvents `json:"events,omitempty"`
}

// StorageEvents is what becomes of a response to a watch of the storage.
type StorageEvents struct {
	Do string `json:"do"` // "fragment", "compact" or "close"
}

// Validate returns an error for what no correct storage does.
func (f StorageFault) Validate() error {
	do := ""
	if f.Events != nil {
		do = f.Events.Do
	}
	return cmp.Or(oneOf("status", f.Status, "", "no leader", "leader changed", "too many requests", "request timed out"), oneOf("events.do", do, "", "fragment", "compact", "close"))
}

// storageFaults are those that stories have. Each ends by itself, so that a story goes on.
var storageFaults = []StorageFault{
	{Verbs: []string{"txn"}, Times: 1, LoseAnswer: true},
	{Verbs: []string{"range"}, Times: 2, LoseAnswer: true},
	{Verbs: []string{"txn"}, Times: 1, Status: "request timed out"},
	{Times: 3, Status: "no leader"},
	{Times: 2, Status: "too many requests"},
	{Verbs: []string{"range"}, Times: 2, Latency: storageLatency},
	{Verbs: []string{"txn"}, Times: 2, Latency: storageLatency},
	{Times: 1, Events: &StorageEvents{Do: "compact"}},
	{Times: 1, Events: &StorageEvents{Do: "close"}},
	{Times: 3, Events: &StorageEvents{Do: "fragment"}},
}

// storageLatency is longer than a request of a healthy storage, and shorter than what waits for one.
const storageLatency = story.Duration(300 * time.Millisecond)

func needsOfStorage(StorageFault) []harness.Feature { return []harness.Feature{StorageFaults} }

func sayStorage(_ story.Step, f StorageFault) string {
	if f.none() {
		return "the storage is well again"
	}
	b, err := json.Marshal(f)
	if err != nil {
		return err.Error()
	}
	return "the storage goes wrong: " + string(b)
}

// none reports whether it is no fault.
func (f StorageFault) none() bool {
	return !f.LoseAnswer && f.Status == "" && f.Latency == 0 && f.Events == nil
}

func stepStorage(w *world, _ story.Step, f StorageFault) error {
	x, ok := w.s.(StorageFaulter)
	if !ok {
		return fmt.Errorf("the feature %s is declared, but the subject has no SetStorageFault", StorageFaults)
	}
	kind, fault := replay.StorageFault, json.RawMessage(nil)
	if f.none() {
		kind += replay.Over
	} else {
		var err error
		if fault, err = json.Marshal(f); err != nil {
			return err
		}
	}
	return endUnless(w.admin(kind, func(ctx context.Context) (string, error) { return "", x.SetStorageFault(ctx, fault) }))
}
