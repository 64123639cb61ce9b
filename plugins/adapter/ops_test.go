package adapter

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// exchange is lines in, each with the line out.
func (k *talk) exchange(pairs ...string) {
	k.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		k.say(pairs[i])
		k.hear(pairs[i+1])
	}
}

func TestStoreOps(t *testing.T) {
	k := speak(t, Adapter{Store: StoreOffer{Open: openMap}})
	const a = `{"namespace":"n","name":"a","resourceVersion":"1","values":["x"],"body":"b"}`
	k.exchange(
		`{"id":1,"op":"store.open","h":"s","indexers":["value"],"ttlMs":5}`, `{"id":1,"ok":{}}`,
		`{"id":2,"op":"store.apply","h":"s","changes":[{"verb":"ADD","object":`+a+`}]}`, `{"id":2,"ok":{}}`,
		`{"id":3,"op":"store.get","h":"s","key":"n/a"}`, `{"id":3,"ok":{"object":`+a+`}}`,
		`{"id":4,"op":"store.get","h":"s","object":{"namespace":"n","name":"a"}}`, `{"id":4,"ok":{"object":`+a+`}}`,
		`{"id":5,"op":"store.get","h":"s","key":"gone"}`, `{"id":5,"ok":{}}`,
		`{"id":6,"op":"store.list","h":"s"}`, `{"id":6,"ok":{"objects":[`+a+`]}}`,
		`{"id":7,"op":"store.keys","h":"s"}`, `{"id":7,"ok":{"names":["n/a"]}}`,
		`{"id":8,"op":"store.index","h":"s","index":"namespace","object":`+a+`}`, `{"id":8,"ok":{"objects":[`+a+`]}}`,
		`{"id":9,"op":"store.index","h":"s","index":"value","value":"y"}`, `{"id":9,"ok":{"objects":[]}}`,
		`{"id":10,"op":"store.indexkeys","h":"s","index":"value","value":"x"}`, `{"id":10,"ok":{"names":["n/a"]}}`,
		`{"id":11,"op":"store.indexvalues","h":"s","index":"value"}`, `{"id":11,"ok":{"names":[]}}`,
		`{"id":12,"op":"store.addindexers","h":"s","indexers":["namespace"]}`, `{"id":12,"ok":{}}`,
		`{"id":13,"op":"store.replace","h":"s","objects":[],"resourceVersion":"9"}`, `{"id":13,"ok":{}}`,
		`{"id":14,"op":"store.version","h":"s"}`, `{"id":14,"ok":{"resourceVersion":"9"}}`,
		`{"id":15,"op":"store.bookmark","h":"s","resourceVersion":"11"}`, `{"id":15,"ok":{}}`,
		`{"id":16,"op":"store.version","h":"s"}`, `{"id":16,"ok":{"resourceVersion":"11"}}`,
		`{"id":17,"op":"store.resync","h":"s"}`, `{"id":17,"ok":{}}`,
		`{"id":18,"op":"store.apply","h":"s","changes":[{"verb":"ADD","object":{"name":"no-key"}}]}`, `{"id":18,"err":{"code":"key","msg":"the object has no key"}}`,
		`{"id":19,"op":"store.apply","h":"s","batch":true,"changes":[{"verb":"ADD","object":`+a+`},{"verb":"DELETE","object":`+a+`,"unknown":true}]}`, `{"id":19,"ok":{}}`,
		`{"id":20,"op":"store.list","h":"s"}`, `{"id":20,"ok":{"objects":[]}}`,
		`{"id":21,"op":"queue.pop","h":"s"}`, `{"id":21,"skip":"a *adapter.aMap has no Queue"}`,
	)
}

func TestQueueOps(t *testing.T) {
	k := speak(t, Adapter{Store: StoreOffer{Open: openQueue}})
	k.exchange(
		`{"id":1,"op":"store.open","h":"q"}`, `{"id":1,"ok":{}}`,
		`{"id":2,"op":"queue.synced","h":"q"}`, `{"id":2,"ok":{"synced":true}}`,
		`{"id":3,"op":"queue.pop","h":"q","batch":true}`, `{"id":3,"ok":{"deltas":[{"type":"Added"}]}}`,
	)
	k.say(`{"id":4,"op":"queue.pop","h":"q"}`)
	k.say(`{"id":5,"op":"queue.close","h":"q"}`)
	k.both(`{"id":5,"ok":{}}`, `{"id":4,"err":{"code":"closed","msg":"the queue is closed"}}`)
	k.exchange(`{"id":6,"op":"case.end"}`, `{"id":6,"ok":{}}`) // it is not closed twice
}

