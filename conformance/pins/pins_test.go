package pins

import (
	"errors"
	"strings"
	"testing"

	"github.com/lwtest/lwtest/harness"
)

func symbol(at string) harness.Source { return harness.Source{Name: at} }

func TestPinsThatMustFail(t *testing.T) {
	const types = "k8s.io/apimachinery@v0.37.2/pkg/apis/meta/v1/types.go"
	const sha = "24e7d8f5409c1a0121394a613746e524f781e044"
	for _, c := range []struct {
		name   string
		source harness.Source
		want   string // part of the error
	}{
		{"no name", harness.Source{}, "without a name"},
		{"no pin at all", symbol("etcd#18089"), "is no module@version"},
		{"no version", symbol("k8s.io/apimachinery/pkg/watch/watch.go#Event"), "is no module@version"},
		{"no symbol", symbol(types), "is no module@version"},
		{"branch", harness.Source{Name: "x", URL: "https://github.com/kubernetes/community/blob/master/a.md#b"}, "full commit"},
		{"short commit", harness.Source{Name: "x", URL: "https://github.com/kubernetes/community/blob/" + sha[:12] + "/a.md"}, "full commit"},
		{"no file", harness.Source{Name: "x", URL: "https://github.com/kubernetes/community/blob/" + sha}, "full commit"},
		{"issue", harness.Source{Name: "x", URL: "https://github.com/etcd-io/etcd/issues/18089"}, "full commit"},
		{"other site", harness.Source{Name: "x", URL: "https://kubernetes.io/docs/reference/using-api/api-concepts/"}, "full commit"},
		{"wrong file", symbol("k8s.io/apimachinery@v0.37.2/pkg/watch/none.go#Event"), "none.go"},
		{"wrong symbol", symbol(types + "#ListOptionz"), "no such symbol"},
		{"wrong field", symbol(types + "#ListOptions.Resource"), "no such symbol"},
		{"field of another type", symbol(types + "#ListMeta.SendInitialEvents"), "no such symbol"},
		{"wrong method", symbol("k8s.io/apimachinery@v0.37.2/pkg/watch/watch.go#Interface.Start"), "no such symbol"},
		{"method for a function", symbol("k8s.io/apimachinery@v0.37.2/pkg/watch/watch.go#Stop"), "no such symbol"},
		{"wrong version", symbol("k8s.io/apimachinery@v0.99.99/pkg/watch/watch.go#Event"), "v0.99.99"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := newPins(t).check(c.source)
			if errors.Is(err, errOffline) {
				t.Skip(err)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want an error with %q, got %v", c.want, err)
			}
		})
	}
}

func TestPinsThatMustHold(t *testing.T) {
	const watch = "k8s.io/apimachinery@v0.37.2/pkg/watch/watch.go"
	check(t, []string{"interface method", "method", "type", "constant", "function", "embedded field", "URL"}, []harness.Source{
		symbol(watch + "#Interface.Stop"),
		symbol(watch + "#FakeWatcher.Stop"),
		symbol(watch + "#Event"),
		symbol(watch + "#Bookmark"),
		symbol(watch + "#NewFake"),
		symbol("k8s.io/apimachinery@v0.37.2/pkg/apis/meta/v1/types.go#ListOptions.TypeMeta"),
		{Name: "x", URL: "https://github.com/kubernetes/community/blob/24e7d8f5409c1a0121394a613746e524f781e044/a/b.md#c-d"},
	})
}

func TestPinsOffline(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	if err := newPins(t).check(symbol("k8s.io/apimachinery@v0.37.2/pkg/watch/watch.go#Event")); !errors.Is(err, errOffline) {
		t.Errorf("want the reason for skipping, got %v", err)
	}
}
