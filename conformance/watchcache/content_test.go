package watchcache

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/harness"
)

func TestBody(t *testing.T) {
	yes := true
	now := metav1.Now()
	for _, c := range []struct {
		name string
		m    corev1.ConfigMap
		want string
	}{
		{"nothing", corev1.ConfigMap{}, ""},
		{"data", corev1.ConfigMap{Data: map[string]string{"spec": "v1", "status": "s1", "other": "x"}}, "spec=v1 status=s1"},
		{"what is deleted", corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Finalizers: []string{"b/b", "a/a"}, DeletionTimestamp: &now}}, "finalizers=b/b,a/a deleting"},
		{"annotations, in order", corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"b": "2", "a": ""}}}, "annotation:a= annotation:b=2"},
		{"owners, as a set", corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "v1", Kind: "Pod", Name: "q", UID: "u2", Controller: &yes, BlockOwnerDeletion: &yes}, {APIVersion: "v1", Kind: "Pod", Name: "p", UID: "u1"},
		}}}, "owner:u1=v1/Pod/p owner:u2=v1/Pod/q+controller+blocks"},
		{"several words", corev1.ConfigMap{Data: map[string]string{"spec": "a b"}}, "spec=#3:e63f991904833892"},
		{"what looks like a hash", corev1.ConfigMap{Data: map[string]string{"spec": "#3"}}, "spec=#2:7c8fd07b4919ab3"},
	} {
		assert.Equal(t, c.want, body(&c.m), c.name)
	}
}

// Whatever differs differs, and is one word.
func TestBrief(t *testing.T) {
	seen := map[string]string{}
	for _, v := range []string{"", "a", "a ", " a", "a\n", "a\u00a0", "\xff", "\xfe", "\ufffd", "ä", "#", strings.Repeat("x", 63), strings.Repeat("x", 64), strings.Repeat("x", large), strings.Repeat("x", large-1) + "y"} {
		b := brief(v)
		assert.Empty(t, seen[b], "%q", v)
		assert.LessOrEqual(t, len(strings.Fields(b)), 1, "%q", b)
		assert.LessOrEqual(t, len(b), 64)
		seen[b] = v + "."
	}
}

// What the server decides of metadata is kept of what it shows, as JSON tells it.
func TestStored(t *testing.T) {
	d := &driver{t: &harness.T{}, namespaces: []string{"a"}}
	at := metav1.NewTime(time.Date(2026, 3, 14, 1, 59, 26, 5e8, time.FixedZone("", 3600)))
	m := corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "x", CreationTimestamp: at, Generation: 2}}
	assert.Equal(t, "creationTimestamp=2026-03-14T00:59:26Z,generation=2", d.stored(&m).Meta.String())
	assert.Nil(t, d.ref(&m).Meta, "of what is sent nothing")
	m.Namespace = "foreign"
	assert.Nil(t, d.stored(&m).Meta, "nor of what is others'")
	assert.Equal(t, map[string]string{"creationTimestamp": ""}, d.stored(&corev1.ConfigMap{}).Meta.Map(), "none is told from one that nobody kept")
}
