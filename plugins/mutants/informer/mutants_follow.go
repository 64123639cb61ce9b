package informer

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	conformance "github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/plugins/mutants"
)

// convergeMutants have a fault in what their content becomes.
var convergeMutants = []variant{
	{"adds-unkept", "converge/equal", "what is created later is not kept", lists, ifPut(func(i *informer, o object, initial bool) bool {
		_, there := i.items[o.key]
		return there || i.relists || !i.synced
	})},
	{"updates-unkept", "converge/equal", "what changes is not kept", lists, ifPut(func(i *informer, o object, initial bool) bool {
		_, there := i.items[o.key]
		return !there || i.relists
	})},
	{"deletes-unkept", "converge/equal", "what is deleted stays", lists, ifDrop(func(i *informer, last object, unknown bool) bool { return unknown })},
	{"watches-unselected", "converge/equal", "its lists have its selectors, and its watches have not", lists, asking(aWatch, func(_ *informer, o *metav1.ListOptions) { o.LabelSelector, o.FieldSelector = "", "" })},
	{"leaves-unkept", "converge/equal", "an object that its selectors do not choose any more stays", lists, ifDrop(func(i *informer, last object, unknown bool) bool { return i.config.LabelSelector == "" || unknown })},
	{"same-version-unheard", "converge/deletes", "an event whose resourceVersion is that of the one before is left out", lists, taking(func(i *informer, o object) bool { return older(i.at.version, o.version) })},
	{"version-int32", "converge/equal", "an event whose resourceVersion does not fit 32 bits is left out", lists, taking(func(_ *informer, o object) bool {
		_, err := strconv.ParseInt(o.version, 10, 32)
		return err == nil
	})},
	{"version-float", "resume/version", "a resourceVersion is kept as a floating-point number", lists, onSeen(func(i *informer, kind, version string, right versionFunc) {
		f, _ := strconv.ParseFloat(version, 64)
		right(kind, strconv.FormatFloat(f, 'f', 0, 64))
	})},
	{"watches-once", "converge/equal", "it does nothing more when its watch has ended", lists, onNext(func(i *informer, what string, err error, right nextFunc) time.Duration {
		if pause := right(what, err); what != aWatch {
			return pause
		}
		return never
	})},
	{"client-go-0.16.4-relist", "converge/no-time-travel", "as client-go 0.16.4 (kubernetes#59848): it lists at 0 when its watch has ended, and takes what comes", lists,
		each(relisting, asking(aList, func(_ *informer, o *metav1.ListOptions) { o.ResourceVersion, o.ResourceVersionMatch = "0", "" }))},
	{"streams-at-zero", "converge/no-time-travel", "the same with streaming lists", streams,
		each(relisting, asking(aStream, func(_ *informer, o *metav1.ListOptions) { o.ResourceVersion = "0" }))},
	{"watches-at-zero", "converge/no-time-travel", "it watches from 0 when its watch has ended, and takes what comes", lists, func(i *informer) {
		n := 0
		asking(aWatch, func(_ *informer, o *metav1.ListOptions) {
			if n++; n > 1 {
				o.ResourceVersion = "0"
			}
		})(i)
	}},
	{"client-node-0.13.1-relist", "converge/deletes", "as the JavaScript client 0.13.1: a list takes nothing away", lists, ifDrop(func(i *informer, last object, unknown bool) bool { return !unknown })},
	{"emptied-kept", "converge/deletes", "a later list of nothing takes nothing away", lists, emptying},
	{"emptied-stream-kept", "converge/deletes", "so does a streaming list", streams, emptying},
	{"vanished-untold", "converge/deletes", "nobody is told of what a list lacks", lists, untold(func(c change) bool { return c.unknown })},
	{"vanished-twice", "converge/deletes", "handlers are told twice of what a list lacks", lists, telling(func(_ *informer, c change, tell func(change)) {
		if tell(c); c.unknown {
			tell(c)
		}
	})},
	{"recreated-untold", "converge/recreated", "nobody is told of what a list has under another uid", lists, recreating(func(i *informer, _, o object) { i.keep(o) })},
	{"recreated-unkept", "converge/recreated", "what a list has under another uid is taken for the same", lists, recreating(func(*informer, object, object) {})},
	{"recreated-deleted", "converge/recreated", "of what a list has under another uid the delete alone is told", lists, recreating(func(i *informer, was, o object) {
		i.drop(was, true)
		i.keep(o)
	})},
}

