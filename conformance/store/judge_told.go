package store

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeTold judges the version that is told: call by call where they come one
// after the other, else by an order of all. (An expiring store may keep its version at an Add: no order says which.)
func judgeTold(h *history.History) harness.Judgement {
	j := byMap(ruleVersion)(h)
	if len(j.Bad) > 0 || !has(h, Map) || runOf(h).Overlap == "" {
		return j
	}
	if has(h, Expiring) {
		refusedVersions(h, &j)
		return j
	}
	return judgeToldBeside(h)
}

// refusedVersions blames what was not answered: no clause lets a store refuse to tell a version, or to take one.
func refusedVersions(h *history.History, j *harness.Judgement) {
	each(h, func(o *op) {
		if (o.Kind == evVersion || o.Kind == evBookmark) && o.Err != nil {
			j.FailTested("an answer", o.Err.String(), o.Call, o.Return)
		}
	})
}

// judgeToldBeside looks, for each key, for an order of all calls in which the
// version is that of the last change, and reads give what was put there last:
// whoever has been told of a change finds it.
func judgeToldBeside(h *history.History) harness.Judgement {
	var j harness.Judgement
	refusedVersions(h, &j)
	versions, why := versionsOf(h)
	if why != "" {
		j.Undecided = why
		return j
	}
	all, ages := accesses(h)
	if ages || len(versions) == 0 {
		return j
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		as := all[key]
		both := with(as, versions)
		switch {
		case !overlapping(both):
		case tooMuch(both) != "":
			j.Undecided = key + ": " + tooMuch(both)
		case !linearizable(as):
			j.Undecided = "the content of " + key + " has no order itself"
		case linearizable(both):
			j.Tested++
		default:
			j.Tested++
			call, seen := firstWrong(both)
			j.Fail("an order of all calls in which the last change is told, and "+key+" is what it made it", fmt.Sprintf("none: at #%d it was %s", seen.ret, seen.value), int32(call.call), int32(seen.ret))
		}
	}
	return decided(j)
}

// versionsOf are the readings of the version that is told, and the changes that
// move it; why says that they are not known.
func versionsOf(h *history.History) (all []access, why string) {
	told := false
	keys, _ := accesses(h)
	each(h, func(o *op) {
		switch {
		case o.Return != 0 && o.Err != nil && (o.Err.Definite && o.Kind != evApplyAll || !o.changes()):
		case o.Kind == evVersion && o.Return != 0 && o.Found.RV != "":
			a := o.access(false, o.Found.RV)
			a.told, told = true, true
			all = append(all, a)
		case o.changes() && (o.Args.Unknown || o.Obj.RV == "" || o.Kind == string(Delete) && !there(keys[o.Obj.Key], o)): // several at once have none
			why = "which version a change tells is not known"
		case o.changes(), o.Kind == evBookmark:
			a := o.access(true, "")
			a.others, a.version = true, o.Obj.RV
			all = append(all, a)
		}
	})
	if !told {
		return nil, ""
	}
	return all, why
}

// there reports whether something was there for certain when a call deleted it. Else it may leave the version as it was.
func there(as []access, o *op) bool {
	last := access{put: nothing}
	for _, a := range as {
		switch call := int64(o.Call); {
		case !a.write || a.call == call:
		case a.ret > call && a.call < int64(o.Return): // beside it
			return false
		case a.ret < call && a.call > last.ret:
			last = a
		case a.ret < call && a.ret > last.call: // two beside each other, or of one call: the last of these counts
			if a.call != last.call {
				return false
			}
			last = a
		}
	}
	return last.put != nothing
}

// with are the accesses of a key, and of the version, of which they are a part.
func with(as, versions []access) []access {
	moved := map[int64]string{}
	for _, v := range versions {
		moved[v.call] = v.version
	}
	out, own := slices.Clone(as), map[int64]bool{}
	for i := range out {
		if out[i].write {
			out[i].version, own[out[i].call] = moved[out[i].call], true
		}
	}
	return append(out, slices.DeleteFunc(slices.Clone(versions), func(v access) bool { return own[v.call] })...)
}
