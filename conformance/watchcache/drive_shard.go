package watchcache

import (
	"fmt"
	"math"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
)

// split divides the hashes into n ranges of about one size.
func split(n uint64) []*replay.Shard {
	var out []*replay.Shard
	size := math.MaxUint64/n + 1
	for i := range n {
		last := (i+1)*size - 1 // of the last one: 2^64-1
		out = append(out, byUID(replay.HashRange{First: i * size, Last: last}))
	}
	return out
}

func byUID(ranges ...replay.HashRange) *replay.Shard {
	return &replay.Shard{Field: replay.HashedUID, Ranges: ranges}
}

// single is the shard of one value of a field, and rest that of all others.
func single(field, value string) (one, rest *replay.Shard) {
	h := replay.Hash(value)
	one = &replay.Shard{Field: field, Ranges: []replay.HashRange{{First: h, Last: h}}}
	rest = &replay.Shard{Field: field}
	if h > 0 {
		rest.Ranges = append(rest.Ranges, replay.HashRange{First: 0, Last: h - 1})
	}
	if h < math.MaxUint64 {
		rest.Ranges = append(rest.Ranges, replay.HashRange{First: h + 1, Last: math.MaxUint64})
	}
	return one, rest
}

// inShard is o, for a shard.
func inShard(o metav1.ListOptions, s *replay.Shard) metav1.ListOptions {
	o.ShardSelector = s.String()
	return o
}

// enough is how many objects are made, at most, until each half has some: that
// one does not happens once in some hundred millions of runs.
const enough = 40

// halves creates objects of a namespace until each half has so many of them.
// Where the server knows no shards, so that no uid matters, each gets every
// other object: then the same is done on every run.
func (d *driver) halves(actor, ns string, n int, hashed bool) (low, high []*corev1.ConfigMap) {
	for i := 0; i < enough && (len(low) < n || len(high) < n); i++ {
		labels := selected
		if i%3 == 0 {
			labels = others
		}
		m := d.create(actor, d.object(ns, d.next("o"), labels))
		switch {
		case m == nil:
		case !hashed && i%2 == 0, hashed && replay.Hash(string(m.UID)) < 1<<63:
			low = append(low, m)
		default:
			high = append(high, m)
		}
	}
	return low, high
}

// driveShardLists lists shards that together are the whole, in every form, at
// three moments: between them objects change, go, and come again.
func driveShardLists(d *driver) {
	a, ab := d.namespaces[0], d.namespaces[1]
	low, high := d.halves("c1", a, 3, true)
	d.halves("c1", ab, 1, true)
	if len(low) < 3 || len(high) < 3 {
		return
	}
	at, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	one, rest := single(replay.HashedUID, string(low[0].UID))
	here, elsewhere := single(replay.HashedNamespace, a)
	quarters := split(4)
	more := append(quarters, split(1)[0], byUID(quarters[2].Ranges[0], quarters[0].Ranges[0]), one, here, elsewhere)
	list := func() {
		d.listShards(append(split(2), rest), at)
		for _, s := range more {
			d.list("l1", a, inShard(nothingElse, s))
			d.list("l1", "", inShard(from(nothingElse, "0"), s))
		}
	}
	list()
	d.change("c1", low[1], others)
	d.change("c1", high[1], selected)
	d.remove("c1", a, low[2].Name, nil)
	d.remove("c1", a, high[2].Name, nil)
	list()
	d.create("c1", d.object(a, low[2].Name, selected)) // another uid, and maybe another shard
	d.create("c1", d.object(a, high[2].Name, selected))
	list()
}

// listShards lists each shard in every form; at is a resourceVersion of the past.
func (d *driver) listShards(shards []*replay.Shard, at string) {
	const l = "l1"
	a := d.namespaces[0]
	forms := []metav1.ListOptions{{}, {ResourceVersion: "0"}, {ResourceVersion: at, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan},
		{ResourceVersion: at, ResourceVersionMatch: metav1.ResourceVersionMatchExact}}
	if d.t.Has(LabelWatch) {
		forms = append(forms, byLabel)
	}
	if d.t.Has(FieldWatch) {
		forms = append(forms, metav1.ListOptions{FieldSelector: "metadata.namespace=" + a})
	}
	for _, s := range shards {
		for _, o := range forms {
			d.list(l, a, inShard(o, s))
		}
		d.list(l, "", inShard(nothingElse, s))
		if d.t.Has(Pages) {
			d.pages(l, a, inShard(metav1.ListOptions{Limit: 1}, s))
			d.pages(l, a, inShard(metav1.ListOptions{Limit: 2, ResourceVersion: at, ResourceVersionMatch: metav1.ResourceVersionMatchExact}, s))
		}
	}
}

