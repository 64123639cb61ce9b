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
	{"page-failed-is-end", "pages/complete", "a page that fails is taken for the end of the list", lists, pageEnds(func(*informer, []object, error) bool { return true })},
	{"page-failed-deletes", "pages/complete", "a list of which a page fails takes away what it has not brought", lists, func(i *informer) {
		i.breaks = func(so []object, p page, err error) error {
			i.changes(func() { i.replace(so, p.version) })
			return err
		}
	}},
	{"page-empty-is-end", "pages/complete", "a page without items is taken for the end of the list", lists, endsAfter(func(_ *informer, p page) bool { return len(p.items) == 0 })},
	{"large-page-is-whole", "pages/complete", "where nothing is said it lists with a limit of a thousand, and takes the first page for the whole list", lists, each(func(i *informer) {
		if i.limit == 500 {
			i.limit = 1000
		}
	}, endsAfter(func(i *informer, _ page) bool { return i.limit == 1000 }))},
	{"short-page-is-end", "pages/complete", "a page that has fewer items than were asked for is taken for the last", lists, endsAfter(func(i *informer, p page) bool { return int64(len(p.items)) < i.limit })},
	{"page-expired-rest", "pages/complete", "of a list that has expired the rest is taken as it is by then, beside the pages of before", lists, onServerList(func(i *informer, ctx context.Context, o metav1.ListOptions, right listFunc) (page, error) {
		p, err := right(ctx, o)
		if s, ok := status(err); ok && s.Continue != "" {
			o.Continue = s.Continue
			return right(ctx, o)
		}
		return p, err
	})},
	{"third-page-failed-is-end", "pages/complete", "a page after the second that fails is taken for the end of the list", lists, pageEnds(func(i *informer, so []object, _ error) bool { return len(so) > int(i.limit) })},
	{"page-failed-is-kept", "converge/equal", "the pages of a list of which one fails are a part of the next list, too", lists, func(i *informer) {
		i.breaks = func(so []object, _ page, err error) error { keeping(i, so); return err }
	}},
	{"stream-failed-is-kept", "converge/equal", "so is what came of a streaming list that failed", streams, func(i *informer) {
		i.unfinished = func(so []object, err error) error { keeping(i, so); return err }
	}},
	{"first-page-only", "pages/complete", "the first page is taken for the whole list", lists, endsAfter(func(*informer, page) bool { return true })},
}

// pageEnds takes a page that fails for the end of its list, where which says so.
func pageEnds(which func(i *informer, so []object, err error) bool) func(*informer) {
	return func(i *informer) {
		i.breaks = func(so []object, p page, err error) error {
			if !which(i, so, err) {
				return err
			}
			i.changes(func() { i.replace(so, p.version) })
			i.seen(replaced, p.version)
			return nil
		}
	}
}

// endsAfter has lists end after some pages, whatever these lead on to.
func endsAfter(which func(*informer, page) bool) func(*informer) {
	return onServerList(func(i *informer, ctx context.Context, o options, right listFunc) (page, error) {
		p, err := right(ctx, o)
		if err == nil && which(i, p) {
			p.token = ""
		}
		return p, err
	})
}

// keeping has the next list begin with objects.
func keeping(i *informer, so []object) {
	right := i.replace
	i.replace = func(all []object, version string) {
		right(append(slices.Clone(so), all...), version)
		i.replace = right
	}
}
