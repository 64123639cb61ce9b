package informer

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/lwtest/lwtest/conformance/rig"
)

// driveLosses has objects lose each part that they have, and nothing else change: seen by a watch, and unseen; one that was not
// to be changed is deleted, seen and unseen, and made anew as one that may be.
func driveLosses(d *driver) {
	all := rig.Losses(d.t.Virtual())
	for _, l := range all {
		for _, when := range []string{"seen-", "unseen-"} {
			d.putObject(d.partly(when+l.Name, l.Have))
		}
	}
	d.putObject(d.partly("whole-listed", rig.Whole))
	d.putFixed("seen-fixed")
	d.putFixed("unseen-fixed")
	d.hear()
	d.start()
	d.settle()
	lose := func(when string) {
		for _, l := range all {
			d.putObject(d.partly(when+l.Name, l.Have, l.Lose))
		}
		d.remove(when + "fixed")
		d.put(when+"fixed", "fixed")
	}
	lose("seen-")
	d.putObject(d.partly("whole-seen", rig.Whole))
	d.settle()
	d.away(func() { lose("unseen-") })
	d.settle()
	for _, name := range []string{"whole-listed", "whole-seen"} { // whose finalizers would keep them for ever
		d.putObject(d.partly(name))
	}
	d.settle()
}

// partly is an object to which some things are done.
func (d *driver) partly(name string, done ...func(*corev1.ConfigMap)) *corev1.ConfigMap {
	m := d.configMap(d.home, name, "1", map[string]string{"app": "one"})
	for _, f := range done {
		f(m)
	}
	return m
}