func TestInformerOps(t *testing.T) {
	var f *fake
	k := speak(t, Adapter{Informer: InformerOffer{New: func(c InformerConfig) (Informer, error) {
		i, err := newFake(c)
		f = i.(*fake)
		return i, err
	}}})
	k.exchange(
		`{"id":1,"op":"inf.open","h":"i","server":{"url":"http://x"},"resource":{"version":"v1","resource":"configmaps"},"resyncMs":2000,"pageSize":3,"transform":"mark","index":"app","failures":true,"pushes":true}`, `{"id":1,"ok":{}}`,
		`{"id":2,"op":"inf.handle","h":"i","as":"h1","periodMs":5,"hold":true}`, `{"id":2,"ok":{}}`,
		`{"id":3,"op":"inf.handled","h":"i","as":"h1"}`, `{"id":3,"ok":{"synced":true}}`,
		`{"id":4,"op":"inf.write","h":"i","key":"a","note":"n"}`, `{"id":4,"ok":{"object":{"note":"n"}}}`,
		`{"id":5,"op":"inf.write","h":"i","key":"a","note":""}`, `{"id":5,"err":{"msg":"refused","definite":true}}`,
		`{"id":6,"op":"inf.get","h":"i","key":"a"}`, `{"id":6,"ok":{"object":{"note":"n"}}}`,
		`{"id":7,"op":"inf.get","h":"i","key":"b"}`, `{"id":7,"ok":{}}`,
		`{"id":8,"op":"inf.read","h":"i","key":"a"}`, `{"id":8,"ok":{"object":{"note":"n"}}}`,
		`{"id":9,"op":"inf.list","h":"i"}`, `{"id":9,"ok":{"objects":[]}}`,
		`{"id":10,"op":"inf.index","h":"i","value":"x"}`, `{"id":10,"ok":{"objects":[{"note":"n"}]}}`,
		`{"id":11,"op":"inf.version","h":"i"}`, `{"id":11,"ok":{"resourceVersion":"7"}}`,
		`{"id":12,"op":"inf.synced","h":"i"}`, `{"id":12,"ok":{"synced":true}}`,
	)
	if f.config.Resync.Seconds() != 2 || f.config.PageSize != 3 || f.config.Transform != Mark || f.config.Index != ByApp {
		t.Errorf("it was configured by %+v", f.config)
	}
	if f.period != 5*time.Millisecond {
		t.Errorf("the handler's period is %s", f.period)
	}
	f.config.Failed(fmt.Errorf("a list: %w", expired))
	k.hear(`{"ev":"failed","h":"i","err":{"msg":"a list: too old","status":{"code":410}}}`)
	f.config.Push(nil)
	k.hear(`{"ev":"pushed","h":"i","objects":[]}`)

	returned := make(chan struct{})
	go func() {
		f.tell(Notice{Type: NoticeAdd, Object: json.RawMessage(`{"a":1}`), Initial: true})
		f.tell(Notice{Type: NoticeDelete, Key: "a", Unknown: true})
		close(returned)
	}()
	k.hear(`{"ev":"notice","h":"i","as":"h1","seq":1,"type":"ADD","object":{"a":1},"initial":true}`)
	k.exchange(`{"id":13,"op":"barrier"}`, `{"id":13,"ok":{}}`) // the second waits for the first's release
	k.say(`{"id":14,"op":"inf.release","h":"i","as":"h1","seq":1}`)
	k.both(`{"id":14,"ok":{}}`, `{"ev":"notice","h":"i","as":"h1","seq":2,"type":"DELETE","key":"a","unknown":true}`)
	k.exchange(
		`{"id":15,"op":"inf.unhandle","h":"i","as":"h1"}`, `{"id":15,"ok":{}}`,
		`{"id":16,"op":"inf.unhandle","h":"i","as":"h1","wait":true}`, `{"id":16,"ok":{}}`,
		`{"id":17,"op":"case.end"}`, `{"id":17,"ok":{}}`,
	)
	<-returned // with the case
	if !slices.Equal(f.removed, []bool{false, true}) {
		t.Errorf("handlers were taken away, waiting: %v", f.removed)
	}
}

