package mutants

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Which requests a fault is about: forms of list, watch and deletecollection, and of get by its resourceVersion.
func unset(c *call) bool { return c.list.ResourceVersion == "" && c.list.Continue == "" }
func zero(c *call) bool  { return c.list.ResourceVersion == "0" }
func at(c *call) bool    { return c.list.ResourceVersion != "" && c.list.ResourceVersion != "0" }
func exact(c *call) bool { return c.list.ResourceVersionMatch == metav1.ResourceVersionMatchExact }
func notOlder(c *call) bool {
	return c.list.ResourceVersionMatch == metav1.ResourceVersionMatchNotOlderThan
}
func unmatched(c *call) bool { return c.list.ResourceVersionMatch == "" }

func limited(c *call) bool   { return c.list.Limit > 0 }
func continued(c *call) bool { return c.list.Continue != "" }

func byLabel(c *call) bool    { return c.list.LabelSelector != "" }
func byField(c *call) bool    { return c.list.FieldSelector != "" }
func byName(c *call) bool     { _, ok := name(&c.list); return ok }
func everywhere(c *call) bool { return c.Namespace == "" }
func ofStatus(c *call) bool   { return c.Subresource == "status" }

// informers watch with bookmarks and a timeout, as client-go's do.
func informers(c *call) bool { return bookmarks(c) && timed(c) }
func bookmarks(c *call) bool { return c.list.AllowWatchBookmarks }
func timed(c *call) bool     { return c.list.TimeoutSeconds != nil }

// streams ask for the initial state first, skips for none, and plain watches say nothing of it.
func streams(c *call) bool { return c.list.SendInitialEvents != nil && *c.list.SendInitialEvents }
func skips(c *call) bool   { return c.list.SendInitialEvents != nil && !*c.list.SendInitialEvents }
func plain(c *call) bool   { return c.list.SendInitialEvents == nil }

// Which writes.
func applies(c *call) bool { return c.patchType == types.ApplyPatchType }
func dry(c *call) bool {
	return len(c.create.DryRun)+len(c.update.DryRun)+len(c.patch.DryRun)+len(c.remove.DryRun) > 0
}

// Which preconditions of deletes.
func ifVersion(c *call) bool {
	return c.remove.Preconditions != nil && c.remove.Preconditions.ResourceVersion != nil
}
func ifUID(c *call) bool { return c.remove.Preconditions != nil && c.remove.Preconditions.UID != nil }

// all reports whether each of these holds, and not whether one does not hold.
func all(each ...func(*call) bool) func(*call) bool {
	return func(c *call) bool {
		for _, f := range each {
			if !f(c) {
				return false
			}
		}
		return true
	}
}

// either reports whether one of two holds.
func either(a, b func(*call) bool) func(*call) bool {
	return func(c *call) bool { return a(c) || b(c) }
}

func not(f func(*call) bool) func(*call) bool { return func(c *call) bool { return !f(c) } }

// fieldsBegin reports whether the field selector begins with a text.
func fieldsBegin(text string) func(*call) bool {
	return func(c *call) bool { return strings.HasPrefix(c.list.FieldSelector, text) }
}