// taking takes some events of objects alone.
func taking(which func(*informer, object) bool) func(*informer) {
	return func(i *informer) {
		put, drop := i.put, i.drop
		i.put = func(o object, initial bool) {
			if i.relists || !i.synced || which(i, o) {
				put(o, initial)
			}
		}
		i.drop = func(last object, unknown bool) {
			if unknown || which(i, last) {
				drop(last, unknown)
			}
		}
	}
}

// emptying takes no notice of a later list of nothing.
func emptying(i *informer) {
	right := i.replace
	i.replace = func(all []object, version string) {
		if len(all) > 0 || !i.synced {
			right(all, version)
		}
	}
}

// relisting lists whenever a watch has ended.
func relisting(i *informer) {
	right := i.next
	i.next = func(what string, err error) time.Duration {
		pause := right(what, err)
		i.at.listed = i.at.listed && what != aWatch
		return pause
	}
}

// restreaming has each streaming list go on as a watch, and another follow it.
func restreaming(i *informer) {
	i.stays = true
	right := i.next
	i.next = func(what string, err error) time.Duration {
		pause := right(what, err)
		if i.heard {
			i.heard, i.at.listed, i.at.streams = false, false, i.streams
		}
		return pause
	}
}

// recreating has f take an object of a list that has another uid than the one that is there.
func recreating(f func(i *informer, was, o object)) func(*informer) {
	return onPut(func(i *informer, o object, initial bool, right putFunc) {
		if was, there := i.items[o.key]; there && was.uid != o.uid && i.relists {
			f(i, was, o)
			return
		}
		right(o, initial)
	})
}

