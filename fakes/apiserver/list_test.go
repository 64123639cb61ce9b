package apiserver_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

const (
	exact        = metav1.ResourceVersionMatchExact
	notOlderThan = metav1.ResourceVersionMatchNotOlderThan
)

// history is a@2 b@3 c@4, then b changed @5, a deleted @6, d@7.
func history(t *testing.T, s apiserver.API) {
	t.Helper()
	for _, name := range []string{"a", "b", "c"} {
		create(t, s, "ns", cm(name))
	}
	touch(t, s, "ns", "b")
	remove(t, s, "ns", "a")
	create(t, s, "ns", cm("d"))
}

func TestListVersions(t *testing.T) {
	present := []string{"b@5", "c@4", "d@7", "@7"}
	for _, test := range []struct {
		rv    string
		match metav1.ResourceVersionMatch
		limit int64
		want  []string
	}{
		{"", "", 0, present},
		{"", "", 2, []string{"b@5", "c@4", "@7"}},
		{"", "", -1, present},
		{"0", "", 0, present},
		{"0", "", 1, present}, // the limit is ignored
		{"0", notOlderThan, 1, present},
		{"3", "", 0, present},
		{"3", "", 1, []string{"a@2", "@3"}}, // a limit alone means exactly
		{"3", notOlderThan, 0, present},
		{"3", notOlderThan, 1, []string{"b@5", "@7"}},
		{"1", exact, 0, []string{"@1"}},
		{"2", exact, 0, []string{"a@2", "@2"}},
		{"4", exact, 0, []string{"a@2", "b@3", "c@4", "@4"}},
		{"5", exact, 0, []string{"a@2", "b@5", "c@4", "@5"}},
		{"6", exact, 1, []string{"b@5", "@6"}},
		{"7", exact, 0, present},
	} {
		t.Run(fmt.Sprintf("rv=%s,match=%s,limit=%d", test.rv, test.match, test.limit), func(t *testing.T) {
			bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
				history(t, s)
				l, err := apiserver.ConfigMaps(s, "ns").List(ctx, metav1.ListOptions{
					ResourceVersion: test.rv, ResourceVersionMatch: test.match, Limit: test.limit})
				require.NoError(t, err)
				require.Equal(t, test.want, names(l))
				require.Equal(t, len(test.want) < 4 && test.limit > 0, l.Continue != "")
			})
		})
	}
}

