package informer

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pageMutants have a fault in how they take a list of several pages.
var pageMutants = []variant{
	{"pages-one-by-one", "pages/complete", "each page replaces what is there", lists, func(i *informer) {
		i.paged = func(so []object, p page) { i.changes(func() { i.replace(so, p.version) }) }
	}},
	{"page-failed-is-end", "pages/complete", "a page that fails is taken for the end of the list", lists, func(i *informer) {
		i.breaks = func(so []object, p page, _ error) error {
			i.changes(func() { i.replace(so, p.version) })
			i.seen(replaced, p.version)
			return nil
		}
	}},
	{"page-failed-deletes", "pages/complete", "a list of which a page fails takes away what it has not brought", lists, func(i *informer) {
		i.breaks = func(so []object, p page, err error) error {
			i.changes(func() { i.replace(so, p.version) })
			return err
		}
	}},
	{"page-empty-is-end", "pages/complete", "a page without items is taken for the end of the list", lists, func(i *informer) {
		endsAfter(i, func(p page) bool { return len(p.items) == 0 })
	}},
	{"large-page-is-whole", "pages/complete", "where nothing is said it lists with a limit of a thousand, and takes the first page for the whole list", lists, func(i *informer) {
		if i.limit != 500 {
			return
		}
		i.limit = 1000
		endsAfter(i, func(page) bool { return true })
	}},
	{"short-page-is-end", "pages/complete", "a page that has fewer items than were asked for is taken for the last", lists, func(i *informer) {
		endsAfter(i, func(p page) bool { return int64(len(p.items)) < i.limit })
	}},
	{"page-expired-rest", "pages/complete", "of a list that has expired the rest is taken as it is by then, beside the pages of before", lists, func(i *informer) {
		right := i.server.list
		i.server.list = func(ctx context.Context, o metav1.ListOptions) (page, error) {
			p, err := right(ctx, o)
			if s, ok := status(err); ok && s.Continue != "" {
				o.Continue = s.Continue
				return right(ctx, o)
			}
			return p, err
		}
	}},
	{"third-page-failed-is-end", "pages/complete", "a page after the second that fails is taken for the end of the list", lists, func(i *informer) {
		i.breaks = func(so []object, p page, err error) error {
			if len(so) <= int(i.limit) {
				return err
			}
			i.changes(func() { i.replace(so, p.version) })
			i.seen(replaced, p.version)
			return nil
		}
	}},
	{"page-failed-is-kept", "converge/equal", "the pages of a list of which one fails are a part of the next list, too", lists, func(i *informer) {
		i.breaks = func(so []object, _ page, err error) error { keeping(i, so); return err }
	}},
	{"stream-failed-is-kept", "converge/equal", "so is what came of a streaming list that failed", streams, func(i *informer) {
		i.unfinished = func(so []object, err error) error { keeping(i, so); return err }
	}},
	{"first-page-only", "pages/complete", "the first page is taken for the whole list", lists, func(i *informer) {
		endsAfter(i, func(page) bool { return true })
	}},
}

// endsAfter has lists end after some pages, whatever these lead on to.
func endsAfter(i *informer, which func(page) bool) {
	right := i.server.list
	i.server.list = func(ctx context.Context, o metav1.ListOptions) (page, error) {
		p, err := right(ctx, o)
		if err == nil && which(p) {
			p.token = ""
		}
		return p, err
	}
}

// keeping has the next list begin with objects.
func keeping(i *informer, so []object) {
	right := i.replace
	i.replace = func(all []object, version string) {
		right(append(slices.Clone(so), all...), version)
		i.replace = right
	}
}