// resumeMutants have a fault in what they ask for when a watch has ended, or something has failed.
var resumeMutants = []variant{
	{"client-node-1.2.0-resume", "resume/version", "as the JavaScript client 1.2.0: each watch starts where the list was", lists, hearing(replaced)},
	{"bookmarks-unheard", "resume/version", "bookmarks do not count", lists, hearing(replaced, "ADDED", "MODIFIED", "DELETED")},
	{"cloudcoil-116", "resume/version", "as cloudcoil#116: it ends its watch at a bookmark, which it cannot read, and goes on from before", lists,
		each(hearing(replaced, "ADDED", "MODIFIED", "DELETED"), leavingAtBookmarks)},
	{"bookmarks-undecoded", "resume/version", "so, and that is a failure, after which it pauses", lists,
		each(hearing(replaced, "ADDED", "MODIFIED", "DELETED"), leavingAtBookmarks, onNext(func(_ *informer, what string, err error, right nextFunc) time.Duration {
			return max(right(what, err), time.Second)
		}))},
	{"deletes-unheard", "resume/version", "deletes do not count", lists, hearing(replaced, "ADDED", "MODIFIED", bookmarked)},
	{"resumes-unset", "resume/version", "a watch that follows another has no resourceVersion", lists, resuming(func(o *metav1.ListOptions, _ string) { o.ResourceVersion = "" })},
	{"resumes-at-zero", "resume/version", "a watch that follows another starts at 0", lists, resuming(func(o *metav1.ListOptions, _ string) { o.ResourceVersion = "0" })},
	{"resumes-as-before", "resume/version", "a watch that follows another starts where that did", lists, resuming(func(o *metav1.ListOptions, last string) { o.ResourceVersion = last })},
	{"relists-older", "resume/version", "a watch is followed by a list that may be as old as the first", lists, each(relisting, func(i *informer) {
		first := ""
		asking(aList, func(i *informer, o *metav1.ListOptions) {
			if first == "" {
				first = i.at.version
			}
			o.ResourceVersion = first
		})(i)
	})},
	{"relists-always", "resume/no-relist", "each watch is followed by a list", lists, relisting},
	{"client-node-0.16.0-expired", "resume/expired", "as the JavaScript client 0.16.0: an ERROR 410 is taken for an end", lists, failing(of(aWatch, all(isExpired, isInStream)), watchAgain)},
	{"expired-watch-again", "resume/expired", "a watch that is refused with 410 is asked for again", lists, failing(of(aWatch, all(isExpired, not(isInStream))), watchAgain)},
	{"expired-list-exact", "resume/expired", "what follows a 410 is a list at exactly there", lists, asking(aList, func(_ *informer, o *metav1.ListOptions) {
		if o.ResourceVersion != "" {
			o.ResourceVersionMatch = metav1.ResourceVersionMatchExact
		}
	})},
	{"expired-list-limited", "resume/expired", "what follows a 410 is a list with a limit, which is exact", lists, asking(aList, func(_ *informer, o *metav1.ListOptions) { o.ResourceVersionMatch = "" })},
	{"expired-list-again", "resume/expired", "a list that is refused with 410 is asked for again", lists, failing(of(aList, isExpired), sameAgain)},
	{"expired-page-exact", "resume/expired", "what follows a page that is refused with 410 is a list at exactly there", lists, func(i *informer) {
		exact := ""
		i.breaks = func(_ []object, p page, err error) error { exact = p.version; return err }
		asking(aList, func(_ *informer, o *metav1.ListOptions) {
			if exact != "" {
				o.ResourceVersion, o.ResourceVersionMatch = exact, metav1.ResourceVersionMatchExact
			}
		})(i)
	}},
	{"expired-stream-again", "resume/expired", "a streaming list that is refused with 410 is asked for again", streams, failing(of(aStream, isExpired), sameAgain)},
	{"expired-stops", "resume/errors", "a 410 is the end", lists, failing(isExpired, wedged)},
	{"client-go-0.18.5-too-large", "resume/too-large", "as client-go 0.18.5 (kubernetes#91073): a list of a version that is too large is asked for again", lists, failing(isTooLarge, sameAgain)},
	{"client-go-0.18.5-too-large-http", "resume/too-large", "so by HTTP", wiredLists, failing(isTooLarge, sameAgain)},
	{"client-go-0.18.5-too-large-not-go", "resume/too-large", "so by HTTP, and of what does not claim to behave as client-go's", notGo, failing(isTooLarge, sameAgain)},
	{"too-large-watch-again", "resume/too-large", "a watch from a version that is too large is asked for again", lists, failing(of(aWatch, isTooLarge), watchAgain)},
	{"error-erases-version", "resume/version", "a watch that ended with an ERROR other than 410 is followed by one from no version", lists, failing(of(aWatch, all(isInStream, not(isExpired))), forgetsVersion)},
	{"watches-first", "sync/list-first", "it begins with a watch, and lists when that has failed", lists, func(i *informer) { i.at.listed = true }},
	{"fabric8-1943", "resume/connections", "as fabric8#1943: a watch that has failed stays open until the informer stops", lists, closingLate},
	{"refused-left-open", "resume/connections", "an answer that is an error is not read to its end, nor closed", wiredLists, wraps(mutants.LeavesRefused(0))},
	{"watches-beside", "resume/connections", "it opens a watch from each event on, and leaves those before open until it stops", lists, each(closingLate, func(i *informer) {
		i.quits = func(watch.Event) bool { return true }
	})},
	{"too-large-stream-again", "resume/too-large", "so is a streaming list", streams, failing(isTooLarge, sameAgain)},
}

// forgetsVersion has an ERROR erase the version that a watch goes on from.
func forgetsVersion(i *informer, pause time.Duration) time.Duration {
	i.at.version = ""
	return watchAgain(i, pause)
}

// closingLate closes its watches when it stops.
func closingLate(i *informer) {
	var open []func()
	i.closes = func(stop func()) { open = append(open, stop) }
	right := i.follow
	i.follows = func(ctx context.Context) {
		right(ctx)
		for _, stop := range open {
			stop()
		}
	}
}

