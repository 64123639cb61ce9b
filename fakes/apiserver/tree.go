package apiserver

import (
	"hash/maphash"
	"iter"
	"strings"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// record is one state of one object. It never changes once it is in a tree.
type record struct {
	key  string
	rev  uint64 // of the write that made it
	obj  runtime.Object
	meta metav1.Object // the same object
	kept kept
	by   *writers // who wrote it, as far as obj does not say so; nil: nobody knows
	// other: the store does not hold obj, but what is read as obj. A write that changes nothing is stored then.
	other bool
	whole runtime.Object // what the store holds, where kube-apiserver shows less of it but in /status; nil: obj
	// raw is what the store holds of a custom object, in its version, where a read makes obj of it; nil: obj. Its metadata is out of date.
	raw *unstructured.Unstructured

	versions atomic.Pointer[versions] // what a conversion webhook has made of it
}

// tree is a set of records in key order that never changes: put and drop give a new tree and leave
// the old one as it was. So keeping a snapshot is keeping a pointer, readers need no lock, and
// forgetting a snapshot is left to the garbage collector.
//
// It is a treap: the priority of a node is a hash of its key, so its shape is that of a random tree
// whatever the order of the writes. A write copies the path to its key, about 2 ln(n) nodes.
type tree struct{ root *node }

type node struct {
	rec         *record
	left, right *node
	pri         uint32
	n           int32 // size of this subtree
}

// seed decides the shape of trees, which nobody can see.
var seed = maphash.MakeSeed()

func (t tree) len() int { return int(t.root.size()) }

func (t tree) get(key string) *record {
	for n := t.root; n != nil; {
		switch {
		case key < n.rec.key:
			n = n.left
		case key > n.rec.key:
			n = n.right
		default:
			return n.rec
		}
	}
	return nil
}

func (t tree) put(r *record) tree {
	return tree{put(t.root, r, uint32(maphash.String(seed, r.key)))}
}

func (t tree) drop(key string) tree { return tree{drop(t.root, key)} }

// rank counts the keys before key.
func (t tree) rank(key string) int {
	before := 0
	for n := t.root; n != nil; {
		if key <= n.rec.key {
			n = n.left
			continue
		}
		before += int(n.left.size()) + 1
		n = n.right
	}
	return before
}

// within gives the records whose keys have the prefix, from prefix+start on, in key order.
func (t tree) within(prefix, start string) iter.Seq[*record] {
	return func(yield func(*record) bool) {
		ascend(t.root, prefix+start, func(r *record) bool { return strings.HasPrefix(r.key, prefix) && yield(r) })
	}
}

// countFrom counts the keys with a prefix, "" or one that ends with a slash, that are not before key.
func (t tree) countFrom(prefix, key string) int {
	end := t.len()
	if prefix != "" {
		end = t.rank(strings.TrimSuffix(prefix, "/") + "0") // '0' follows the slash
	}
	return end - t.rank(key)
}

// down gives the records from the last to the first.
func (t tree) down() iter.Seq[*record] {
	return func(yield func(*record) bool) { descend(t.root, yield) }
}

func (n *node) size() int32 {
	if n == nil {
		return 0
	}
	return n.n
}

// with is a copy of n over other children.
func (n *node) with(left, right *node) *node {
	return &node{rec: n.rec, pri: n.pri, left: left, right: right, n: left.size() + right.size() + 1}
}

func put(n *node, r *record, pri uint32) *node {
	switch {
	case n == nil:
		return &node{rec: r, pri: pri, n: 1}
	case pri > n.pri: // a node of this key has this priority, so there is none below
		left, right := split(n, r.key)
		return (&node{rec: r, pri: pri}).with(left, right)
	case r.key < n.rec.key:
		return n.with(put(n.left, r, pri), n.right)
	case r.key > n.rec.key:
		return n.with(n.left, put(n.right, r, pri))
	}
	return (&node{rec: r, pri: pri}).with(n.left, n.right)
}

func drop(n *node, key string) *node {
	switch {
	case n == nil:
		return nil
	case key < n.rec.key:
		return n.with(drop(n.left, key), n.right)
	case key > n.rec.key:
		return n.with(n.left, drop(n.right, key))
	}
	return join(n.left, n.right)
}

// split parts n at key, which is not in it.
func split(n *node, key string) (left, right *node) {
	if n == nil {
		return nil, nil
	}
	if n.rec.key < key {
		l, r := split(n.right, key)
		return n.with(n.left, l), r
	}
	l, r := split(n.left, key)
	return l, n.with(r, n.right)
}

// join makes one of two trees of which the left has the smaller keys.
func join(left, right *node) *node {
	switch {
	case left == nil:
		return right
	case right == nil:
		return left
	case left.pri > right.pri:
		return left.with(left.left, join(left.right, right))
	}
	return right.with(join(left, right.left), right.right)
}

func ascend(n *node, start string, yield func(*record) bool) bool {
	if n == nil {
		return true
	}
	if start > n.rec.key {
		return ascend(n.right, start, yield)
	}
	return ascend(n.left, start, yield) && yield(n.rec) && ascend(n.right, start, yield)
}

func descend(n *node, yield func(*record) bool) bool {
	return n == nil || descend(n.right, yield) && yield(n.rec) && descend(n.left, yield)
}