func TestListRefusals(t *testing.T) {
	token := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	invalid := `ListOptions.meta.k8s.io "" is invalid: `
	for _, test := range []struct {
		name string
		opts metav1.ListOptions
		code int32
		want string
	}{
		{"too old", metav1.ListOptions{ResourceVersion: "3", ResourceVersionMatch: exact}, 410,
			"The resourceVersion for the provided list is too old."},
		{"too old, limit", metav1.ListOptions{ResourceVersion: "3", Limit: 1}, 410,
			"The resourceVersion for the provided list is too old."},
		{"future", metav1.ListOptions{ResourceVersion: "99"}, 504, "Timeout: Too large resource version: 99, current: 7"},
		{"future, exact", metav1.ListOptions{ResourceVersion: "99", ResourceVersionMatch: exact}, 504,
			"Timeout: Too large resource version: 99, current: 7"},
		{"garbage", metav1.ListOptions{ResourceVersion: "xyz"}, 400,
			`invalid resource version: resourceVersion: Invalid value: "xyz": strconv.ParseUint: parsing "xyz": invalid syntax`},
		{"negative", metav1.ListOptions{ResourceVersion: "-1"}, 400,
			`invalid resource version: resourceVersion: Invalid value: "-1": strconv.ParseUint: parsing "-1": invalid syntax`},
		{"token with version", metav1.ListOptions{ResourceVersion: "5", Continue: token(`{"v":"meta.k8s.io/v1","rv":5,"start":"/a"}`)}, 400,
			"specifying resource version is not allowed when using continue"},
		{"bad token", metav1.ListOptions{Continue: token("id")}, 400,
			"invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value"},
		{"future token", metav1.ListOptions{Continue: token(`{"v":"meta.k8s.io/v1","rv":99,"start":"/a"}`)}, 504,
			"Timeout: Too large resource version: 99, current: 7"},
		{"match alone", metav1.ListOptions{ResourceVersionMatch: exact}, 422,
			invalid + "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"},
		{"exactly 0", metav1.ListOptions{ResourceVersion: "0", ResourceVersionMatch: exact}, 422,
			invalid + `resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`},
		{"unknown match", metav1.ListOptions{ResourceVersion: "5", ResourceVersionMatch: "Foo"}, 422,
			invalid + `resourceVersionMatch: Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""`},
		{"initial events", metav1.ListOptions{SendInitialEvents: ptr(false)}, 422,
			invalid + "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"},
		{"label", metav1.ListOptions{LabelSelector: "! =b"}, 400, "unable to parse requirement: found '=', expected: identifier"},
		{"field", metav1.ListOptions{FieldSelector: "a"}, 400, "invalid selector: 'a'; can't understand 'a'"},
		{"unknown field", metav1.ListOptions{FieldSelector: "spec.foo=1"}, 400,
			`"spec.foo" is not a known field selector: only "metadata.name", "metadata.namespace"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
				history(t, s)
				require.NoError(t, s.Compact("5"))
				_, err := s.List(ctx, apiserver.Request{Resource: configMaps, Namespace: "ns"}, test.opts)
				got := status(t, err)
				require.Equal(t, test.want, got.Message)
				require.Equal(t, test.code, got.Code)
			})
		})
	}
}

// Too large: three seconds and a cause for a kind with a cache, at once for one without.
func TestTooLarge(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		for _, test := range []struct {
			req   apiserver.Request
			waits time.Duration
			retry int32
		}{
			{apiserver.Request{Resource: configMaps, Namespace: "ns"}, 3 * time.Second, 1},
			{apiserver.Request{Resource: events, Namespace: "ns"}, 0, 0},
		} {
			start := time.Now()
			_, err := s.List(ctx, test.req, metav1.ListOptions{ResourceVersion: "9"})
			require.Equal(t, test.waits, time.Since(start))
			got := status(t, err)
			require.EqualValues(t, "Timeout", got.Reason)
			require.Equal(t, test.retry, got.Details.RetryAfterSeconds)
			require.Equal(t, []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}, got.Details.Causes)
		}
		// it is enough that it comes meanwhile, of any kind
		go func() {
			time.Sleep(2 * time.Second)
			create(t, s, "other", cm("a"))
		}()
		_, err := apiserver.Leases(s, "ns").List(ctx, metav1.ListOptions{ResourceVersion: "2"})
		require.NoError(t, err)
		// and a caller who goes away does not wait
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err = apiserver.Leases(s, "ns").Get(short, "a", metav1.GetOptions{ResourceVersion: "9"})
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestPages(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		for i := range 7 {
			create(t, s, "ns", cm(fmt.Sprintf("o%d", i), "odd", fmt.Sprint(i%2)))
			create(t, s, "ns-2", cm("other")) // sorts before ns/
			remove(t, s, "ns-2", "other")
		}
		create(t, s, "ns-2", cm("other"))
		read := func(c *apiserver.Client[*corev1.ConfigMap, *corev1.ConfigMapList], o metav1.ListOptions) (pages [][]string, left []int64) {
			for {
				l, err := c.List(ctx, o)
				require.NoError(t, err)
				pages = append(pages, names(l))
				if l.RemainingItemCount != nil {
					left = append(left, *l.RemainingItemCount)
				}
				if o.Continue = l.Continue; o.Continue == "" {
					return pages, left
				}
				o.ResourceVersion, o.ResourceVersionMatch = "", ""
				touch(t, s, "ns", "o0") // pages must not see it
			}
		}
		rv := s.Revision()
		pages, left := read(apiserver.ConfigMaps(s, "ns"), metav1.ListOptions{Limit: 3})
		require.Equal(t, [][]string{{"o0@2", "o1@5", "o2@8", "@" + rv}, {"o3@11", "o4@14", "o5@17", "@" + rv}, {"o6@20", "@" + rv}}, pages)
		require.Equal(t, []int64{4, 1}, left)

		// as many as the limit: no continue
		pages, left = read(apiserver.ConfigMaps(s, "ns"), metav1.ListOptions{Limit: 7})
		require.Len(t, pages, 1)
		require.Empty(t, left)

		// all namespaces, the last page in another
		pages, left = read(apiserver.ConfigMaps(s, ""), metav1.ListOptions{Limit: 5})
		require.Len(t, pages, 2)
		require.Equal(t, []int64{3}, left)
		require.Equal(t, "other@23", pages[0][0])

		// with a selector no count, and an empty last page
		pages, left = read(apiserver.ConfigMaps(s, "ns"), metav1.ListOptions{Limit: 3, LabelSelector: "odd=1"})
		require.Empty(t, left)
		require.Equal(t, []string{"o1@5", "o3@11", "o5@17"}, pages[0][:3])
		require.Len(t, pages, 2)
		require.Len(t, pages[1], 1, "nothing but the version")
	})
}

func TestContinueExpired(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		c := apiserver.ConfigMaps(s, "ns")
		for _, name := range []string{"a", "b", "c", "d"} {
			create(t, s, "ns", cm(name))
		}
		first, err := c.List(ctx, metav1.ListOptions{Limit: 1})
		require.NoError(t, err)
		remove(t, s, "ns", "b")
		require.NoError(t, s.Compact(""))

		_, err = c.List(ctx, metav1.ListOptions{Limit: 1, Continue: first.Continue})
		gone := status(t, err)
		require.EqualValues(t, 410, gone.Code)
		require.Equal(t, metav1.StatusReasonExpired, gone.Reason)
		require.Contains(t, gone.Message, "The provided continue parameter is too old to display a consistent list result. You can start a new list")

		rest, err := c.List(ctx, metav1.ListOptions{Limit: 1, Continue: gone.Continue})
		require.NoError(t, err)
		require.Equal(t, []string{"c@4", "@6"}, names(rest))
		require.EqualValues(t, 1, *rest.RemainingItemCount)
		rest, err = c.List(ctx, metav1.ListOptions{Limit: 1, Continue: rest.Continue})
		require.NoError(t, err)
		require.Equal(t, []string{"d@5", "@6"}, names(rest))
	})
}

// Of a token only the key counts: it may come from another namespace or with another limit.
func TestTokenOfAnotherList(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		for _, ns := range []string{"x", "y"} {
			for _, name := range []string{"a", "b", "c"} {
				create(t, s, ns, cm(name))
			}
		}
		l, err := apiserver.ConfigMaps(s, "x").List(ctx, metav1.ListOptions{Limit: 1})
		require.NoError(t, err)
		l, err = apiserver.ConfigMaps(s, "y").List(ctx, metav1.ListOptions{Continue: l.Continue, ResourceVersion: "0", Limit: 1})
		require.NoError(t, err)
		require.Equal(t, []string{"b@6", "c@7", "@7"}, names(l), "at 0 the limit is ignored here too")
	})
}

// A kind without a cache pages at 0 too, and its tokens have no slash.
func TestUncachedLists(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		req := apiserver.Request{Resource: events, Namespace: "ns"}
		for _, name := range []string{"a", "b"} {
			_, err := s.Create(ctx, req, &corev1.Event{InvolvedObject: corev1.ObjectReference{Namespace: "ns"}, ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
			require.NoError(t, err)
		}
		obj, err := s.List(ctx, req, metav1.ListOptions{ResourceVersion: "0", Limit: 1})
		require.NoError(t, err)
		l := obj.(*corev1.EventList)
		require.Len(t, l.Items, 1)
		b, err := base64.RawURLEncoding.DecodeString(l.Continue)
		require.NoError(t, err)
		require.JSONEq(t, `{"v":"meta.k8s.io/v1","rv":3,"start":"a\u0000"}`, string(b))
	})
}

func TestListScope(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "ns", cm("a", "k", "v"))
		create(t, s, "ns", cm("a-1"))
		create(t, s, "ns-1", cm("a", "k", "w"))
		for _, test := range []struct {
			ns   string
			opts metav1.ListOptions
			want []string
		}{
			{"ns", metav1.ListOptions{}, []string{"a@2", "a-1@3", "@4"}},
			{"ns-1", metav1.ListOptions{}, []string{"a@4", "@4"}},
			{"n", metav1.ListOptions{}, []string{"@4"}},
			{"", metav1.ListOptions{LabelSelector: "k"}, []string{"a@4", "a@2", "@4"}}, // "ns-1/" sorts before "ns/"
			{"", metav1.ListOptions{LabelSelector: "k=v"}, []string{"a@2", "@4"}},
			{"ns", metav1.ListOptions{FieldSelector: "metadata.name=a"}, []string{"a@2", "@4"}},
			{"", metav1.ListOptions{FieldSelector: "metadata.namespace=ns"}, []string{"a@2", "a-1@3", "@4"}},
			{"ns", metav1.ListOptions{FieldSelector: "metadata.name!=a"}, []string{"a-1@3", "@4"}},
		} {
			l, err := apiserver.ConfigMaps(s, test.ns).List(ctx, test.opts)
			require.NoError(t, err)
			require.Equal(t, test.want, names(l), "%q %+v", test.ns, test.opts)
		}
	})
}

func TestSelectableFields(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		req := apiserver.Request{Resource: pods, Namespace: "ns"}
		_, err := s.Create(ctx, req, pod("p", "n1"), metav1.CreateOptions{})
		require.NoError(t, err)
		for field, want := range map[string]int{"spec.nodeName=n1": 1, "spec.nodeName=": 0, "spec.nodeName!=n1": 0, "status.phase=Pending": 1} {
			l, err := s.List(ctx, req, metav1.ListOptions{FieldSelector: field})
			require.NoError(t, err)
			require.Len(t, l.(*corev1.PodList).Items, want, field)
		}
		_, err = s.List(ctx, req, metav1.ListOptions{FieldSelector: "spec.foo=1"})
		require.EqualError(t, err, "field label not supported: spec.foo")
	})
}

// Compaction by the clock keeps five to ten minutes.
func TestRevisionsAge(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		c := apiserver.ConfigMaps(s, "ns")
		create(t, s, "ns", cm("a")) // @2
		at := func(rv string) error {
			_, err := c.List(ctx, metav1.ListOptions{ResourceVersion: rv, ResourceVersionMatch: exact})
			return err
		}
		touch(t, s, "ns", "a") // @3
		time.Sleep(6 * time.Minute)
		touch(t, s, "ns", "a") // @4
		require.NoError(t, at("2"))
		time.Sleep(5 * time.Minute)
		require.EqualValues(t, 410, status(t, at("2")).Code)
		require.NoError(t, at("3"), "the state at the compacted revision is kept")
		time.Sleep(time.Hour)
		require.EqualValues(t, 410, status(t, at("3")).Code)
		require.NoError(t, at("4"))
	})
}
