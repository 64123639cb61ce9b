package listerwatcher

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
)

func (d *driver) configMap(name, content string) *corev1.ConfigMap {
	labels := map[string]string{"app": "one"}
	if d.mark != "" {
		labels[markLabel] = d.mark
	}
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: d.Own, Labels: labels,
		Annotations: map[string]string{"note": content}}, Data: map[string]string{"spec": content}, BinaryData: map[string][]byte{"raw": []byte(content)}}
}

// full has something of all that a client could lose. An owner it has in virtual time alone: a real cluster would delete
// what is owned by what is not there.
func (d *driver) full(name string) *corev1.ConfigMap {
	m := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: d.Own, GenerateName: "generated-", Labels: map[string]string{"app": "one"},
			Annotations: map[string]string{"note": name}, Finalizers: []string{rig.Finalizer}},
		Immutable:  ptr(true),
		Data:       map[string]string{"spec": name},
		BinaryData: map[string][]byte{"raw": {0xff, 0}},
	}
	if d.t.Virtual() {
		m.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "owner", UID: "owner"}}
	}
	rig.Whole(m)
	return m
}

// hold makes an object and deletes it: it terminates, and stays until it is let go.
func (d *driver) hold(name string) {
	if _, err := d.Server.ConfigMaps(d.Own).Create(d.t.Context(), d.full(name), metav1.CreateOptions{}); err != nil {
		d.t.GiveUp("the drive's own write failed: %v", err)
		return
	}
	d.remove(name)
}

// free takes the finalizer from one that terminates, with which it is gone.
func (d *driver) free(name string) {
	m := d.full(name)
	m.Finalizers = nil
	if _, err := d.Server.ConfigMaps(d.Own).Update(d.t.Context(), m, metav1.UpdateOptions{}); err != nil {
		d.t.GiveUp("the drive's own write failed: %v", err)
	}
}
