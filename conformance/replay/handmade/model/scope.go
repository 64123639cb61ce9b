package model

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
)

// scope is a way to narrow a list or a watch, and what it selects.
type scope struct {
	ns, labels, fields string
	has                func(*object) bool
}

// steady are the scopes of a Steady run's watches.
var steady = []scope{scopes[0], scopes[1], scopes[2], scopes[8], scopes[6]}

var scopes = []scope{
	{has: func(*object) bool { return true }},
	{labels: "app=one", has: func(o *object) bool { return o.app == "one" }},
	{ns: "a", has: func(o *object) bool { return o.ns == "a" }},
	{ns: "a-b", has: func(o *object) bool { return o.ns == "a-b" }},
	{ns: "a", labels: "app=one", has: func(o *object) bool { return o.ns == "a" && o.app == "one" }},
	{ns: "ab", labels: "app notin (one)", has: func(o *object) bool { return o.ns == "ab" && o.app != "one" }},
	{fields: "metadata.name=x0", has: func(o *object) bool { return o.name == "x0" }},
	{ns: "a", fields: "metadata.name!=x1", has: func(o *object) bool { return o.ns == "a" && o.name != "x1" }},
	{fields: "status.phase=on", has: func(o *object) bool { return o.on }},
	{ns: "ab", labels: "app=one", fields: "metadata.name=x1", has: func(o *object) bool { return o.ns == "ab" && o.app == "one" && o.name == "x1" }},
}

func (s scope) args() replay.Args {
	return replay.Args{Namespace: s.ns, Options: metav1.ListOptions{LabelSelector: s.labels, FieldSelector: s.fields}}
}
