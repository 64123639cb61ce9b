package listerwatcher

import (
	"fmt"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
)

func ptr[T any](v T) *T { return &v }

// reserved has characters that mean something else in a URL.
const reserved = "metadata.name!=a+b&c%41#d;e?f/g"

// listOptions are those that a caller may set on a list, at this resourceVersion.
func listOptions(rv string) []metav1.ListOptions {
	return []metav1.ListOptions{
		{},
		{ResourceVersion: "0"},
		{ResourceVersion: rv},
		{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchExact},
		{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan},
		{LabelSelector: "app in (one,two)"},
		{FieldSelector: "metadata.name=a"},
		{FieldSelector: reserved},
		{Limit: 1},
		{Limit: 100_000}, // more than any page has
		{TimeoutSeconds: ptr(int64(33))},
		{TimeoutSeconds: ptr(int64(0))},
		{AllowWatchBookmarks: true},
		{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchExact, LabelSelector: "app=one", FieldSelector: "metadata.name!=b", Limit: 2, TimeoutSeconds: ptr(int64(34))},
	}
}

func driveListOptions(d *driver) {
	for _, name := range []string{"a", "b", "c"} {
		d.put(name, name)
	}
	for _, o := range d.fit(listOptions(d.now())) {
		if _, l := d.list("c1", o); l != nil && l.Continue != "" {
			d.list("c1", metav1.ListOptions{Limit: 1, Continue: l.Continue})
		}
	}
}

// leaps are to resourceVersions that an int16, and an int32, does not hold, and to ones that a float64 does not have exactly.
var leaps = []uint64{1 << 15, 1 << 31, 1 << 53}

// large has something be done at resourceVersions that are as large as such, at an odd one and at an even one.
func (d *driver) large(do func(name string)) {
	r, ok := rig.Part[rig.Reviser](d.t, d.Server, rig.Revisions)
	if !ok {
		return
	}
	for i, by := range leaps {
		r.Leap(by)
		d.put("a", fmt.Sprint("before ", i)) // of which that is the step to the next
		for _, digits := range []string{"13579", "02468"} {
			name := fmt.Sprint(i, digits)
			d.put("a", name)
			if rv := d.now(); rv != "" && !strings.Contains(digits, rv[len(rv)-1:]) {
				d.put("a", name+" again")
			}
			do(name)
		}
	}
}

func driveListLarge(d *driver) {
	d.large(func(string) {
		rv := d.now()
		for _, o := range []metav1.ListOptions{{}, {ResourceVersion: rv}, {ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchExact}} {
			d.list("c1", o)
		}
	})
}

func driveWatchLarge(d *driver) {
	d.large(func(name string) {
		if r := d.watch(name, metav1.ListOptions{ResourceVersion: d.now()}); r != nil {
			d.changes(2)
			d.settle(r)
			d.end(r)
		}
	})
}

// fit leaves out what the client does not take.
func (d *driver) fit(all []metav1.ListOptions) []metav1.ListOptions {
	if !d.t.Has(FieldCalls) {
		for i := range all {
			all[i].FieldSelector = ""
		}
	}
	return all
}

// watchOptions are those that a caller may set on a watch.
func watchOptions(rv string) []metav1.ListOptions {
	return []metav1.ListOptions{
		{ResourceVersion: rv},
		{ResourceVersion: rv, AllowWatchBookmarks: true},
		{ResourceVersion: rv, LabelSelector: "app in (one,two)"},
		{ResourceVersion: rv, FieldSelector: "metadata.name=a"},
		{ResourceVersion: rv, FieldSelector: reserved},
		{ResourceVersion: rv, TimeoutSeconds: ptr(int64(333))},
		{ResourceVersion: rv, TimeoutSeconds: ptr(int64(0))},
		{ResourceVersion: rv, Limit: 2},
		{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, SendInitialEvents: ptr(true), AllowWatchBookmarks: true},
		{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, SendInitialEvents: ptr(false)},
		{ResourceVersion: rv, LabelSelector: "app=one", FieldSelector: "metadata.name!=b", TimeoutSeconds: ptr(int64(334)), AllowWatchBookmarks: true},
	}
}

func driveWatchOptions(d *driver) {
	d.put("a", "1")
	for i, o := range d.fit(watchOptions(d.now())) {
		if r := d.watch(fmt.Sprint("w", i), o); r != nil {
			d.asks(r)
			r.stop()
			<-r.done
		}
	}
}

const markLabel = "lwtest-mark"

