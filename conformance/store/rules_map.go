package store

import (
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

type judgement = func(*history.History) harness.Judgement

var (
	basicAdd = must(ruleAdd, harness.Clause{
		Text:    "Add puts the object under its key, also where there is one",
		Sources: []harness.Source{sources.store},
		Why:     "a controller that reads its store does not see what was created",
		Advice:  "In Add, always replace what is under the key: do not return early because the key exists, or because the resourceVersion is not newer.",
		Classes: []string{"ADD key=absent outcome=ok", "ADD key=present outcome=ok"},
	}, byMap(ruleAdd), Map)
	basicUpdate = must(ruleUpdate, harness.Clause{
		Text:    "Update puts the object under its key, also where there is none",
		Sources: []harness.Source{sources.store},
		Why:     "a controller works on an old state, and each write of it conflicts",
		Advice:  "In Update, put the object in any case: do not require that the key exists, or that the resourceVersion has changed.",
		Classes: []string{"UPDATE key=absent outcome=ok", "UPDATE key=present outcome=ok"},
	}, byMap(ruleUpdate), Map)
	basicDelete = must(ruleDelete, harness.Clause{
		Text:    "Delete takes away what is under the object's key, whatever state of it is given, and does nothing where there is nothing",
		Sources: []harness.Source{sources.store},
		Why:     "a controller goes on to work for what is gone",
		Advice:  "Delete by the whole key, namespace and name: compare neither content nor version, and return without an error if nothing is there.",
		Classes: []string{"DELETE key=absent outcome=ok", "DELETE key=present outcome=ok"},
	}, byMap(ruleDelete), Map)
	basicGet = must(ruleGet, harness.Clause{
		Text:    "Get and GetByKey give what was last put under the key, and say so where there is nothing",
		Sources: []harness.Source{sources.store},
		Why:     "a controller takes for gone what is there, or the other way round",
		Advice:  "Look up the whole key, namespace and name, in the live map each time, and report a key that is not there as missing, not as an error.",
		Classes: []string{"GET key=present outcome=object", "GET key=absent outcome=nothing", "GET-BY-KEY key=present outcome=object", "GET-BY-KEY key=absent outcome=nothing"},
	}, byMap(ruleGet), Map)
	basicList = must(ruleList, harness.Clause{
		Text:    "List gives all that is there, each object once, in any order",
		Sources: []harness.Source{sources.store},
		Why:     "a controller that counts what there is makes too many or too few",
		Advice:  "Make the list from the whole map under one lock: each object once, without a limit, and without an early end of the loop.",
		Classes: []string{"LIST outcome=objects", "LIST outcome=nothing"},
	}, byMap(ruleList), Map)
	basicKeys = must(ruleKeys, harness.Clause{
		Text:    "ListKeys gives the key of each object that is there, once, in any order",
		Sources: []harness.Source{sources.store},
		Why:     "a queue that compares a list with the keys of a store misses deletions, or makes some up",
		Advice:  "Make the list of keys from the same map as List, under the same lock: each key once, and without a limit.",
		Classes: []string{"LIST-KEYS outcome=objects", "LIST-KEYS outcome=nothing"},
	}, byMap(ruleKeys), Map)
	keyError = must(ruleKeyError, harness.Clause{
		Text:    "where the key function fails, its error comes back as a KeyError, and nothing has changed",
		Sources: []harness.Source{sources.keyError},
		Why:     "an object of the wrong type is lost without a word, or takes a whole list with it",
		Advice:  "Compute all keys before you change anything, in Replace and in batches too. If one fails, return a KeyError and leave the store as it is.",
		Classes: []string{"ADD key=none outcome=KeyError", "UPDATE key=none outcome=KeyError", "DELETE key=none outcome=KeyError", "GET key=none outcome=KeyError", "REPLACE key=none outcome=KeyError"},
	}, byMap(ruleKeyError), Map, Keys)
)

var (
	replaceAtomic = must(ruleAtomic, harness.Clause{
		Text:    "a reader beside a Replace sees the old content or the new, never a mix of both",
		Sources: []harness.Source{sources.snapshot, sources.replace},
		Why:     "during a re-list a controller sees a part of its objects, and makes the others anew",
		Advice:  "Build the new map and its indexes beside the old ones, and swap them under the lock: do not empty the store and then fill it.",
		Classes: []string{"LIST-KEYS beside=true", "REPLACE beside=true"},
	}, judgeAtomic, Map)
	replaceExact = must(ruleExact, harness.Clause{
		Text:    "after Replace the content is the given list, of a key that it has twice the last, and the indexes are those of it",
		Sources: []harness.Source{sources.replace, sources.indexer},
		Why:     "what was deleted while no watch was open stays for ever, or what is new never comes",
		Advice:  "In Replace begin with an empty map, put the items in their order, so that the last of a key stays, and build every index anew from it.",
		Classes: []string{"REPLACE items=some outcome=ok", "REPLACE items=none outcome=ok", "REPLACE items=twice outcome=ok"},
	}, byMap(ruleExact), Map)
	versionTold = should(ruleVersion, harness.Clause{
		Text:    "where a resourceVersion is told, it is that of the last Replace, bookmark, or object added, updated or deleted; a delete of which the final state is unknown does not move it",
		Sources: []harness.Source{sources.version},
		Why:     "a client that waits until its store has seen its own write waits for ever, or not at all",
		Advice:  "Take over the resourceVersion of each change, list and bookmark as it is, even a lower one, under the same lock; not after a failure, nor from a tombstone.",
		Classes: []string{"VERSION outcome=ok"},
	}, judgeTold, Map, Version)
	concurrentLinear = must(ruleLinear, harness.Clause{
		Text:    "whatever is called at once, for each key there is an order of all calls in which each read, by the key or by an index, gives what was put there last",
		Sources: []harness.Source{sources.threadSafe},
		Why:     "a worker reads an older state than one that it has read before, and does its work again",
		Advice:  "Hold one lock for the whole of each read and each write, batches and indexes included, and read or write no second copy of the map.",
		Classes: []string{"ADD beside=true", "UPDATE beside=true", "DELETE beside=true", "GET beside=true", "LIST beside=true", "LIST-KEYS beside=true"},
	}, judgeLinear, Map)
)

var (
	indexFunction = must(ruleFunction, harness.Clause{
		Text: "after every change each index is the index function over the content, also where one value becomes several, several one, or none; " +
			"a value that no object has is not listed",
		Sources: []harness.Source{sources.indexer},
		Why:     "a controller that looks up pods by their node or owner misses some, or finds those of another",
		Advice:  "On each change take the key out of all its old index values, then put it under all its new ones, \"\" too, and remove a value that has no key left.",
		Classes: []string{"BY-INDEX outcome=objects", "BY-INDEX outcome=nothing", "INDEX-KEYS outcome=objects", "INDEX-KEYS outcome=nothing", "INDEX-VALUES outcome=values", "INDEX-VALUES outcome=nothing"},
	}, byMap(ruleFunction), Map, Index)
	indexQuery = must(ruleQuery, harness.Clause{
		Text:    "Index by an object gives what has any of its index values, each object once; a query of an index that there is not is an error",
		Sources: []harness.Source{sources.index},
		Why:     "work is done twice, or a misspelled index looks like an empty one",
		Advice:  "Collect the keys of all the object's index values in a set, then look up the objects. Return an error if no index has the name.",
		Classes: []string{"INDEX outcome=objects", "INDEX outcome=nothing", "INDEX outcome=error", "BY-INDEX outcome=error", "INDEX-KEYS outcome=error"},
	}, byMap(ruleQuery), Map, Index)
	indexLate = must(ruleLate, harness.Clause{
		Text:    "an indexer that is added late covers what is there, too; a second of one name is refused",
		Sources: []harness.Source{sources.addIndexers},
		Why:     "a controller that adds its index after another has started the informer sees nothing of what was there before",
		Advice:  "In AddIndexers, refuse a name that is taken, then run the new index functions over all that is in the store, under the lock.",
		Classes: []string{"ADD-INDEXERS outcome=ok", "ADD-INDEXERS outcome=error"},
	}, byMap(ruleLate), Map, Index)
)

var (
	undeltaPush = must(rulePush, harness.Clause{
		Text:    "each Add, Update, Delete and Replace is followed by one push of the whole content, which has that change; with one writer it is the content at that moment",
		Sources: []harness.Source{sources.undelta},
		Why:     "a kubelet does not hear of a pod that it is to run, or to kill",
		Advice:  "Push in the method that makes the change, after it and before you return: the whole list, also if it is empty or the object was the same.",
		Classes: []string{"PUSH outcome=objects", "PUSH outcome=nothing"},
	}, byPush(rulePush), Map, Undelta)
	undeltaNoPush = should(ruleNoPush, harness.Clause{
		Text:    "what fails, a resync and a bookmark push nothing",
		Sources: []harness.Source{sources.undeltaAdd},
		Why:     "the consumer works through its whole content for nothing",
		Advice:  "Push only after an Add, Update, Delete or Replace that succeeded: return before that on an error, and push in neither Resync nor Bookmark.",
		Classes: []string{"RESYNC outcome=ok", "BOOKMARK outcome=ok"},
	}, byPush(ruleNoPush), Map, Undelta)
	expireTTL = should(ruleTTL, harness.Clause{
		Text:    "an entry that is older than the TTL is not given by Get, GetByKey or List; each Add and Update of it makes it young; with a TTL of 0 nothing expires",
		Sources: []harness.Source{sources.expiration, sources.ttl},
		Why:     "a cache of credentials or images gives what should have been asked for anew, or asks each time",
		Advice:  "Set an entry's time on every Add, Update and Replace, even of the same object. On a read pass over what is older than the TTL, unless that is 0.",
		Classes: []string{"GET age=old", "GET-BY-KEY age=old", "LIST age=old", "GET age=young"},
	}, byMap(ruleTTL), Map, Expiring)
)