func TestListerWatcherOps(t *testing.T) {
	k := speak(t, Adapter{ListerWatcher: ListerWatcherOffer{Open: openClient}})
	k.exchange(
		`{"id":1,"op":"lw.open","h":"c","server":{"url":"http://x"},"resource":{"group":"","version":"v1","resource":"configmaps"},"namespace":"n"}`, `{"id":1,"ok":{}}`,
		`{"id":2,"op":"lw.list","h":"c","options":{"watch":true}}`, `{"id":2,"ok":{"options":{"watch":true},"metadata":{"resourceVersion":"7"},"items":[{"watch":true}]}}`,
		`{"id":3,"op":"lw.list","h":"c","options":{"limit":1}}`, `{"id":3,"err":{"msg":"too old","status":{"code":410},"options":{"limit":2}}}`,
		`{"id":4,"op":"lw.until","h":"c","options":{},"type":"ADDED","name":"a"}`, `{"id":4,"ok":{"options":{},"event":{"type":"ADDED","object":{"name":"a"}}}}`,
		`{"id":5,"op":"lw.until","h":"c","options":{},"type":"ADDED","name":"a","unless":{"name":"a","there":true}}`, `{"id":5,"ok":{"options":{}}}`,
		`{"id":6,"op":"lw.watch","h":"c","w":"w1","options":{"resourceVersion":"7"}}`, `{"id":6,"ok":{"options":{"resourceVersion":"7"}}}`,
	)
	k.say(`{"id":7,"op":"lw.read","w":"w1"}`)
	k.say(`{"id":8,"op":"lw.stop","w":"w1"}`)
	k.both(`{"id":7,"ok":{"ended":true}}`, `{"id":8,"ok":{}}`)
	k.exchange(`{"id":9,"op":"lw.stop","w":"w1"}`, `{"id":9,"ok":{}}`)
	// The context of a watch lives on when it is open, and ends when its caller goes.
	k.exchange(`{"id":10,"op":"lw.watch","h":"c","w":"w2","options":{}}`, `{"id":10,"ok":{"options":{}}}`)
	k.say(`{"id":11,"op":"lw.read","w":"w2"}`)
	k.exchange(`{"id":12,"op":"barrier"}`, `{"id":12,"ok":{}}`)
	k.say(`{"id":13,"op":"cancel","of":10}`)
	k.both(`{"id":11,"ok":{"ended":true}}`, `{"id":13,"ok":{}}`)
	k.exchange(`{"id":14,"op":"lw.list","h":"c","options":{}}`, `{"id":14,"ok":{"options":{},"metadata":{},"items":[]}}`)
}

