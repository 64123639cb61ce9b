package listerwatcher

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
)

// driveResumeTypes has watches end, cleanly and by breaking off, after an ADDED, a MODIFIED and a DELETED.
func driveResumeTypes(d *driver) {
	d.put("a", "1")
	for _, how := range []string{"close", "break"} {
		for last := 1; last <= 3; last++ {
			name := fmt.Sprint(how, "-", last)
			end := d.fault(rig.Fault{Verbs: []string{"watch"}, Events: &rig.Events{Nth: last + 1, Do: how}})
			if r := d.watch(name, metav1.ListOptions{ResourceVersion: d.now()}); r != nil {
				d.put(name, "1")
				d.put(name, "2")
				d.remove(name)
				d.changes(2)
				d.settle(r)
				d.end(r)
			}
			end()
		}
	}
}