// driveNamespaces has objects of one name in two namespaces, and asks in each way that the client has.
func driveNamespaces(d *driver) {
	both := func(name, content string) {
		d.put(name, content)
		m := d.configMap(name, content)
		m.Namespace = d.Other
		d.putObject(m)
	}
	d.mark = d.Own // nobody else's objects have it
	of := metav1.ListOptions{LabelSelector: markLabel + "=" + d.mark}
	both("a", "1")
	if _, ok := d.client.(Lister); ok && d.t.Has(Lists) {
		d.list("c1", of)
	}
	if _, ok := d.client.(Watcher); ok && d.t.Has(Watches) {
		of.ResourceVersion = d.now()
		if r := d.watch("w1", of); r != nil {
			both("a", "2")
			both("b", "1")
			d.settle(r)
			d.end(r)
		}
	}
	if _, ok := d.client.(Waiter); ok && d.t.Has(Waits) {
		d.await("u1", Condition{"ADDED", "wanted"}, func() { both("a", "3"); both("wanted", "1") })
	}
}

// asks gives a client that opens its watch after the call has returned the time to do so.
func (d *driver) asks(r *reading) {
	if d.t.Has(Retries) {
		d.arrive(r)
	}
}

func driveListsAtOnce(d *driver) {
	for _, name := range []string{"a", "b", "c"} {
		d.put(name, name)
	}
	all := d.fit(listOptions(d.now()))
	for round := range 12 {
		d.together(8, func(i int) { d.list(fmt.Sprint("c", i), all[(i+round)%len(all)]) })
	}
}

// together does so many things, begun as nearly at once as can be, and waits for them.
func (d *driver) together(n int, do func(i int)) {
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		wg.Add(1)
		d.t.Go(func() {
			defer wg.Done()
			<-begin
			do(i)
		})
	}
	close(begin)
	wg.Wait()
}

func driveWatchesAtOnce(d *driver) {
	d.put("a", "1")
	var mu sync.Mutex
	var open []*reading
	all := d.fit(watchOptions(d.now()))
	d.together(len(all), func(i int) {
		if r := d.watch(fmt.Sprint("w", i), all[i]); r != nil {
			mu.Lock()
			defer mu.Unlock()
			open = append(open, r)
		}
	})
	d.put("a", "2")
	d.put("b", "1")
	d.remove("a")
	d.settle(open...)
}

// driveEndsAtOnce lets go of watches beside one that goes on.
func driveEndsAtOnce(d *driver) {
	d.put("a", "1")
	for _, end := range []func(*reading){(*reading).stop, (*reading).leave} {
		var all []*reading
		for _, name := range []string{"first", "between", "last"} {
			if r := d.watch(name, metav1.ListOptions{ResourceVersion: d.now()}); r != nil {
				all = append(all, r)
			}
		}
		if len(all) < 3 {
			return
		}
		for _, gone := range []*reading{all[0], all[2]} {
			d.changes(2)
			d.t.Sleep(begun)
			end(gone)
			d.t.Sleep(begun)
		}
		d.changes(2)
		d.settle(all[1])
		d.end(all[1])
	}
}

// driveRetryAfter has each refusal come once, and then twice in a row.
func driveRetryAfter(d *driver) {
	refusals := []rig.Fault{
		{Status: &rig.Status{Code: 429, RetryAfter: 3}},
		{Status: &rig.Status{Code: 503, RetryAfter: 2}},
		{Answer: &rig.Answer{Code: 503, Type: "text/plain", RetryAfter: "4", Body: "busy"}},
	}
	for i, f := range refusals {
		for times := 1; times <= 2; times++ {
			f.Name, f.Nth, f.Times = fmt.Sprint("busy-", i, "-", times), 1, times
			d.ask(f, 12*time.Second) // it asks three times
		}
	}
}

// driveRefusedLong refuses more often than clients ask again within one try.
func driveRefusedLong(d *driver) {
	d.put("a", "1")
	d.follow("busy", rig.Fault{Nth: 1, Times: longerThanTries, Status: &rig.Status{Code: 429, RetryAfter: 3}})
}

// longerThanTries is more than the eleven requests that client-go makes of one.
const longerThanTries = 14

// ask has a list and a watch, as far as the client has them, meet a fault. A client that resumes by itself is let go
// of after so long.
func (d *driver) ask(f rig.Fault, tries time.Duration) {
	name := f.Name
	if _, ok := d.client.(Lister); ok && d.t.Has(Lists) {
		f.Name, f.Verbs = name+"-list", []string{"list"}
		end := d.fault(f)
		d.list("c1", metav1.ListOptions{})
		end()
	}
	if _, ok := d.client.(Watcher); ok && d.t.Has(Watches) {
		f.Name, f.Verbs = name+"-watch", []string{"watch"}
		end := d.fault(f)
		if r := d.watch(fmt.Sprint("w-", name), metav1.ListOptions{ResourceVersion: d.now()}); r != nil {
			if d.t.Has(Retries) {
				d.t.Sleep(tries)
			}
			r.stop()
			<-r.done
		}
		end()
	}
}