func TestWatchCacheOps(t *testing.T) {
	s := aServer{new([]string), new(bool)}
	k := speak(t, Adapter{WatchCache: WatchCacheOffer{Features: []string{"lag"}, Open: func() (WatchCache, error) { return s, nil }}})
	const o = `{"metadata":{"name":"a"}}`
	k.exchange(
		`{"id":1,"op":"hello","protocol":1}`, `{"id":1,"ok":{"protocol":1,"implementation":"","offers":[{"kind":"watchcache","features":["lag"]}]}}`,
		`{"id":2,"op":"wc.open","h":"s"}`, `{"id":2,"ok":{}}`,
		`{"id":3,"op":"wc.create","h":"s","namespace":"n","object":`+o+`}`, `{"id":3,"ok":{"object":`+o+`}}`,
		`{"id":4,"op":"wc.create","h":"s","namespace":"n","object":`+o+`,"dryRun":true}`, `{"id":4,"err":{"msg":"refused","status":{"code":409}}}`,
		`{"id":5,"op":"wc.update","h":"s","namespace":"n","object":`+o+`,"subresource":"status"}`, `{"id":5,"ok":{"object":`+o+`}}`,
		`{"id":6,"op":"wc.patch","h":"s","namespace":"n","name":"a","type":"t","patch":"{}","options":{"force":true}}`, `{"id":6,"ok":{"object":{}}}`,
		`{"id":7,"op":"wc.delete","h":"s","namespace":"n","name":"a","options":{}}`, `{"id":7,"ok":{}}`,
		`{"id":8,"op":"wc.deletecollection","h":"s","namespace":"n","options":{},"list":{"limit":1}}`, `{"id":8,"ok":{}}`,
		`{"id":9,"op":"wc.get","h":"s","namespace":"n","name":"a","options":{"resourceVersion":"0"}}`, `{"id":9,"ok":{"object":{"resourceVersion":"0"}}}`,
		`{"id":10,"op":"wc.list","h":"s","options":{"limit":2}}`, `{"id":10,"ok":{"metadata":{"resourceVersion":"7"},"items":[{"limit":2}]}}`,
		`{"id":11,"op":"wc.watch","h":"s","namespace":"n","options":{},"w":"w1"}`, `{"id":11,"ok":{}}`,
	)
	k.say(`{"id":12,"op":"wc.read","w":"w1"}`)
	k.say(`{"id":13,"op":"wc.stop","w":"w1"}`)
	k.both(`{"id":12,"ok":{"ended":true}}`, `{"id":13,"ok":{}}`)
	k.exchange(
		`{"id":14,"op":"wc.compact","h":"s"}`, `{"id":14,"ok":{"kept":"7"}}`,
		`{"id":15,"op":"wc.window","h":"s"}`, `{"id":15,"ok":{}}`,
		`{"id":16,"op":"wc.lag","h":"s","ms":1500}`, `{"id":16,"ok":{}}`,
		`{"id":17,"op":"wc.ready","h":"s","ready":true}`, `{"id":17,"ok":{}}`,
		`{"id":18,"op":"wc.restart","h":"s"}`, `{"id":18,"ok":{}}`,
		`{"id":19,"op":"wc.deletetogether","h":"s","namespace":"n","names":["a","b"]}`, `{"id":19,"ok":{}}`,
		`{"id":22,"op":"wc.writeother","h":"s"}`, `{"id":22,"ok":{"resourceVersion":"9"}}`,
		`{"id":23,"op":"wc.storage","h":"s","fault":{"status":"no leader"}}`, `{"id":23,"ok":{}}`,
		`{"id":24,"op":"wc.storage","h":"s"}`, `{"id":24,"ok":{}}`,
		`{"id":20,"op":"wc.list","h":"s","options":{}}`, `{"id":20,"ok":{"metadata":{},"items":[]}}`,
		`{"id":21,"op":"case.end"}`, `{"id":21,"ok":{}}`,
	)
	want := []string{"create n", "update n/status", `patch n/a t {"force":true} `, "delete n/a {}", `deletecollection n {"limit":1}`, "get n/a", "list ", "watch n",
		"compact", "window", "lag 1.5s", "ready true", "restart", "together n [a b]", "other", `storage {"status":"no leader"}`, "storage "}
	if !slices.Equal(*s.log, want) {
		t.Errorf("it was asked %q, want %q", *s.log, want)
	}
	if !*s.closed {
		t.Error("it is open still")
	}
}

