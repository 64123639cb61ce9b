package main

import (
	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/plugins/fake"
	"github.com/lwtest/lwtest/plugins/fakeclientset"
	hostile "github.com/lwtest/lwtest/plugins/mutants/watchcache"
)

// targets is the one list of what can be tested.
var targets = []scheme{
	{name: "fake", arg: "[VARIANT]", help: "lwtest's own API server; fake:mutant/NAME breaks one rule, fake:oddity/NAME is odd but correct", open: fake.Open},
	{name: "go:fakeclientset", help: "client-go's kubernetes/fake", open: fakeclientset.Open},
	{name: "hostile", arg: "NAME", hidden: true, open: hostile.Open},
}

// defaults are tested where nothing is named.
var defaults = []string{"fake", "go:fakeclientset"}

// kinds is the one list of suites.
var kinds = []kind{
	{about: watchcache.Suite.Describe(), normalise: replay.Normalise},
}
