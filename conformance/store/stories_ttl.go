package store

import (
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

const ttl = 2 * time.Second

var ages = Opening{TTL: story.Duration(ttl)}

func ttlChecks() []story.Check {
	return []story.Check{
		{Name: "expire/ttl", About: "lets entries grow old, and makes some young in time",
			Rules: rules(expireTTL), Needs: aMap(Expiring),
			Steps: made(ages, seq(add("a/x"), add("a/y"), replace("a/x", "a/y"), add("a/z"), readXYZ, advance(ttl*3/4), readXYZ, update("a/x"), add("a/z"), readXYZ,
				advance(ttl/2), get("a/y"), readXYZ, // y is old
				advance(ttl*3/4), do("list"), getByKey("a/x"), get("a/z"), readXYZ, // so are the others
				add("a/x"), readXYZ, advance(ttl*5/4), getByKey("a/x"), readXYZ, replaceOld(),
				when(harness.VirtualTime, exactly(add("a/x")), exactly(update("a/x")), exactly(replace("a/x")))))},
		{Name: "expire/ttl/mixed", About: "reads old entries and young ones together, and writes over what is old and was not read",
			Rules: rules(expireTTL), Needs: aMap(Expiring),
			Steps: made(ages, forEach(mixedAges, do("list"), forEach(addA, old...), forEach(func(n string) steps { return update(n) }, old...), forEach(del, old...),
				replace("a/a", "a/c"), replace("a/a")))},
		{Name: "expire/ttl/same", About: "puts the very state that is there when it has begun to be old",
			Rules: rules(expireTTL), Needs: aMap(Expiring),
			Steps: made(ages, forEach(func(put steps) steps {
				return seq(del("a/x"), add("a/x"), read("a/x"), advance(ttl*3/4), put, advance(ttl/2), read("a/x"), advance(ttl*3/4), read("a/x"))
			}, applyWith(Add, "a/x", Content{Same: true}), applyWith(Update, "a/x", Content{Same: true}), replaceBy("", asBefore("a/x"))))},
		{Name: "expire/ttl/never", About: "lets an hour pass where nothing grows old", Rules: rules(basicGet, basicList), Needs: aMap(Expiring),
			Steps: seq(add("a/x"), replaceBy("", asBefore("a/x"), item("a/y")), read("a/x", "a/y"), when(harness.VirtualTime, advance(time.Hour)),
				read("a/x", "a/y"))},
	}
}

var (
	readXYZ    = read("a/x", "a/y", "a/z")
	old, young = []string{"a/a", "a/f", "a/k", "a/p"}, []string{"a/c", "a/h", "a/m", "a/r"}
)

func get(obj string) steps      { return stepWith("get", obj, nil) }
func getByKey(key string) steps { return stepWith("get-by-key", key, nil) }
func addA(obj string) steps     { return add(obj) }

// exactly reads what was put just before and just after it grows old. Only virtual time is so exact.
func exactly(put steps) steps {
	return seq(put, read("a/x"), advance(ttl-time.Millisecond), read("a/x"), advance(2*time.Millisecond), read("a/x"))
}

// replaceOld has a list come when one entry is old, and again when both have begun to be.
func replaceOld() steps {
	return seq(replace("a/x", "a/y"), read("a/x", "a/y"), advance(ttl*3/4), replace("a/x", "a/y"),
		advance(ttl/2), getByKey("a/x"), read("a/x", "a/y"), // older than that by the first, younger by the second
		replace("a/x"), advance(ttl*3/4), read("a/x", "a/y")) // over one that ages, and without one
}

// mixedAges has some entries grow old before others, and writes over the old ones before anybody reads them.
func mixedAges(over steps) steps {
	return seq(forEach(addA, old...), read(), advance(ttl*3/4), forEach(addA, young...), read(), advance(ttl/2), over,
		do("list-keys"), do("list"), forEach(getByKey, "a/a", "a/c", "a/p")) // list takes away what is old
}
