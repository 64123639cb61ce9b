package mutants

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// missingReasonRows are faults of requests of what is not there.
var missingReasonRows = []row{
	{name: "missing-update-invalid", rule: "write/missing/update", about: "an update of what is not there is refused with 422",
		on: "update", refused: apierrors.IsNotFound, answer: refuseAs(422)},
	{name: "missing-update-version-conflict", rule: "write/missing/update", about: "an update of what is not there is refused with 409, if it has a resourceVersion",
		on: "update", when: conditional, refused: apierrors.IsNotFound, answer: refuseAs(409)},
	{name: "missing-update-fails", rule: "write/missing/update", about: "an update of what is not there is refused with 500, each time",
		on: "update", refused: apierrors.IsNotFound, answer: refuseAs(500)},
	{name: "missing-patch-unimplemented", rule: "write/missing/update", about: "a patch of what is not there is refused with 501",
		on: "patch", refused: apierrors.IsNotFound, answer: refuseAs(501)},
	{name: "missing-delete-forbidden", rule: "write/missing/delete", about: "a delete of what is not there is refused with 403, as if nobody may know",
		on: "delete", refused: apierrors.IsNotFound, answer: refuseAs(403)},
	{name: "missing-get-at-version-fails", rule: "write/missing/delete", about: "a get at a resourceVersion of what is not there is refused with 500",
		on: "get", when: not(unset), refused: apierrors.IsNotFound, answer: refuseAs(500)},
	{name: "update-elsewhere", rule: "write/missing/update", about: "an update of what does not exist changes what has its name in another namespace",
		on: "update", refused: apierrors.IsNotFound, answer: elsewhere},
	{name: "patch-elsewhere", rule: "write/missing/update", about: "a patch of what does not exist changes what has its name in another namespace",
		on: "patch", refused: apierrors.IsNotFound, answer: elsewhere},
}

// elsewhere makes a write to an object of that name in another namespace, if there is one.
func elsewhere(c *call) {
	r := c.Request
	r.Namespace, r.Name = "", ""
	l, err := c.api.List(c.ctx, r, metav1.ListOptions{FieldSelector: "metadata.name=" + c.Name})
	if err != nil || len(items(l)) == 0 {
		return
	}
	if c.Namespace = of(items(l)[0]).GetNamespace(); c.sent != nil {
		c.sent = c.sent.DeepCopyObject()
		of(c.sent).SetNamespace(c.Namespace)
	}
	c.next()
}
