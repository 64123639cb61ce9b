package informer

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

var (
	errShort      = errors.New("the watch ended at once, and brought nothing")
	errUnfinished = errors.New("the streaming list has no end mark")
)

// ended is the ERROR with which a watch has ended.
type ended struct{ error }

// Unwrap is for errors.As.
func (e ended) Unwrap() error { return e.error }

func inStream(err error) bool { return errors.As(err, &ended{}) }

// list takes a whole list, page by page, before it replaces anything.
func (i *informer) list(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, i.answers)
	defer cancel()
	o := metav1.ListOptions{Limit: i.limit}
	if i.at.version != "" && !i.at.recent {
		o.ResourceVersion, o.ResourceVersionMatch = i.at.version, metav1.ResourceVersionMatchNotOlderThan
	}
	var so []object
	var p page
	for what := aList; ; what = aPage {
		i.config.Select(&o)
		i.asks(what, &o)
		next, err := i.server.list(ctx, o)
		if err != nil && what == aPage {
			return i.breaks(so, p, err)
		}
		if err != nil {
			return err
		}
		p = next
		for _, item := range p.items {
			x, err := i.object(fromList, item)
			if err != nil {
				return err
			}
			so = append(so, x)
		}
		i.paged(so, p)
		if p.token == "" {
			i.changes(func() { i.replace(so, p.version) })
			i.seen(replaced, p.version)
			return nil
		}
		o = metav1.ListOptions{Limit: o.Limit, Continue: p.token}
	}
}

// watchTime is how long a watch may last, by its options.
const watchTime = 290 * time.Second

func streaming() metav1.ListOptions {
	seconds, yes := int64(watchTime/time.Second), true
	return metav1.ListOptions{ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, SendInitialEvents: &yes, AllowWatchBookmarks: true, TimeoutSeconds: &seconds}
}

// stream takes a whole list as a stream, up to its end mark.
func (i *informer) stream(ctx context.Context) error {
	o := streaming()
	if !i.at.recent {
		o.ResourceVersion = i.at.version
	}
	i.config.Select(&o)
	i.asks(aStream, &o)
	opening, cancel := context.WithTimeout(ctx, i.patience+i.opening)
	defer cancel()
	w, err := i.server.watch(opening, o)
	if err != nil {
		return err
	}
	defer i.closes(w.Stop)
	so := gathered{}
	limit := time.NewTimer(i.patience)
	defer limit.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-limit.C:
			return i.unfinished(so.all, errUnfinished)
		case e, ok := <-w.ResultChan():
			if !ok {
				return i.unfinished(so.all, errUnfinished)
			}
			version, done, err := i.gather(&so, e)
			if err != nil {
				return i.unfinished(so.all, err)
			}
			if i.paged(so.all, page{}); done {
				i.changes(func() { i.replace(so.all, version) })
				i.seen(replaced, version)
				if i.stays {
					i.heard = true
					return i.hear(ctx, w)
				}
				return nil
			}
		}
	}
}

// gathered is what has come of a streaming list.
type gathered struct{ all []object }

func (g *gathered) put(o object) {
	g.drop(o.key)
	g.all = append(g.all, o)
}

func (g *gathered) drop(key string) {
	for n, o := range g.all {
		if o.key == key {
			g.all = append(g.all[:n:n], g.all[n+1:]...)
			return
		}
	}
}

// gather takes one event of a streaming list; done is the end mark, with its resourceVersion.
func (i *informer) gather(so *gathered, e watch.Event) (version string, done bool, err error) {
	if e.Type == watch.Error {
		return "", false, ended{apierrors.FromObject(e.Object)}
	}
	if e.Type == watch.Bookmark {
		m, err := meta.Accessor(e.Object)
		if err != nil {
			return "", false, err
		}
		return m.GetResourceVersion(), m.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true", nil
	}
	o, err := i.object(fromStream, e.Object)
	if err != nil {
		return "", false, err
	}
	if e.Type == watch.Deleted {
		so.drop(o.key)
	} else {
		so.put(o)
	}
	return "", false, nil
}

// watch goes on from the last resourceVersion seen, until the watch ends.
func (i *informer) watch(ctx context.Context) error {
	seconds := int64(watchTime / time.Second)
	o := metav1.ListOptions{ResourceVersion: i.at.version, AllowWatchBookmarks: true, TimeoutSeconds: &seconds}
	i.config.Select(&o)
	i.asks(aWatch, &o)
	opening, cancel := context.WithTimeout(ctx, i.silence+i.opening)
	defer cancel()
	w, err := i.server.watch(opening, o)
	if err != nil {
		return err
	}
	defer i.closes(w.Stop)
	return i.hear(ctx, w)
}

// hear takes the events of a watch, to its end.
func (i *informer) hear(ctx context.Context, w watch.Interface) error {
	opened := time.Now()
	limit := time.NewTimer(i.silence) // of a server that has fallen silent
	defer limit.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-limit.C:
			return nil
		case e, ok := <-w.ResultChan():
			switch {
			case !ok && n == 0 && time.Since(opened) < i.enough:
				return errShort
			case !ok:
				return nil
			}
			if err := i.take(e); err != nil || i.quits(e) {
				return err
			}
		}
	}
}

// take takes one event of a watch.
func (i *informer) take(e watch.Event) error {
	if e.Type == watch.Error {
		return ended{apierrors.FromObject(e.Object)}
	}
	if e.Type == watch.Bookmark {
		m, err := meta.Accessor(e.Object)
		if err != nil {
			return err
		}
		i.marks(m.GetResourceVersion())
		return nil
	}
	o, err := i.object(string(e.Type), e.Object)
	if err != nil {
		return fmt.Errorf("%s of what is no object: %w", e.Type, err)
	}
	i.changes(func() {
		if e.Type == watch.Deleted {
			i.drop(o, false)
		} else {
			i.put(o, false)
		}
		i.moves(string(e.Type), o.version)
	})
	i.seen(string(e.Type), o.version)
	return nil
}

// marks takes a bookmark.
func (i *informer) marks(version string) {
	i.mu.Lock()
	i.moves(bookmarked, version)
	close(i.changed)
	i.changed = make(chan struct{})
	i.mu.Unlock()
	i.seen(bookmarked, version)
}
