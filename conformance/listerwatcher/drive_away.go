package listerwatcher

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
)

// away has connections refused, and those that are there broken.
func (d *driver) away() (end func()) { return rig.Refuse(d.t, d.Server) }

// absences are how long connections are refused: a client that asks once a second asks once, or several times.
var absences = []time.Duration{1500 * time.Millisecond, 5 * time.Second}

func driveResumeAway(d *driver) {
	d.put("a", "1")
	for _, long := range absences {
		r := d.watch("away", metav1.ListOptions{ResourceVersion: d.now()})
		if r == nil {
			return
		}
		d.changes(3)
		d.arrive(r)
		end := d.away()
		d.changes(3)
		d.t.Sleep(long)
		end()
		d.changes(2)
		d.settle(r)
		d.end(r)
	}
}

// driveResumeWaitsAway has what is waited for happen while nobody can be told, and after that.
func driveResumeWaitsAway(d *driver) {
	d.put("a", "1")
	for n, name := range []string{"meanwhile", "later"} {
		d.await(name, Condition{"ADDED", name}, func() {
			d.changes(2)
			d.t.Sleep(time.Second) // they have come
			end := d.away()
			d.changes(3)
			if name == "meanwhile" {
				d.put(name, "1")
			}
			d.t.Sleep(absences[n])
			end()
			if name == "later" {
				d.put(name, "1")
			}
		})
	}
}