// driveShardWatches watches both halves, in every form, and the whole beside.
func driveShardWatches(d *driver) {
	a := d.namespaces[0]
	low, high := d.halves("c1", a, 3, true)
	if len(low) < 3 || len(high) < 3 {
		return
	}
	d.list("l1", a, inShard(nothingElse, split(2)[0])) // only a list tells whether there are shards
	rv, ok := d.start("l1", "", inShard(nothingElse, split(2)[1]))
	if !ok {
		return
	}
	ws := []*watcher{d.follow("all", "", from(nothingElse, rv))}
	open := func(ns string, o metav1.ListOptions, follows bool) {
		for i, s := range split(2) {
			known := [][]*corev1.ConfigMap{low, high}[i][0].Name // is not deleted, and shows when this watch is settled
			ws = append(ws, d.open(&watcher{actor: d.next("w"), namespace: ns, name: known, options: inShard(o, s), follows: follows}))
		}
	}
	open(a, from(nothingElse, rv), true)
	open("", from(nothingElse, rv), true)
	open(a, nothingElse, true)
	open(a, from(nothingElse, "0"), true)
	if d.t.Has(LabelWatch) {
		open(a, from(byLabel, rv), true)
	}
	if d.t.Has(WatchList) {
		open(a, stream(marked, ""), false)
	}
	d.shardChanges("c1", low, high, true)
	d.settle(ws...)
	closeAll(ws)
}

// shardChanges makes every sort of change of objects of both halves.
func (d *driver) shardChanges(c string, low, high []*corev1.ConfigMap, hashed bool) {
	a := d.namespaces[0]
	d.halves(c, a, 2, hashed)
	for _, half := range [][]*corev1.ConfigMap{low, high} {
		m := d.change(c, half[1], nil)
		m = d.change(c, m, others)
		d.change(c, m, selected)
		d.remove(c, a, half[2].Name, nil)
		m = d.create(c, d.object(a, half[2].Name, selected)) // another uid, and maybe another shard
		d.change(c, m, nil)
	}
	d.halves(c, d.namespaces[1], 1, hashed)
}

// unreadables are no shard selectors.
var unreadables = []string{
	"bad", " ", "true", "metadata.uid", "shardRange()", "shardRange(object.metadata.uid)",
	"shardRange(object.metadata.uid,'0x0','0x8')", "shardRange(object.metadata.uid,'0000000000000000','8000000000000000')",
	"shardRange(object.metadata.uid,'0x8000000000000000','0x0000000000000000')", "shardRange(object.metadata.uid,'0x8000000000000000','0x8000000000000000')",
	"shardRange(object.metadata.uid,'0x0000000000000000','0x20000000000000000')", "shardRange(object.metadata.uid,0,8)",
	"shardRange(object.metadata.name,'0x0000000000000000','0x8000000000000000')", "shardRange(metadata.uid,'0x0000000000000000','0x8000000000000000')",
	"other(object.metadata.uid,'0x0000000000000000','0x8000000000000000')", "shardRange(object.metadata.uid,'0x0000000000000000','0x8000000000000000')||bad",
	"shardRange(object.metadata.uid,'0x0000000000000000','0x8000000000000000')||shardRange(object.metadata.namespace,'0x8000000000000000','0x10000000000000000')",
	"shardRange(object.metadata.uid,'0x0000000000000000','0x8000000000000000')&&shardRange(object.metadata.uid,'0x8000000000000000','0x10000000000000000')",
}

func driveShardUnreadable(d *driver) {
	a := d.namespaces[0]
	d.create("c1", d.object(a, "x", selected))
	d.create("c1", d.object(a, "y", others))
	d.list("l1", a, nothingElse)
	var ws []*watcher
	for i, s := range unreadables {
		d.list("l1", a, metav1.ListOptions{ShardSelector: s})
		d.list("l1", "", metav1.ListOptions{ShardSelector: s, ResourceVersion: "0"})
		ws = append(ws, d.watch(fmt.Sprint("w", i+1), a, metav1.ListOptions{ShardSelector: s}))
	}
	d.settle(ws...)
	closeAll(ws)
}

// driveShardAbsent asks for shards, and for wholes, beside each other.
func driveShardAbsent(d *driver) {
	a := d.namespaces[0]
	l := d.list("l1", a, inShard(nothingElse, split(2)[0]))
	hashed := l != nil && l.ShardInfo != nil
	low, high := d.halves("c1", a, 3, hashed)
	if len(low) < 3 || len(high) < 3 {
		return
	}
	rv, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	lists := func() {
		for _, ns := range []string{a, ""} {
			d.list("l1", ns, nothingElse)
			for _, s := range split(2) {
				d.list("l1", ns, inShard(nothingElse, s))
				d.list("l1", ns, inShard(from(nothingElse, "0"), s))
			}
		}
	}
	lists()
	var ws []*watcher
	for i, s := range split(2) {
		known := [][]*corev1.ConfigMap{low, high}[i][0].Name
		ws = append(ws, d.open(&watcher{actor: fmt.Sprint("w", i+1), namespace: a, name: known, options: inShard(from(nothingElse, rv), s), follows: true}))
	}
	d.shardChanges("c1", low, high, hashed)
	d.settle(ws...)
	closeAll(ws)
	lists()
}
