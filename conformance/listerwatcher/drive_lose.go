package listerwatcher

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
)

// driveWatchLosses has objects lose each part that they have, one after the other, and nothing else change.
func driveWatchLosses(d *driver) {
	d.partly(false)
	open := there([]*reading{
		d.watch("unset", metav1.ListOptions{}),
		d.watch("now", metav1.ListOptions{ResourceVersion: d.now()}),
	})
	d.partly(true)
	d.settle(open...)
}

func driveListLosses(d *driver) {
	for _, lost := range []bool{false, true} {
		d.partly(lost)
		d.list("c1", metav1.ListOptions{})
		d.pages(d.list)
	}
}

// partly puts an object for each part that one may lose, with that part, or when it has lost it.
func (d *driver) partly(lost bool) {
	for _, l := range rig.Losses(d.t.Virtual()) {
		m := d.configMap("with-"+l.Name, "1")
		if l.Have(m); lost {
			l.Lose(m)
		}
		d.putObject(m)
	}
}
