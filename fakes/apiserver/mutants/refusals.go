package mutants

import (
	"context"
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// refusals are faults of what is not refused, or not as it should be.
func refusals() []Mutant { return append(futures(), append(combinations(), unreadables()...)...) }

func futures() []Mutant {
	return []Mutant{
		{
			Name: "list-future-answered", Rule: "watchcache/list/future",
			About: "a list with a resourceVersion that is not there yet is answered with what there is (kube-apiserver before 1.17, of kinds without a watch cache)",
			Open:  calling(calls{list: onRefusal(apierrors.IsTimeout, func(o *metav1.ListOptions) { o.ResourceVersion, o.ResourceVersionMatch = "", "" })}),
		},
		{
			Name: "list-future-answered-by-field", Rule: "watchcache/list/future",
			About: "a list by field with a resourceVersion that is not there yet is answered with what there is",
			Open: calling(calls{list: onRefusal(apierrors.IsTimeout, func(o *metav1.ListOptions) {
				if o.FieldSelector != "" {
					o.ResourceVersion, o.ResourceVersionMatch = "", ""
				}
			})}),
		},
		{
			Name: "list-future-expired", Rule: "watchcache/list/future",
			About: "a list with a resourceVersion that is not there yet is refused as if that were gone",
			Open: calling(calls{list: rewording(apierrors.IsTimeout, func(error) error {
				return apierrors.NewResourceExpired("gone")
			})}),
		},
		{
			Name: "list-future-uncaused", Rule: "watchcache/list/future-cause",
			About: "the 504 for a resourceVersion that is not there yet does not say why (kube-apiserver before 1.17; up to 1.18.5 the cause has no type)",
			Open: calling(calls{list: rewording(apierrors.IsTimeout, func(error) error {
				return apierrors.NewTimeoutError("later", 1)
			})}),
		},
	}
}

func combinations() []Mutant {
	return []Mutant{
		{
			Name: "match-alone-served", Rule: "watchcache/list/combinations",
			About: "a match without a resourceVersion is ignored (servers before 1.19)",
			Open: calling(calls{list: asking(func(o *metav1.ListOptions) {
				if o.ResourceVersion == "" {
					o.ResourceVersionMatch = ""
				}
			})}),
		},
		{
			Name: "exact-zero-served", Rule: "watchcache/list/combinations",
			About: "Exact with \"0\" is taken for any",
			Open: calling(calls{list: asking(func(o *metav1.ListOptions) {
				if o.ResourceVersion == "0" {
					o.ResourceVersionMatch = ""
				}
			})}),
		},
		{
			Name: "match-unknown-served", Rule: "watchcache/list/combinations",
			About: "an unknown match is ignored (servers before 1.19)",
			Open: calling(calls{list: asking(func(o *metav1.ListOptions) {
				if o.ResourceVersionMatch == "Nonsense" {
					o.ResourceVersionMatch = ""
				}
			})}),
		},
		{
			Name: "combination-bad-request", Rule: "watchcache/list/combinations-cause",
			About: "a match that cannot be is refused with 400, without a cause",
			Open: calling(calls{list: rewording(apierrors.IsInvalid, func(err error) error {
				return apierrors.NewBadRequest(err.Error())
			})}),
		},
		{
			Name: "combination-cause-misnamed", Rule: "watchcache/list/combinations-cause",
			About: "the cause of a refused match names the resourceVersion",
			Open: calling(calls{list: rewording(apierrors.IsInvalid, func(err error) error {
				if s := new(apierrors.StatusError); errors.As(err, &s) {
					s.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeFieldValueInvalid, Field: "resourceVersion"}}
				}
				return err
			})}),
		},
		{
			Name: "continue-version-ignored", Rule: "watchcache/list/continue-alone",
			About: "a resourceVersion beside a continue token is ignored",
			Open: calling(calls{list: asking(func(o *metav1.ListOptions) {
				if o.Continue != "" && o.ResourceVersionMatch == "" {
					o.ResourceVersion = ""
				}
			})}),
		},
		{
			Name: "continue-zero-restarts", Rule: "watchcache/list/pages",
			About: "a continue token beside the resourceVersion \"0\" begins the list anew",
			Open: calling(calls{list: asking(func(o *metav1.ListOptions) {
				if o.ResourceVersion == "0" {
					o.Continue = ""
				}
			})}),
		},
		{
			Name: "continue-match-ignored", Rule: "watchcache/list/continue-match",
			About: "a match beside a continue token is ignored",
			Open: calling(calls{list: asking(func(o *metav1.ListOptions) {
				if o.Continue != "" && o.ResourceVersionMatch != "" {
					o.ResourceVersion, o.ResourceVersionMatch = "", ""
				}
			})}),
		},
	}
}

func unreadables() []Mutant {
	return []Mutant{
		{
			Name: "bad-token-restarts", Rule: "watchcache/list/bad-token",
			About: "a continue token that cannot be read is ignored: the list starts anew",
			Open:  calling(calls{list: onRefusal(apierrors.IsBadRequest, func(o *metav1.ListOptions) { o.Continue = "" })}),
		},
		{
			Name: "bad-token-ends", Rule: "watchcache/list/bad-token",
			About: "a continue token that cannot be read ends the list",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				l, err := api.List(ctx, r, o)
				if o.Continue != "" && apierrors.IsBadRequest(err) {
					o.Continue, o.LabelSelector = "", "none-has=it"
					return api.List(ctx, r, o)
				}
				return l, err
			}}),
		},
		{
			Name: "bad-token-breaks", Rule: "watchcache/list/bad-token",
			About: "a continue token that cannot be read is answered with 500",
			Open: calling(calls{list: rewording(apierrors.IsBadRequest, func(err error) error {
				return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError}}
			})}),
		},
		{
			Name: "bad-version-listed", Rule: "watchcache/list/bad-version",
			About: "a list with a resourceVersion that cannot be read is the most recent one",
			Open: calling(calls{list: onRefusal(apierrors.IsBadRequest, func(o *metav1.ListOptions) {
				o.ResourceVersion, o.ResourceVersionMatch = "", ""
			})}),
		},
		{
			Name: "bad-version-got", Rule: "watchcache/list/bad-version",
			About: "a get with a resourceVersion that cannot be read is the most recent one",
			Open: calling(calls{get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
				if obj, err := api.Get(ctx, r, o); err == nil || o.ResourceVersion == "" {
					return obj, err
				}
				return api.Get(ctx, r, metav1.GetOptions{})
			}}),
		},
		{
			Name: "bad-version-watched", Rule: "watchcache/list/bad-version",
			About: "a watch with a resourceVersion that cannot be read begins at the present",
			Open: calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
				if w, err := api.Watch(ctx, r, o); err == nil {
					return w, nil
				}
				o.ResourceVersion = ""
				return api.Watch(ctx, r, o)
			}}),
		},
	}
}
