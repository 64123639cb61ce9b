// Package adapter is the Go side of lwtest's exec protocol: with it a program of about a hundred lines puts an
// implementation to lwtest's suites, built against whatever that needs. It needs the standard library alone.
//
//	func main() {
//		adapter.Main(adapter.Adapter{Implementation: "mine", Version: "1.2.3",
//			Store: adapter.StoreOffer{Features: []string{"map", "keys"}, Open: open}})
//	}
//
// and then
//
//	lwtest run --target 'exec:path/of/the/program'
//
// The interfaces here are those of the suites, with objects and options in JSON. What is optional is an interface of
// its own, which is looked for on what was opened when a request asks for it; the features that an offer declares say
// which of them are there, and `lwtest list --features` says what each of them promises.
package adapter

import (
	"os"
)

// Adapter is an implementation, and what of it can be put to the test: at least one offer. Where there are several
// ways of one kind, the program's arguments are to say which.
type Adapter struct {
	Implementation string // what is under test, as its users call it
	Version        string // of that; may be empty

	Store         StoreOffer
	Informer      InformerOffer
	ListerWatcher ListerWatcherOffer
	WatchCache    WatchCacheOffer
}

// Main speaks the protocol on stdin and stdout, and ends the process: with status 0 at the end of its input. It is to
// be called once, before anything else is printed. Stdout is the protocol's: what else the process prints
// there goes to stderr from now on, which is its log.
//
// A panic, in whatever goroutine, ends the process: lwtest records it with its stack.
func Main(a Adapter) {
	out, err := takeStdout()
	if err != nil {
		_, _ = os.Stderr.WriteString("the adapter has no stdout: " + err.Error() + "\n")
		os.Exit(statusMisused)
	}
	os.Exit(Serve(a, os.Stdin, out))
}

// version is the protocol's.
const version = 1

// hello is the first request.
type hello struct {
	Protocol int `json:"protocol"`
}

// helloReply says who speaks.
type helloReply struct {
	Protocol       int     `json:"protocol"`
	Implementation string  `json:"implementation"`
	Version        string  `json:"version,omitempty"`
	Offers         []offer `json:"offers"`
}

type offer struct {
	Kind     string   `json:"kind"`
	Features []string `json:"features"`
	Holds    bool     `json:"holds,omitempty"`
	Serves   bool     `json:"serves,omitempty"`
}

// says is what an Adapter says of itself.
func (a Adapter) says() helloReply {
	out := helloReply{version, a.Implementation, a.Version, []offer{}}
	add := func(there bool, o offer, features []string) {
		if there {
			o.Features = append([]string{}, features...)
			out.Offers = append(out.Offers, o)
		}
	}
	add(a.ListerWatcher.Open != nil, offer{Kind: "listerwatcher"}, a.ListerWatcher.Features)
	add(a.Informer.New != nil, offer{Kind: "informer", Holds: true}, a.Informer.Features)
	add(a.Store.Open != nil, offer{Kind: "store"}, a.Store.Features)
	add(a.WatchCache.Open != nil || a.WatchCache.Serve != nil, offer{Kind: "watchcache", Serves: a.WatchCache.Serve != nil}, a.WatchCache.Features)
	return out
}