// hearing takes the resourceVersions of these kinds alone.
func hearing(kinds ...string) func(*informer) {
	return onSeen(func(i *informer, kind, version string, right versionFunc) {
		for _, k := range kinds {
			if k == kind {
				right(kind, version)
			}
		}
	})
}

// leavingAtBookmarks ends its watch at each bookmark.
func leavingAtBookmarks(i *informer) {
	i.quits = func(e watch.Event) bool { return e.Type == watch.Bookmark }
}

// resuming changes the options of a watch that follows another; last is where that started.
func resuming(f func(o *metav1.ListOptions, last string)) func(*informer) {
	return func(i *informer) {
		last := ""
		i.asks = func(what string, o *metav1.ListOptions) {
			now := o.ResourceVersion
			if what == aWatch && last != "" {
				f(o, last)
				now = o.ResourceVersion
			}
			if last = ""; what == aWatch {
				last = now
			}
		}
	}
}

func watchAgain(i *informer, pause time.Duration) time.Duration {
	i.at.listed = true
	return pause
}

func listAgain(i *informer, pause time.Duration) time.Duration {
	i.at.listed = false
	return pause
}

func sameAgain(i *informer, _ time.Duration) time.Duration {
	i.at.recent, i.at.streams = false, i.at.streams || i.streams
	return i.grows(i.at.failures)
}

