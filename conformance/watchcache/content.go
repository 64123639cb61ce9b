package watchcache

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"unicode"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What the words of a content begin with that stand for one annotation, and for one owner.
const (
	annotation = "annotation:"
	owner      = "owner:"
)

// body is what rules compare of an object's content: words with a value, and
// the mark of a deletion in the end, after the grace period if there is one. What an object does not have has no word.
func body(m *corev1.ConfigMap) string {
	var p []string
	add := func(name, value string) {
		if value != "" {
			p = append(p, name+"="+value)
		}
	}
	add(Spec, brief(m.Data[Spec]))
	add(Status, brief(m.Data[Status]))
	add(Node, brief(m.Data[Node]))
	p = append(p, notes(m.Annotations)...)
	p = append(p, owners(m.OwnerReferences)...)
	add("finalizers", strings.Join(m.Finalizers, ","))
	if m.DeletionTimestamp != nil {
		if left := m.DeletionGracePeriodSeconds; left != nil && *left != 0 {
			add("grace", strconv.FormatInt(*left, 10))
		}
		p = append(p, "deleting")
	}
	return strings.Join(p, " ")
}

// notes are the words of annotations, in their order. One may be empty.
func notes(all map[string]string) []string {
	if len(all) == 0 {
		return nil
	}
	out := make([]string, 0, len(all))
	for name, value := range all {
		out = append(out, annotation+brief(name)+"="+brief(value))
	}
	slices.Sort(out)
	return out
}

// owners are the words of ownerReferences, which are a set.
func owners(all []metav1.OwnerReference) []string {
	if len(all) == 0 {
		return nil
	}
	out := make([]string, 0, len(all))
	for _, o := range all {
		of := fmt.Sprint(o.APIVersion, "/", o.Kind, "/", o.Name, yes(o.Controller, "+controller"), yes(o.BlockOwnerDeletion, "+blocks"))
		out = append(out, owner+brief(string(o.UID))+"="+brief(of))
	}
	slices.Sort(out)
	return out
}

func yes(b *bool, word string) string {
	if b == nil || !*b {
		return ""
	}
	return word
}

// briefly is the length up to which a value is kept as it is.
const briefly = 63

// brief is a value in one short word: its length and a hash where it is long, or
// has what would make it several.
func brief(value string) string {
	if len(value) <= briefly && !strings.ContainsFunc(value, func(c rune) bool {
		return c == '#' || c == unicode.ReplacementChar || !unicode.IsGraphic(c) || unicode.IsSpace(c)
	}) {
		return value
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(value)) // never fails
	return fmt.Sprintf("#%d:%x", len(value), h.Sum64())
}
