package apiserver

import (
	"context"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
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
	items     []*record
	next      string // continue token; "" at the end
	remaining *int64
}

// List implements API.
func (s *Server) List(ctx context.Context, req Request, opts metav1.ListOptions) (runtime.Object, error) {
	k, err := s.find(ctx, req)
	if err != nil {
		return nil, err
	}
	l, err := s.list(ctx, k, req, opts)
	if err != nil {
		return nil, err
	}
	return l.object(k.res)
}

// list reads without copying: the records are the store's own.
func (s *Server) list(ctx context.Context, k *kind, req Request, opts metav1.ListOptions) (*listing, error) {
	lo, sel, err := query(k, req, opts, false)
	if err != nil {
		return nil, err
	}
	s.keepAge(time.Now())
	l, err := s.moment(ctx, k, lo)
	if err != nil {
		return nil, err
	}
	if s.o.Quirks.ShortPages && l.limit > 1 {
		l.limit--
	}
	l.page(k.res, sel)
	return l, nil
}

// moment decides the state that a list shows: the table of resourceVersion, match, limit and continue.
func (s *Server) moment(ctx context.Context, k *kind, lo *internalversion.ListOptions) (*listing, error) {
	l := &listing{limit: max(lo.Limit, 0)}
	if lo.ResourceVersion == "0" && !k.res.Uncached {
		l.limit = 0 // the cache answers with all it has
	}
	if lo.Continue != "" {
		return l, s.resume(ctx, k, lo, l)
	}
	rev, err := parse(lo.ResourceVersion)
	if err != nil {
		return nil, apierrors.NewBadRequest("invalid resource version: " + unreadable(lo.ResourceVersion, err))
	}
	if err := s.reach(ctx, k, rev); err != nil {
		return nil, err
	}
	legacy := lo.ResourceVersionMatch == "" && l.limit > 0 // a limit alone means exactly
	if rev > 0 && (lo.ResourceVersionMatch == metav1.ResourceVersionMatchExact || legacy) {
		if !s.exactly(k, rev, l) {
			return nil, apierrors.NewResourceExpired(listTooOld)
		}
		return l, nil
	}
	s.latest(k, l)
	return l, nil
}

// resume decides the state that a continue token asks for.
func (s *Server) resume(ctx context.Context, k *kind, lo *internalversion.ListOptions, l *listing) error {
	t, err := decodeToken(lo.Continue)
	if err != nil {
		return apierrors.NewBadRequest("invalid continue token: " + err.Error())
	}
	if lo.ResourceVersion != "" && lo.ResourceVersion != "0" {
		return apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
	}
	l.start = t.key()
	if t.latest {
		s.latest(k, l)
		return nil
	}
	if err := s.reach(ctx, k, t.rev); err != nil {
		return err
	}
	if !s.exactly(k, t.rev, l) {
		gone := apierrors.NewResourceExpired(continueTooOld)
		gone.ErrStatus.ListMeta.Continue = token{start: t.start, latest: true}.encode()
		return gone
	}
	return nil
}

func (s *Server) latest(k *kind, l *listing) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	l.rev, l.tree = s.st.rev, k.now()
}

// exactly is false if the state at rev is compacted.
func (s *Server) exactly(k *kind, rev uint64, l *listing) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if rev < s.st.compacted {
		return false
	}
	l.rev, l.tree = rev, k.at(rev)
	return true
}

// page takes the matching records from start on, as many as the limit allows. With a selector it cannot
// know whether another match follows, so the last page may be empty.
func (l *listing) page(res *Resource, sel *selector) {
	for r := range l.tree.within(sel.prefix, l.start) {
		if n := len(l.items); l.limit > 0 && int64(n) == l.limit {
			last := strings.TrimPrefix(l.items[n-1].key, sel.prefix)
			l.next = after(last, !res.Uncached, l.rev).encode()
			if sel.everything() {
				left := int64(l.tree.countFrom(sel.prefix, r.key))
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
func (l *listing) object(res *Resource) (runtime.Object, error) {
	list := res.NewList()
	items := make([]runtime.Object, len(l.items))
	for i, r := range l.items {
		items[i] = r.obj.DeepCopyObject()
	}
	if err := meta.SetList(list, items); err != nil {
		return nil, bare(err.Error())
	}
	m, err := meta.ListAccessor(list)
	if err != nil {
		return nil, bare(err.Error())
	}
	m.SetResourceVersion(format(l.rev))
	m.SetContinue(l.next)
	m.SetRemainingItemCount(l.remaining)
	return list, nil
}
