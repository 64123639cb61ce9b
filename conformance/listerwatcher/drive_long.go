package listerwatcher

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
)

// driveWatchLong has objects of more bytes than one reads at once be there, come, change and go, with short ones between them.
func driveWatchLong(d *driver) {
	d.long("there", "1")
	open := there([]*reading{
		d.watch("unset", metav1.ListOptions{}),
		d.watch("now", metav1.ListOptions{ResourceVersion: d.now()}),
	})
	d.long("came", "1")
	d.long("came", "2")
	for i := range rig.Sizes {
		d.remove(fmt.Sprint("there", i))
	}
	d.settle(open...)
}

func driveListLong(d *driver) {
	d.long("m", "1")
	d.list("c1", metav1.ListOptions{})
	d.long("m", "2")
	d.pages(d.list)
}

// long puts an object of each size, and a short one after each.
func (d *driver) long(name, content string) {
	for i, n := range rig.Sizes {
		d.putLong(fmt.Sprint(name, i), content, n)
		d.put(name+"-short", fmt.Sprint(content, i))
	}
}