// errorMutants have a fault in how they bear with errors.
var errorMutants = []variant{
	{"list-429-ends-it", "resume/errors", "a list that is refused with 429 is the end", lists, ending(aList, coded(429))},
	{"list-500-ends-it", "resume/errors", "a list that is refused with 500 is the end", lists, ending(aList, coded(500))},
	{"list-503-ends-it", "resume/errors", "a list that is refused with 503 is the end", lists, ending(aList, coded(503))},
	{"list-cut-ends-it", "resume/errors", "a list without an answer is the end", wiredLists, ending(aList, unanswered)},
	{"list-502-ends-it", "resume/errors", "a list that is refused with 502, by a page for people, is the end", wiredLists, ending(aList, coded(502))},
	{"html-ends-it", "resume/errors", "a page for people in the place of a list is the end", wiredLists, ending(aList, func(_ string, err error) bool { return strings.Contains(err.Error(), "text/html") })},
	{"status-is-list", "sync/has-synced", "a Status in the place of a list, as if it were one, is taken for a list of nothing", wiredLists, onServerList(func(i *informer, ctx context.Context, o metav1.ListOptions, right listFunc) (page, error) {
		p, err := right(ctx, o)
		if s, ok := status(err); ok && s.Message == "not now" {
			return page{version: o.ResourceVersion}, nil
		}
		return p, err
	})},
	{"watch-429-ends-it", "resume/errors", "a watch that is refused with 429 is the end", lists, ending(aWatch, coded(429))},
	{"watch-500-ends-it", "resume/errors", "a watch that is refused with 500, or ends so, is the end", lists, ending(aWatch, coded(500))},
	{"short-ends-it", "converge/equal", "a watch that brings nothing is the end", lists, ending(aWatch, isShort)},
	{"third-ends-it", "resume/errors", "the third failure in a row is the end", lists, givingUpAfter(2)},
	{"no-pause", "resume/pace", "a failure is followed by no pause", lists, hurrying(always)},
	{"polls-no-pause", "resume/pace", "it polls, and a list that failed is followed by no pause", base{has: with(conformance.Polls)}, func(i *informer) {
		polling(i)
		hurrying(always)(i)
	}},
	{"client-node-1933", "resume/busy-loop", "as client-node#1933: it asks again a twentieth of a second after each failure", lists, func(i *informer) {
		i.grows = func(int) time.Duration { return 50 * time.Millisecond }
	}},
	{"hot-401", "resume/busy-loop", "it asks again a hundredth of a second after a 401", lists, soonAgain(coded(401))},
	{"hot-403", "resume/busy-loop", "it asks again a hundredth of a second after a 403", lists, soonAgain(coded(403))},
	{"hot-404", "resume/busy-loop", "it asks again a hundredth of a second after a 404", lists, soonAgain(coded(404))},
	{"hot-broken", "resume/busy-loop", "it asks again a hundredth of a second after a connection broke", wiredLists, soonAgain(unanswered)},
	{"hot-short", "resume/busy-loop", "it asks again a hundredth of a second after a watch that brought nothing", lists, soonAgain(isShort)},
	{"deletes-undecoded", "resume/busy-loop", "it cannot decode an event of a deletion, and at once watches from before it again", lists,
		each(hearing(replaced, "ADDED", "MODIFIED", bookmarked), ifDrop(func(_ *informer, _ object, unknown bool) bool { return unknown }), func(i *informer) {
			i.quits = func(e watch.Event) bool { return e.Type == watch.Deleted }
		})},
	{"steady-pause", "resume/pace", "each pause is a second", lists, func(i *informer) { i.grows = func(int) time.Duration { return time.Second } }},
	{"short-no-pause", "resume/pace", "a watch that brings nothing is followed by no pause", lists, hurrying(isShort)},
	{"stream-errors-no-pause", "resume/pace", "an ERROR is followed by the same watch, and by no pause", lists, failing(of(aWatch, all(isInStream, not(isExpired), not(isTooLarge))), func(i *informer, _ time.Duration) time.Duration { return watchAgain(i, 0) })},
	{"watch-no-pause", "resume/pace", "a watch that is refused is followed by no pause", lists, hurrying(of(aWatch, always))},
	{"retry-after-ignored", "resume/retry-after", "what an error says of when to come back is ignored", lists, func(i *informer) { i.waits = func(error) time.Duration { return 0 } }},
	{"retry-after-of-lists", "resume/retry-after", "what the error of a watch says of that is", lists, waiting(of(aList, always))},
	{"retry-after-refused", "resume/retry-after", "what an ERROR says of that is", lists, waiting(not(isInStream))},
	{"hook-untold", "resume/permanent", "the hook is not told of errors", lists, func(i *informer) { i.fails = func(string, error) {} }},
	{"hook-told-of-lists", "resume/permanent", "the hook is not told of errors of watches, after which there is a watch again", lists, func(i *informer) {
		failing(func(what string, _ error) bool { return what == aWatch }, watchAgain)(i)
		right := i.fails
		i.fails = func(what string, err error) {
			if what != aWatch {
				right(what, err)
			}
		}
	}},
	{"permanent-often", "resume/permanent", "what is forbidden is asked for again at once, up to twenty times", lists, hurrying(coded(401, 403, 404))},
}

// unanswered says of an error that it is no server's.
func unanswered(_ string, err error) bool {
	_, ok := status(err)
	return !ok && !errors.Is(err, errShort) && !errors.Is(err, errUnfinished)
}

func ending(what string, so func(string, error) bool) func(*informer) {
	return failing(of(what, so), wedged)
}

// givingUpAfter is the end of what fails more often in a row.
func givingUpAfter(failures int) func(*informer) {
	return func(i *informer) { failing(func(string, error) bool { return i.at.failures > failures }, wedged)(i) }
}

// soonAgain pauses for a hundredth of a second after some failures, however many there are.
func soonAgain(so failure) func(*informer) {
	return failing(so, func(*informer, time.Duration) time.Duration { return 10 * time.Millisecond })
}

// hurrying makes no pause to speak of after the first twenty such failures in a row.
func hurrying(so func(string, error) bool) func(*informer) {
	return failing(so, func(i *informer, pause time.Duration) time.Duration {
		if i.at.failures > 20 {
			return pause
		}
		return time.Millisecond
	})
}

// anyway is the pause after a failure, whatever its error says.
func anyway(i *informer, _ time.Duration) time.Duration { return i.grows(i.at.failures) }

// waiting waits for what an error says, for some alone.
func waiting(so func(string, error) bool) func(*informer) {
	return failing(not(so), anyway)
}
