package informer

import (
	"strings"
)

// oftenMutants have a fault that shows where what is common meets what is less so: an index and a later list, or many
// namespaces.
var oftenMutants = []variant{
	{"index-relist-grows", "store/index", "what a later list has in another state stays in the index under its old value, too", lists, func(i *informer) {
		right := i.reindex
		i.reindex = func(was, now *object) {
			if i.relists && now != nil && was != nil && was.uid == now.uid {
				was = nil
			}
			right(was, now)
		}
	}},
	{"index-relist-keeps-last", "store/index", "what a later list has with no value stays in the index under its old one", lists, func(i *informer) {
		right := i.reindex
		i.reindex = func(was, now *object) {
			if i.relists && was != nil && now != nil && now.app == "" {
				return
			}
			right(was, now)
		}
	}},
	{"index-names-collide", "store/index", "of objects of one name and one value in two namespaces the index has one", lists, func(i *informer) {
		right := i.under
		i.under = func(value string) (out []object) {
			names := map[string]bool{}
			for _, o := range sorted(right(value)) {
				name := o.key[strings.Index(o.key, "/")+1:]
				if !names[name] {
					out = append(out, o)
				}
				names[name] = true
			}
			return out
		}
	}},
	{"index-forgets-namespace", "store/index", "what is taken from an index is taken from it for all objects of the name", lists, func(i *informer) {
		right := i.reindex
		i.reindex = func(was, now *object) {
			if right(was, now); was != nil && now == nil {
				for key := range i.index[was.app] {
					if strings.HasSuffix(key, was.key[strings.Index(was.key, "/"):]) {
						delete(i.index[was.app], key)
					}
				}
			}
		}
	}},
}
