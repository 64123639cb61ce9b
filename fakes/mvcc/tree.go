// Package mvcc keeps sets of values at each of their revisions, as etcd does. The API server fake stores its objects in it, and so does an
// in-memory etcd, on which Kubernetes' own tests of a storage run (interop/apiserver).
package mvcc

import (
	"hash/maphash"
	"iter"
	"strings"
)

// Tree is a set of values in the order of their keys, which are compared byte by byte. It never changes: Put and Drop return a new tree and leave
// the old one as it was. So keeping a state is keeping a tree, readers need no lock, and forgetting a state is left to the garbage collector. The
// zero value is an empty tree.
//
// It is a treap: the priority of a node is a hash of its key, so its shape is that of a random tree whatever the order of the writes. A write
// copies the path to its key, about 2 ln(n) nodes.
type Tree[V any] struct{ root *node[V] }

type node[V any] struct {
	key         string
	value       V
	left, right *node[V]
	pri         uint32
	n           int32 // size of this subtree
}

// seed decides the shape of trees, which nobody can see.
var seed = maphash.MakeSeed()

// Len returns how many values there are.
func (t Tree[V]) Len() int { return int(t.root.size()) }

// Get returns the value of a key, or the zero value.
func (t Tree[V]) Get(key string) (v V) {
	for n := t.root; n != nil; {
		switch {
		case key < n.key:
			n = n.left
		case key > n.key:
			n = n.right
		default:
			return n.value
		}
	}
	return v
}

// Put returns the tree in which a key has a value.
func (t Tree[V]) Put(key string, v V) Tree[V] {
	return Tree[V]{put(t.root, &node[V]{key: key, value: v, pri: uint32(maphash.String(seed, key)), n: 1})}
}

// Drop returns the tree without a key.
func (t Tree[V]) Drop(key string) Tree[V] { return Tree[V]{drop(t.root, key)} }

// Rank counts the keys before key.
func (t Tree[V]) Rank(key string) int {
	before := 0
	for n := t.root; n != nil; {
		if key <= n.key {
			n = n.left
			continue
		}
		before += int(n.left.size()) + 1
		n = n.right
	}
	return before
}

// Within gives the values whose keys have the prefix, from prefix+start on, in the order of their keys.
func (t Tree[V]) Within(prefix, start string) iter.Seq[V] {
	return func(yield func(V) bool) {
		ascend(t.root, prefix+start, func(n *node[V]) bool { return strings.HasPrefix(n.key, prefix) && yield(n.value) })
	}
}

// Between gives the values whose keys are not before start and before end, in the order of their keys. An empty end is that of the set.
func (t Tree[V]) Between(start, end string) iter.Seq[V] {
	return func(yield func(V) bool) {
		ascend(t.root, start, func(n *node[V]) bool { return (end == "" || n.key < end) && yield(n.value) })
	}
}

// Down gives the values from the last to the first.
func (t Tree[V]) Down() iter.Seq[V] {
	return func(yield func(V) bool) { descend(t.root, yield) }
}

func (n *node[V]) size() int32 {
	if n == nil {
		return 0
	}
	return n.n
}

// with is a copy of n over other children.
func (n *node[V]) with(left, right *node[V]) *node[V] {
	return &node[V]{key: n.key, value: n.value, pri: n.pri, left: left, right: right, n: left.size() + right.size() + 1}
}

func put[V any](n, one *node[V]) *node[V] {
	switch {
	case n == nil:
		return one
	case one.pri > n.pri: // a node of this key has this priority, so there is none below
		left, right := split(n, one.key)
		return one.with(left, right)
	case one.key < n.key:
		return n.with(put(n.left, one), n.right)
	case one.key > n.key:
		return n.with(n.left, put(n.right, one))
	}
	return one.with(n.left, n.right)
}

func drop[V any](n *node[V], key string) *node[V] {
	switch {
	case n == nil:
		return nil
	case key < n.key:
		return n.with(drop(n.left, key), n.right)
	case key > n.key:
		return n.with(n.left, drop(n.right, key))
	}
	return join(n.left, n.right)
}

// split parts n at key, which is not in it.
func split[V any](n *node[V], key string) (left, right *node[V]) {
	if n == nil {
		return nil, nil
	}
	if n.key < key {
		l, r := split(n.right, key)
		return n.with(n.left, l), r
	}
	l, r := split(n.left, key)
	return l, n.with(r, n.right)
}

// join makes one of two trees of which the left has the smaller keys.
func join[V any](left, right *node[V]) *node[V] {
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

func ascend[V any](n *node[V], start string, yield func(*node[V]) bool) bool {
	if n == nil {
		return true
	}
	if start > n.key {
		return ascend(n.right, start, yield)
	}
	return ascend(n.left, start, yield) && yield(n) && ascend(n.right, start, yield)
}

func descend[V any](n *node[V], yield func(V) bool) bool {
	return n == nil || descend(n.right, yield) && yield(n.value) && descend(n.left, yield)
}
