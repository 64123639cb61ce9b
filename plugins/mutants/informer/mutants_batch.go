package informer

import "time"

// batchMutants have a fault in what they do with changes that come all at once, which is when a queue between watch and
// store gives them in batches.
var batchMutants = []variant{
	{"batch-deletes-untold", "notify/complete", "of deletes that come amid many changes at once nobody is told", lists, inBatches(func(_ *informer, c change, tell func(change)) {
		if !deleted(c) {
			tell(c)
		}
	})},
	{"batch-old-is-new", "notify/order", "the old state of an update that comes amid many changes at once is the new one", lists, inBatches(func(_ *informer, c change, tell func(change)) {
		if updated(c) {
			c.old = c.now
		}
		tell(c)
	})},
	{"batch-told-before-kept", "notify/after-store", "handlers are told of updates that come amid many at once a moment before the store has them", lists, inBatches(func(i *informer, c change, tell func(change)) {
		if tell(c); updated(c) {
			i.items[c.key] = *c.old
			i.unlocked(func() { time.Sleep(time.Millisecond) })
			i.items[c.key] = *c.now
		}
	})},
	{"batch-all-initial", "sync/initial-flag", "adds that come amid many changes at once are said to be of the first ones", lists, inBatches(func(_ *informer, c change, tell func(change)) {
		c.initial = true
		tell(c)
	})},
}

// inBatches has f decide what becomes of a change to which watches have brought four others at the same instant.
func inBatches(f func(i *informer, c change, tell func(change))) func(*informer) {
	return func(i *informer) {
		n, last := 0, time.Time{}
		telling(func(i *informer, c change, tell func(change)) {
			if n++; i.relists || !i.synced || !time.Now().Equal(last) {
				n, last = 0, time.Now()
			}
			if n > 3 {
				f(i, c, tell)
			} else {
				tell(c)
			}
		})(i)
	}
}
