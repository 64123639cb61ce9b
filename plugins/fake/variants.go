package fake

import (
	"slices"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/fakes/apiserver"
	servers "github.com/lwtest/lwtest/fakes/apiserver/mutants"
	"github.com/lwtest/lwtest/fakes/apiserver/oddities"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/mutants"
	"github.com/lwtest/lwtest/plugins/resources"
)

// Mutants are the fakes with exactly one fault, each with the rule that must flag it.
func Mutants() []mutants.Target { return mutantTargets("mutant", servers.All()) }

// Nulls are the fakes that withhold something: they must pass nothing about it.
func Nulls() []mutants.Target { return mutantTargets("null", servers.Nulls()) }

func mutantTargets(sort string, ms []servers.Mutant) []mutants.Target {
	var out []mutants.Target
	for _, m := range ms {
		v := variant(sort, m.Name, m.Rule, m.About, of(m.Resource), m.Open)
		v.Withholds = m.Withholds
		out = append(out, v)
	}
	return out
}

// of is the resource that a server is tested with; "": ConfigMaps.
func of(name string) resources.Resource {
	r, err := resources.Find(name)
	if err != nil {
		panic(err) // it is one of a mutant of ours
	}
	return r
}

// lacks are features that an oddity is the lack of, beside what ConfigMaps lack.
var lacks = map[string][]harness.Feature{
	"put-needs-version":     {watchcache.PlainUpdate},
	"starts-stale":          {watchcache.WatchList},
	"put-creates":           {watchcache.UpdateNeedsObject},
	"shards-unknown":        {watchcache.Shards},
	"bookmarks-none":        {watchcache.Bookmarks},
	"bookmarks-none-at-all": {watchcache.Bookmarks, watchcache.WatchList},
	"streams-refused":       {watchcache.WatchList},
	"limits-ignored":        {watchcache.Pages},
	"labels-ignored":        {watchcache.LabelWatch},
	"fields-ignored":        {watchcache.FieldWatch},
	"selectors-refused":     {watchcache.LabelWatch, watchcache.FieldWatch},
	"dry-runs-done":         {watchcache.DryRun},
	"preconditions-ignored": {watchcache.Precondition},
	"collections-refused":   {watchcache.DeleteCollection},
	"names-given":           {watchcache.GenerateName},
	// It takes the digest of what is sent, which a patch merges first.
	"admission-digests": {watchcache.Patch, watchcache.Apply, watchcache.JSONPatch, watchcache.StrategicPatch},
	"patches-refused":   {watchcache.Patch, watchcache.Apply, watchcache.JSONPatch, watchcache.StrategicPatch},
}

// gains are features that an oddity has, and that ConfigMaps lack.
var gains = map[string]harness.Feature{
	"put-creates":    watchcache.CreateOnUpdate,
	"past-forgotten": watchcache.NoPastStates,
}

// Oddities are odd but correct: every check passes on each.
func Oddities() []mutants.Target {
	var out []mutants.Target
	for _, o := range oddities.All() {
		r := of(o.Resource)
		has := func(f harness.Feature) bool { return f == gains[o.Name] }
		r.Lacks = slices.DeleteFunc(slices.Concat(r.Lacks, lacks[o.Name]), has)
		out = append(out, variant("oddity", o.Name, o.Clause, o.About, r, o.Open))
	}
	return out
}

func variant(sort, name, rule, about string, r resources.Resource, open func(apiserver.Options) (apiserver.API, *apiserver.Server)) mutants.Target {
	target := "fake:" + sort + "/" + name
	return mutants.Target{Name: name, Rule: rule, About: about, Target: harness.Target{Name: target},
		Cases: func() []harness.Case { return casesOf(target, r, open) }}
}
