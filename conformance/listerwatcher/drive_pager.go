package listerwatcher

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
)

// many makes so many objects, whose names are in order.
func (d *driver) many(n int) {
	for i := range n {
		d.put(fmt.Sprintf("m%04d", i), fmt.Sprint("content ", i))
	}
}

func drivePages(d *driver) {
	d.many(12)
	for _, limit := range []int64{5, 6, 1, 12} {
		d.list("c1", metav1.ListOptions{Limit: limit})
	}
	d.list("c1", metav1.ListOptions{Limit: 5, LabelSelector: "app in (one,two)"})
	d.list("c1", metav1.ListOptions{Limit: 5, LabelSelector: "app=two"})
	if d.t.Has(FieldCalls) {
		d.list("c1", metav1.ListOptions{Limit: 5, FieldSelector: "metadata.name!=m0009"})
	}
}

// driveShortPages has pages come that are shorter than is asked for: each, or the second alone.
func driveShortPages(d *driver) {
	d.many(12)
	for _, f := range []rig.Fault{{Limit: 2}, {Limit: 1}, {Limit: 2, Continued: ptr(true), Nth: 1}} {
		f.Verbs = []string{"list"}
		end := d.fault(f)
		d.list("c1", metav1.ListOptions{Limit: 5})
		d.list("c1", metav1.ListOptions{})
		end()
	}
}

// moreThanPages is more than two pages of the size that clients have.
const moreThanPages = 1100

func driveManyPages(d *driver) {
	d.many(moreThanPages)
	d.list("c1", metav1.ListOptions{})
}

// between has things happen while the second page is asked for.
func (d *driver) between(happen func()) {
	end := d.fault(rig.Fault{Verbs: []string{"list"}, Nth: 2, Times: 1, Latency: rig.Duration(2 * time.Second)})
	done := make(chan struct{})
	d.t.Go(func() {
		defer close(done)
		d.list("c1", metav1.ListOptions{Limit: 5})
	})
	d.t.Sleep(time.Second)
	happen()
	<-done
	end()
}

// moves has an object of the first page go, one of the second change, and one come to each.
func (d *driver) moves() {
	d.remove("m0001")
	d.put("m0000-new", "1")
	d.put("m0007", "changed")
	d.put("m0008-new", "1")
	d.remove("m0011")
}

func driveBusyPages(d *driver) {
	d.many(12)
	d.between(d.moves)
}

func driveContinue(d *driver) {
	d.many(12)
	d.list("c1", metav1.ListOptions{Limit: 5})
	d.list("c1", metav1.ListOptions{Limit: 4, LabelSelector: "app=one"})
}

func driveContinueVersion(d *driver) {
	d.many(12)
	rv := d.now()
	for _, match := range []metav1.ResourceVersionMatch{"", metav1.ResourceVersionMatchExact, metav1.ResourceVersionMatchNotOlderThan} {
		d.list("c1", metav1.ListOptions{Limit: 5, ResourceVersion: rv, ResourceVersionMatch: match})
	}
}

func driveExpiredPages(d *driver) {
	d.many(12)
	for _, reason := range []string{"Expired", "Gone"} {
		for nth := 2; nth <= 3; nth++ {
			for times := 1; times <= 2; times++ {
				end := d.fault(rig.Fault{Verbs: []string{"list"}, Nth: nth, Times: times, Status: &rig.Status{Code: 410, Reason: reason}})
				d.list("c1", metav1.ListOptions{Limit: 5})
				end()
			}
		}
	}
}

func driveForgottenPages(d *driver) {
	d.many(12)
	d.between(func() {
		d.moves()
		f, ok := rig.Part[rig.Forgetter](d.t, d.Server, rig.Forgets)
		if !ok {
			return
		}
		if err := f.Forget(d.t.Context()); err != nil {
			d.t.GiveUp("the server does not forget: %v", err)
		}
	})
}

// driveEmptyPages has the second page come without items, and the third, and two in a row.
func driveEmptyPages(d *driver) {
	d.many(12)
	for nth := range 2 {
		for times := range 2 {
			end := d.fault(rig.Fault{Verbs: []string{"list"}, Continued: ptr(true), Nth: nth + 1, Times: times + 1, Empty: true})
			d.list("c1", metav1.ListOptions{Limit: 5})
			end()
		}
	}
}
