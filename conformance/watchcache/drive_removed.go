package watchcache

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// driveRemoved adds things to an object by updates, and takes them away by merge
// patches: one at a time, what is not there any more, and all at once. An empty
// value is told from none of labels and annotations only: some kinds have no
// spec without a value.
func driveRemoved(d *driver) {
	const more = label + "lwtest/more"
	d.watched(func(a string) {
		m := d.object(a, "x", selected)
		m.Data = nil
		x := d.create("c1", m)
		for _, steps := range [][][]string{
			{{more}, {annotation + "lwtest/note"}, {Spec}, {more, annotation + "lwtest/note"}},
			{append(ownerWords("1", "2"), more, annotation+"lwtest/note", annotation+"lwtest/empty", Spec)},
		} {
			if x == nil {
				return
			}
			m = d.filled(x)
			m.Labels["lwtest/more"] = d.next("l")
			x = d.update("c1", m)
			for _, names := range steps {
				x = d.removeFrom("c1", a, "x", names...)
				d.get("g1", a, "x")
				d.list("l1", a, nothingElse)
			}
			if x == nil {
				return
			}
			x = d.update("c1", d.emptied(x))
		}
	})
}

// finalizersWord is what a history has for the finalizers of an object.
const finalizersWord = "finalizers"

// ownerWords are what a history has for owners; see ownedBy.
func ownerWords(names ...string) (all []string) {
	for _, o := range ownedBy(names...) {
		all = append(all, owner+brief(string(o.UID)))
	}
	return all
}

// removeFrom sets something of an object to null by a merge patch: labels,
// annotations, data, and all owners or finalizers, by the words that histories have for them.
func (d *driver) removeFrom(actor, ns, name string, words ...string) *corev1.ConfigMap {
	return d.removeFromWith(actor, ns, name, replay.WriteArgs{Removes: words})
}

// removeFromWith is removeFrom, as a dry run or as a strategic merge patch, too.
func (d *driver) removeFromWith(actor, ns, name string, args replay.WriteArgs) *corev1.ConfigMap {
	p, ok := d.in(ns).(Patcher)
	if !ok {
		d.t.GiveUp("the feature %s is declared, but the client has no Patch", Patch)
		return nil
	}
	b, err := json.Marshal(nulls(args.Removes))
	if err != nil {
		d.t.GiveUp("%v", err)
		return nil
	}
	return d.writeWith(writeCall(actor, replay.Patch, history.Ref{Key: ns + "/" + name}, args), func(ctx context.Context) (*corev1.ConfigMap, error) {
		return p.Patch(ctx, name, cmp.Or(args.Type, types.MergePatchType), b, patchOptions(args))
	})
}

// nulls is the merge patch that takes away what these words stand for.
func nulls(words []string) map[string]any {
	labels, notes, data := map[string]any{}, map[string]any{}, map[string]any{}
	meta := map[string]any{"labels": labels, "annotations": notes}
	for _, w := range words {
		if name, ok := strings.CutPrefix(w, label); ok {
			labels[name] = nil
		} else if name, ok := strings.CutPrefix(w, annotation); ok {
			notes[name] = nil
		} else if strings.HasPrefix(w, owner) {
			meta["ownerReferences"] = nil
		} else if w == finalizersWord {
			meta[finalizersWord] = nil
		} else {
			data[w] = nil
		}
	}
	return map[string]any{"metadata": meta, "data": data}
}