// A server with an address of its own is told what no API has, and is closed with its case.
func TestServes(t *testing.T) {
	s := anAddress{aServer{new([]string), new(bool)}}
	k := speak(t, Adapter{WatchCache: WatchCacheOffer{Features: []string{"restart"}, Serve: func() (Serving, error) { return s, nil }}})
	k.exchange(
		`{"id":1,"op":"hello","protocol":1}`, `{"id":1,"ok":{"protocol":1,"implementation":"","offers":[{"kind":"watchcache","features":["restart"],"serves":true}]}}`,
		`{"id":2,"op":"wc.start","h":"s"}`, `{"id":2,"ok":{"server":{"url":"http://127.0.0.1:80","ca":"pem","token":"t"}}}`,
		`{"id":3,"op":"wc.open","h":"s"}`, `{"id":3,"err":{"msg":"this server speaks HTTP: use wc.start"}}`,
		`{"id":4,"op":"wc.restart","h":"s"}`, `{"id":4,"ok":{}}`,
		`{"id":5,"op":"case.end"}`, `{"id":5,"ok":{}}`,
	)
	if want := []string{"restart"}; !slices.Equal(*s.log, want) || !*s.closed {
		t.Errorf("it was asked %q, want %q, and is closed: %t", *s.log, want, *s.closed)
	}
	k = speak(t, Adapter{WatchCache: WatchCacheOffer{Open: openServer}})
	k.exchange(
		`{"id":1,"op":"hello","protocol":1}`, `{"id":1,"ok":{"protocol":1,"implementation":"","offers":[{"kind":"watchcache","features":[]}]}}`,
		`{"id":2,"op":"wc.start","h":"s"}`, `{"id":2,"err":{"msg":"this server does not speak HTTP: use wc.open"}}`,
	)
}

// A runtime says where it listens, and is killed, started again, and closed with its case.
func TestRuntime(t *testing.T) {
	r := aRuntime{aServer{new([]string), new(bool)}}
	k := speak(t, Adapter{Runtime: RuntimeOffer{Features: []string{"restart"}, Start: func() (Runtime, error) { return r, nil }}})
	k.exchange(
		`{"id":1,"op":"hello","protocol":1}`, `{"id":1,"ok":{"protocol":1,"implementation":"","offers":[{"kind":"runtime","features":["restart"]}]}}`,
		`{"id":2,"op":"rt.start","h":"r"}`, `{"id":2,"ok":{"socket":"/run/s","image":"i","logs":"/logs","parent":"p","beside":true}}`,
		`{"id":3,"op":"rt.kill","h":"r"}`, `{"id":3,"ok":{}}`,
		`{"id":4,"op":"rt.restart","h":"r"}`, `{"id":4,"ok":{}}`,
		`{"id":5,"op":"rt.kill","h":"x"}`, `{"id":5,"err":{"msg":"the handle \"x\" does not exist, or its case is over"}}`,
		`{"id":6,"op":"case.end"}`, `{"id":6,"ok":{}}`,
	)
	if want := []string{"kill", "restart"}; !slices.Equal(*r.log, want) || !*r.closed {
		t.Errorf("it was asked %q, want %q, and is closed: %t", *r.log, want, *r.closed)
	}
}

// An agent is started, killed, and started again; it ends with its case.
func TestNode(t *testing.T) {
	k := speak(t, Adapter{Node: NodeOffer{Features: []string{"lease"}, Config: &NodeConfig{NodeLeaseDurationSeconds: 40}, Command: sleeps}})
	k.exchange(
		`{"id":1,"op":"hello","protocol":1}`, `{"id":1,"ok":{"protocol":1,"implementation":"","offers":[{"kind":"node","features":["lease"],"config":{"nodeLeaseDurationSeconds":40}}]}}`,
		`{"id":2,"op":"node.start","h":"n","node":"a"}`, `{"id":2,"ok":{}}`,
		`{"id":3,"op":"node.start","h":"n","node":"a"}`, `{"id":3,"err":{"msg":"the agent runs already"}}`,
		`{"id":4,"op":"node.kill","h":"n"}`, `{"id":4,"ok":{}}`,
		`{"id":5,"op":"node.kill","h":"n"}`, `{"id":5,"err":{"msg":"the agent does not run"}}`,
		`{"id":6,"op":"node.start","h":"n","node":"a"}`, `{"id":6,"ok":{}}`,
		`{"id":7,"op":"node.start","h":"m"}`, `{"id":7,"err":{"msg":"the node has no name"}}`,
		`{"id":8,"op":"case.end"}`, `{"id":8,"ok":{}}`,
	)
}

func TestErrors(t *testing.T) {
	if f := failed(fmt.Errorf("%w: %w", ErrClosed, errors.New("over"))); f.Code != "closed" || f.Msg != "the queue is closed: over" {
		t.Errorf("got %+v", f)
	}
}
