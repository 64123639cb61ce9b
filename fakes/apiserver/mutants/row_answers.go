package mutants

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// gone is the error for a state that is gone.
var gone = apierrors.NewResourceExpired("gone")

// refuse answers with an error.
func refuse(err error) func(*call) { return func(c *call) { c.got, c.watched, c.err = nil, nil, err } }

// refuseNotFound answers that there is no such object.
func refuseNotFound(c *call) {
	refuse(apierrors.NewNotFound(c.Resource.GroupResource(), c.Name))(c)
}

// refuseAs refuses with this code, in place of an answer or of another refusal.
func refuseAs(code int) func(*call) {
	return refuse(map[int]error{
		400: apierrors.NewBadRequest("this server has no such thing"),
		403: apierrors.NewForbidden(schema.GroupResource{}, "", errors.New("no")),
		404: apierrors.NewNotFound(schema.GroupResource{}, ""),
		405: apierrors.NewMethodNotSupported(schema.GroupResource{}, ""),
		409: apierrors.NewConflict(schema.GroupResource{}, "", errors.New("it was changed")),
		410: gone,
		422: apierrors.NewInvalid(schema.GroupKind{}, "", nil),
		500: apierrors.NewInternalError(errors.New("something went wrong")),
		501: &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 501, Reason: "NotImplemented"}},
		504: apierrors.NewTimeoutError("later", 1),
	}[code])
}

// anyError is for refusals, whatever they say.
func anyError(err error) bool { return err != nil }

// again asks the store once more, for something else.
func again(change func(*call)) func(*call) {
	return func(c *call) {
		change(c)
		c.next()
	}
}

// What is asked for is changed to the most recent state, to any labels, fields or match, to exactly the revision before the one that is named.
func mostRecent(c *call) { c.list.ResourceVersion, c.list.ResourceVersionMatch = "", "" }
func anyLabel(c *call)   { c.list.LabelSelector = "" }
func anyField(c *call)   { c.list.FieldSelector = "" }
func anyMatch(c *call)   { c.list.ResourceVersionMatch = "" }
func exactlyBefore(c *call) {
	c.list.ResourceVersion, c.list.ResourceVersionMatch = plus(c.list.ResourceVersion, -1), metav1.ResourceVersionMatchExact
}

// minus is a resourceVersion so many revisions before another.
func minus(revisions int64) func(string) string {
	return func(rv string) string { return plus(rv, -revisions) }
}

// objects changes each object of an answer: one, or the items of a list. A watch has none.
func objects(f func(metav1.Object)) func(*call) {
	return func(c *call) {
		if c.got == nil {
			return
		}
		if !isList(c.got) {
			f(of(c.got))
			return
		}
		all := items(c.got)
		for _, item := range all {
			f(of(item))
		}
		setItems(c.got, all)
	}
}

// isList reports whether an answer has items.
func isList(obj runtime.Object) bool {
	_, ok := obj.(metav1.ListInterface)
	return ok
}

// listed changes the items of a list.
func listed(f func([]runtime.Object) []runtime.Object) func(*call) {
	return func(c *call) { setItems(c.got, f(items(c.got))) }
}

// where changes only the answers for which such holds.
func where(such func(*call) bool, f func(*call)) func(*call) {
	return func(c *call) {
		if such(c) {
			f(c)
		}
	}
}

// keeps leaves those items in a list that f wants.
func keeps(f func(c *call, o metav1.Object) bool) func(*call) {
	return func(c *call) {
		var kept []runtime.Object
		for _, item := range items(c.got) {
			if f(c, of(item)) {
				kept = append(kept, item)
			}
		}
		setItems(c.got, kept)
	}
}

// version changes the resourceVersion of a list.
func version(f func(string) string) func(*call) {
	return func(c *call) { listOf(c.got).SetResourceVersion(f(listOf(c.got).GetResourceVersion())) }
}

// behind answers from the state so many revisions ago, where it is there.
func behind(revisions int64) func(*call) {
	return func(c *call) {
		if c.got = c.ago(revisions); c.got == nil {
			c.next()
		}
	}
}

// ago returns what a get or a list would have answered so many revisions ago; nil: that state is gone, or had no such object.
func (c *call) ago(revisions int64) runtime.Object {
	asked := *c
	if c.verb == "get" {
		asked.list, asked.Name = metav1.ListOptions{FieldSelector: "metadata.name=" + c.Name}, ""
	}
	old := asked.at(plus(asked.head(), -revisions))
	if c.verb != "get" || old == nil {
		return old
	}
	if all := items(old); len(all) > 0 {
		return all[0]
	}
	return nil
}

// head returns the resourceVersion of the storage, whatever a cache has; "": it does not say.
func (c *call) head() string {
	l, err := c.api.List(c.ctx, c.Request, metav1.ListOptions{Limit: 1}) // with a limit it is asked, if need be
	if err != nil {
		return ""
	}
	return listOf(l).GetResourceVersion()
}

// at returns the list at exactly a resourceVersion; nil: that is gone.
func (c *call) at(rv string) runtime.Object {
	o := c.list
	o.ResourceVersion, o.ResourceVersionMatch = rv, metav1.ResourceVersionMatchExact
	l, err := c.api.List(c.ctx, c.Request, o)
	if err != nil {
		return nil
	}
	return l
}
