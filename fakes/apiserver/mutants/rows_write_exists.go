package mutants

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// existsRows are creates that are refused with 409 AlreadyExists for something else than their object.
var existsRows = []row{
	{name: "exists-by-prefix", rule: "write/exists", about: "a create is refused with AlreadyExists where its name begins with that of another object",
		on: "create", when: among(func(c *call) {}, func(name, other string) bool { return other != name && strings.HasPrefix(name, other) }), instead: refuseSent},
	{name: "exists-by-name", rule: "write/exists", about: "a create is refused with AlreadyExists where another namespace has an object of the name",
		on: "create", when: among(inAnyNamespace, func(name, other string) bool { return other == name }), instead: refuseSent},
	{name: "exists-dotted", rule: "write/exists", about: "a create of a name with a dot is refused with AlreadyExists",
		on: "create", when: func(c *call) bool { return strings.Contains(of(c.sent).GetName(), ".") }, instead: refuseSent},
	{name: "stale-update-unchanging", rule: "write/conflict/update", about: "an update with a stale resourceVersion is answered with 200 where its content is what is stored (compared before the precondition is)",
		on: "update", instead: func(c *call) {
			if now := c.now(); now != nil && equality.Semantic.DeepEqual(moved(c.sent, of(now).GetResourceVersion()), now) {
				c.got = now
				return
			}
			c.next()
		}},
}

// among reports whether f holds for the name that a create sends and that of an object in its namespace, or where change has it look.
func among(change func(*call), f func(name, other string) bool) func(*call) bool {
	return func(c *call) bool {
		sent, look := of(c.sent).GetName(), *c
		change(&look)
		l, err := c.api.List(c.ctx, look.Request, metav1.ListOptions{})
		if err != nil || sent == "" {
			return false
		}
		for _, i := range items(l) {
			if f(sent, of(i).GetName()) {
				return true
			}
		}
		return false
	}
}

// refuseSent answers that the object which is to be created is there.
func refuseSent(c *call) {
	refuse(apierrors.NewAlreadyExists(c.Resource.GroupResource(), of(c.sent).GetName()))(c)
}
