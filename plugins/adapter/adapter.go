// Package adapter is the Go side of lwtest's exec protocol. With it a program of about a hundred lines lets lwtest test an
// implementation, built with whatever that needs. The package itself uses only the standard library.
//
//	func main() {
//		adapter.Main(adapter.Adapter{Implementation: "mine", Version: "1.2.3",
//			Store: adapter.StoreOffer{Features: []string{"map", "keys"}, Open: open}})
//	}
//
// Run it with
//
//	lwtest run --target 'exec:path/of/the/program'
//
// The interfaces are those of the suites, with objects and options in JSON. Optional parts are interfaces of their own,
// which a subject may implement. The features of an offer say which ones it implements; `lwtest list --features` says what
// each feature promises.
package adapter

import (
	"os"
)

// Adapter describes an implementation and what lwtest can test of it: at least one offer. If there are several variants
// of one kind, choose one by the program's arguments.
type Adapter struct {
	Implementation string // what is under test, by the name that its users know
	Version        string // its version; may be empty

	Store         StoreOffer
	Informer      InformerOffer
	ListerWatcher ListerWatcherOffer
	WatchCache    WatchCacheOffer
	Runtime       RuntimeOffer
	Node          NodeOffer
}

// Main speaks the protocol on stdin and stdout, and ends the process: with status 0 at the end of its input. Call it once,
// before anything is printed. Stdout belongs to the protocol: Main redirects other output to stderr, which is the log.
//
// A panic in any goroutine ends the process. lwtest records it with its stack.
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

	Config *NodeConfig `json:"config,omitempty"`
}

// says returns the answer to hello.
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
	add(a.Runtime.Start != nil, offer{Kind: "runtime"}, a.Runtime.Features)
	add(a.Node.Command != nil, offer{Kind: "node", Config: a.Node.Config}, a.Node.Features)
	return out
}
