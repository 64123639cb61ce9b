package apiserver

import (
	"context"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// listing is a list that has been read: what, from which state, and where to go on.
type listing struct {
	rev       uint64
	tree      tree
	start     string // key below the prefix
	limit     int64  // 0: none
	cached    bool   // served by a cache
	items     []*record
	next      string // continue token; "" at the end
	remaining *int64
	shard     *shard // nil: none was asked for
}

// List implements API.
func (v *View) List(ctx context.Context, req Request, opts metav1.ListOptions) (runtime.Object, error) {
	k, err := v.find(ctx, req, "list")
	if err != nil {
		return nil, err
	}
	l, err := v.list(ctx, k, req, opts)
	if err != nil {
		return nil, err
	}
	return l.object(ctx, k)
}

// list reads without copying: the records are the store's own.
func (v *View) list(ctx context.Context, k *kind, req Request, opts metav1.ListOptions) (*listing, error) {
	lo, sel, err := v.query(k, req, opts, false)
	if err != nil {
		return nil, err
	}
	v.keepAge(time.Now())
	l, err := v.moment(ctx, k, lo, sel)
	if err != nil {
		return nil, err
	}
	l.shard = sel.shard
	if v.o.Quirks.ShortPages && l.limit > 1 {
		l.limit--
	}
	l.page(sel)
	return l, nil
}

// moment decides the state that a list shows: the table of resourceVersion, match, limit and continue.
func (v *View) moment(ctx context.Context, k *kind, lo *internalversion.ListOptions, sel *selector) (*listing, error) {
	w, err := wants(lo)
	if err != nil {
		return nil, err
	}
	if _, one := sel.single(); one && lo.ResourceVersionMatch == "" && lo.Continue == "" {
		w.exact = false // a limit means nothing to a list of one object (kube-apiserver: only a recursive one has the legacy case)
	}
	l := &listing{start: w.start, limit: max(lo.Limit, 0)}
	c, err := v.ready(time.Now(), k)
	switch {
	case k.direct != nil, err != nil && l.limit > 0 && sel.everything():
		return l, v.fromStore(k, w, l)
	case err != nil:
		return nil, err
	}
	if lo.ResourceVersion == "0" {
		l.limit = 0 // the cache answers with all it has
	}
	return l, v.fromCache(ctx, c, w, l)
}

// want is the state that a list asks for.
type want struct {
	rev    uint64 // not older than this
	exact  bool   // but this
	recent bool   // not older than any write before the list
	start  string // key below the prefix
	gone   error  // the refusal where exactly this is compacted
}

// wants reads the options of a list.
func wants(lo *internalversion.ListOptions) (want, error) {
	if lo.Continue != "" {
		return resume(lo)
	}
	rev, err := parse(lo.ResourceVersion)
	if err != nil {
		return want{}, apierrors.NewBadRequest("invalid resource version: " + unreadable(lo.ResourceVersion, err))
	}
	legacy := lo.ResourceVersionMatch == "" && lo.Limit > 0 // a limit alone means exactly
	return want{
		rev: rev, exact: rev > 0 && (lo.ResourceVersionMatch == metav1.ResourceVersionMatchExact || legacy),
		recent: lo.ResourceVersion == "", gone: apierrors.NewResourceExpired(listTooOld),
	}, nil
}

// resume reads a continue token.
func resume(lo *internalversion.ListOptions) (want, error) {
	t, err := decodeToken(lo.Continue)
	if err != nil {
		return want{}, apierrors.NewBadRequest("invalid continue token: " + err.Error())
	}
	if lo.ResourceVersion != "" && lo.ResourceVersion != "0" {
		return want{}, apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
	}
	gone := apierrors.NewResourceExpired(continueTooOld)
	gone.ErrStatus.ListMeta.Continue = token{start: t.key(), latest: true}.encode()
	return want{rev: t.rev, exact: !t.latest, recent: t.latest, start: t.key(), gone: gone}, nil
}

// fromStore reads without a cache: nothing is waited for.
func (v *View) fromStore(k *kind, w want, l *listing) error {
	v.mu.RLock()
	defer v.mu.RUnlock()
	switch {
	case w.rev > v.st.rev:
		return tooLarge(w.rev, v.st.rev, 0)
	case w.exact && w.rev < v.st.compacted:
		return w.gone
	case w.exact:
		l.rev, l.tree = w.rev, k.At(w.rev)
	default:
		l.rev, l.tree = v.st.rev, k.Now()
	}
	return nil
}

// fromCache waits until the cache is as far as it must be.
func (v *View) fromCache(ctx context.Context, c *cache, w want, l *listing) (err error) {
	if w.recent {
		v.mu.RLock()
		w.rev = v.st.rev
		v.mu.RUnlock()
	}
	l.tree, l.rev, err = v.reach(ctx, c, w.rev)
	l.cached = err == nil && (!w.exact || w.rev >= c.from)             // of what was before it the store knows
	if w.exact && err == nil || w.recent && apierrors.IsTimeout(err) { // what is asked for exactly is kept in the store alone
		return v.fromStore(c.kind, w, l)
	}
	return err
}

// page takes the matching records from start on, as many as the limit allows. With a selector it cannot
// know whether another match follows, so the last page may be empty, but where one key alone can match.
func (l *listing) page(sel *selector) {
	if key, ok := sel.single(); ok && l.start == "" {
		if r := l.tree.Get(key); sel.match(r) {
			l.items = append(l.items, r)
		}
		return
	}
	for r := range l.tree.Within(sel.prefix, l.start) {
		if n := len(l.items); l.limit > 0 && int64(n) == l.limit {
			last := strings.TrimPrefix(l.items[n-1].key, sel.prefix)
			l.next = after(last, l.cached, l.rev).encode()
			if sel.everything() {
				left := int64(countFrom(l.tree, sel.prefix, r.key))
				l.remaining = &left
			}
			return
		}
		if sel.match(r) {
			l.items = append(l.items, r)
		}
	}
}

// object is the list as the resource's list type, with copies of the items.
func (l *listing) object(ctx context.Context, k *kind) (runtime.Object, error) {
	all, err := k.inVersions(ctx, l.items)
	if err != nil {
		return nil, err
	}
	items := make([]runtime.Object, len(all))
	for i, r := range all {
		items[i] = r.obj.DeepCopyObject()
	}
	return l.envelope(k.res, items)
}
