package informer

import (
	"context"
	"encoding/json"
)

// nulls withhold something.
var nulls = []struct {
	variant
	withholds []string
}{
	{variant{name: "null-informer", about: "it asks for nothing, and has nothing", base: lists, fault: func(i *informer) {
		i.ask = func(ctx context.Context, _ string) error { <-ctx.Done(); return ctx.Err() }
	}}, []string{"informer/sync/", "informer/converge/", "informer/resume/", "informer/pages/", "informer/notify/", "informer/store/"}},
	{variant{name: "mute-informer", about: "it tells handlers nothing", base: lists, fault: func(i *informer) { i.queues = func(*handler, change) {} }},
		[]string{"informer/sync/initial-flag", "informer/notify/"}},
	{variant{name: "deaf-informer", about: "it asks, tells handlers, and keeps nothing", base: lists, fault: func(i *informer) {
		i.lists = func() []object { return nil }
		i.gets = func(string) json.RawMessage { return nil }
		i.reindex = func(_, _ *object) {}
		i.config.Push = nil
	}}, []string{"informer/converge/equal", "informer/notify/after-store", "informer/store/index", "informer/store/snapshot", "informer/store/push"}},
}

// enter has a handler among the others, without a word.
func (i *informer) enter(h *handler) { i.handlers, h.joined = append(i.handlers, h), i.synced }
