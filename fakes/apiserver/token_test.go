package apiserver

import (
	"encoding/base64"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func epoch(ns int64) time.Time { return time.Unix(0, ns) }

func wire(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

// The forms a real server makes.
func TestTokenForm(t *testing.T) {
	for _, test := range []struct {
		token token
		want  string
	}{
		{after("a", true, 8625), `{"v":"meta.k8s.io/v1","rv":8625,"start":"/a\u0000"}`},
		{after("a", false, 7), `{"v":"meta.k8s.io/v1","rv":7,"start":"a\u0000"}`},
		{token{start: "/a\x00", latest: true}, `{"v":"meta.k8s.io/v1","rv":-1,"start":"/a\u0000"}`},
		{after("a", true, math.MaxUint64), `{"v":"meta.k8s.io/v1","rv":18446744073709551615,"start":"/a\u0000"}`},
	} {
		require.Equal(t, test.want, unwire(t, test.token.encode()))
		again, err := decodeToken(test.token.encode())
		require.NoError(t, err)
		require.Equal(t, test.token, again)
	}
}

func unwire(t *testing.T, s string) string {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(s)
	require.NoError(t, err)
	return string(b)
}

func TestTokenErrors(t *testing.T) {
	for _, test := range []struct{ token, want string }{
		{wire("id"), "continue key is not valid: invalid character 'i' looking for beginning of value"},
		{"=", "continue key is not valid: illegal base64 data at input byte 0"},
		{wire(`{"v":"v2","rv":1,"start":"a"}`), "continue key is not valid: server does not recognize this encoded version v2"},
		{wire(`{"v":"meta.k8s.io/v1","rv":0,"start":"a"}`), "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)"},
		{wire(`{"v":"meta.k8s.io/v1","start":"a"}`), "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)"},
		{wire(`{"v":"meta.k8s.io/v1","rv":3,"start":""}`), "continue key is not valid: encoded start key empty (version meta.k8s.io/v1)"},
		{wire(`{"v":"meta.k8s.io/v1","rv":3,"start":"../../secrets"}`), "continue key is not valid: ../../secrets"},
		{wire(`{"v":"meta.k8s.io/v1","rv":3,"start":"/a/../b"}`), "continue key is not valid: /a/../b"},
	} {
		_, err := decodeToken(test.token)
		require.EqualError(t, err, test.want, test.token)
	}
}

// Whatever is sent as a token is refused, or says something that can be said again and stays below
// its prefix.
func FuzzToken(f *testing.F) {
	for _, s := range []string{
		"", "x", after("a", true, 1).encode(), after("ns/a", false, 99).encode(),
		wire(`{"v":"meta.k8s.io/v1","rv":-1,"start":"/a"}`), wire(`{"v":"meta.k8s.io/v1","rv":1e3,"start":"/a"}`),
		wire(`{"v":"meta.k8s.io/v1","rv":"7","start":"/a"}`), wire(`{"v":"meta.k8s.io/v1","rv":7,"start":"//a"}`),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tok, err := decodeToken(s)
		if err != nil {
			return
		}
		again, err := decodeToken(tok.encode())
		if err != nil {
			t.Fatalf("%q: decoded, then %v", s, err)
		}
		if again.key() != tok.key() || again.latest != tok.latest || !tok.latest && again.rev != tok.rev {
			t.Fatalf("%q: %+v became %+v", s, tok, again)
		}
		if strings.HasPrefix(tok.key(), "../") || strings.Contains(tok.key(), "/../") {
			t.Fatalf("%q leaves its prefix: %q", s, tok.key())
		}
	})
}

// Whatever is sent as selectors is refused, or selects without a panic and as labels and fields say.
func FuzzSelectors(f *testing.F) {
	for _, s := range []string{"", "a=b", "a in (b,c),!d", "a==", "metadata.name=x", "metadata.name!=x,metadata.namespace=ns", "=", "a notin (", "type=\\,"} {
		f.Add(s, s)
	}
	res := Resources()
	recs := []*record{}
	st := newStore(Options{}.withDefaults(), epoch(0))
	for i := range res {
		obj := res[i].New()
		obj.(metav1.Object).SetName("x")
		obj.(metav1.Object).SetLabels(map[string]string{"a": "b"})
		recs = append(recs, st.record("x", obj))
	}
	f.Fuzz(func(t *testing.T, label, field string) {
		for i := range res {
			for _, watching := range []bool{false, true} {
				opts := metav1.ListOptions{LabelSelector: label, FieldSelector: field}
				_, sel, err := (&core{}).query(&kind{res: &res[i]}, Request{}, opts, watching)
				if err != nil {
					continue
				}
				if got := sel.match(recs[i]); sel.everything() && !got {
					t.Fatalf("%q %q selects everything but not %v", label, field, recs[i].key)
				}
			}
		}
	})
}
