package watchcache

import (
	"fmt"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// sameObject compares what a history keeps of two objects but their
// resourceVersions: as it was written, and as it is shown. What was written
// without a uid is of a subject that gives none with its answers.
func sameObject(r *replay.Replay, was, is *history.Ref) bool {
	labels, fields := r.Shows()
	return was.Body == is.Body && (was.Labels == is.Labels || !labels) && (was.Fields == is.Fields || !fields) && (was.UID == is.UID || was.UID == "") && sameMeta(was, is)
}

// sameMeta compares what else of their metadata the server decides, where both tell it.
func sameMeta(was, is *history.Ref) bool {
	return was.Meta == is.Meta || was.Meta == nil || is.Meta == nil
}

// differs says what is not as it was written.
func differs(was, is *history.Ref) string {
	var p []string
	say := func(what, was, is string) {
		if was != is {
			p = append(p, fmt.Sprintf("%s %q, which was written as %q", what, is, was))
		}
	}
	say("content", was.Body, is.Body)
	say("labels", was.Labels.String(), is.Labels.String())
	say("fields", was.Fields.String(), is.Fields.String())
	say("uid", was.UID, is.UID)
	if !sameMeta(was, is) {
		say("metadata", was.Meta.String(), is.Meta.String())
	}
	return "with " + strings.Join(p, " and ")
}

// name is a version as findings name it.
func name(r *replay.Replay, v *replay.Version) string {
	key := r.H.Key(v.K)
	switch {
	case v.Gone && v.N != 0 && !r.ByOrder:
		return fmt.Sprintf("the deletion of %s @%s", key, r.H.RV(v.N))
	case v.Gone:
		return "the deletion of " + key
	case v.Obj.RV == "":
		return fmt.Sprintf("%s (%s)", key, v.Obj.Body)
	}
	return key + " @" + v.Obj.RV
}
