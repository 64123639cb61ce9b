package mutants

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// responseRows are faults of what creates and updates are answered with.
var responseRows = []row{
	{name: "answers-as-sent", rule: "write/response", about: "an update stores the old labels, and answers with those that were sent",
		on: "update", instead: func(c *call) {
			sent, now := of(c.sent).GetLabels(), c.now()
			if now != nil {
				changeSent(func(o metav1.Object) { o.SetLabels(of(now).GetLabels()) })(c)
			}
			if c.next(); c.err == nil {
				of(c.got).SetLabels(sent)
			}
		}},
	{name: "answers-as-before", rule: "write/response", about: "an update answers with the object as it was before",
		on: "update", instead: remembering(func(c *call, was runtime.Object) { c.got = was })},
	{name: "answers-old-version", rule: "write/response", about: "an update answers with the object as stored, and with the resourceVersion that it had before",
		on: "update", instead: remembering(func(c *call, was runtime.Object) { of(c.got).SetResourceVersion(of(was).GetResourceVersion()) })},
	{name: "update-answers-no-version", rule: "write/response", about: "an update answers without a resourceVersion",
		on: "update", answer: answerAt(noVersion)},
	{name: "create-answers-no-version", rule: "write/response", about: "a create answers without a resourceVersion, as if it were a dry run (client-go's fake clientset)",
		on: "create", answer: answerAt(noVersion)},
	{name: "answer-stale-generation", rule: "write/response", about: "of kinds with a generation an update is answered with the one before it",
		on: "update", options: countsData, answer: objects(configMap(countLess))},
	{name: "generated-without-prefix", rule: "write/response", about: "a name that the server makes does not begin with generateName",
		on: "create", when: whereSent(generated), ask: changeSent(func(o metav1.Object) { o.SetGenerateName("x-") })},
	{name: "dry-create-version", rule: "write/response", about: "a create that is a dry run is answered with a resourceVersion, as if it were stored",
		on: "create", when: dry, answer: answerAt(invented)},
	{name: "dry-update-created-now", rule: "write/response", about: "an update that is a dry run is answered with the present as the time of the object's creation",
		on: "update", when: all(dry, exists), answer: objects(createdLater(time.Minute))},

	{name: "status-put-unstored", rule: "write/response", resource: "deployments", about: "an update of status is answered as if it were stored, with the old resourceVersion, and is not",
		on: "update", when: ofStatus, ask: asDryRun},
	{name: "status-put-ignored", rule: "write/response", resource: "deployments", about: "an update of status is answered with the object as it is, and nothing is stored",
		on: "update", when: ofStatus, ask: asDryRun, answer: func(c *call) { c.got = c.now() }},
}

// storeRows are faults of creates and updates that store something else than was sent, and say so in their answers.
var storeRows = append([]row{
	{name: "annotations-unstored", rule: "write/response", about: "creates and updates store no annotations, and say so in their answers",
		on: "create|update", ask: changeSent(func(o metav1.Object) { o.SetAnnotations(nil) })},
	{name: "large-values-cut", rule: "write/response", about: "of a value of more than 64 KiB creates and updates store the beginning, and say so in their answers",
		on: "create|update", ask: changeSent(configMap(truncate))},
	{name: "update-keeps-labels", rule: "write/response", about: "an update removes no label, as if it were a merge patch",
		on: "update", ask: keepOf(func(m, was *corev1.ConfigMap) { m.Labels = merged(was.Labels, m.Labels) })},
	{name: "update-keeps-annotations", rule: "write/response", about: "an update removes no annotation",
		on: "update", ask: keepOf(func(m, was *corev1.ConfigMap) { m.Annotations = merged(was.Annotations, m.Annotations) })},
	{name: "update-keeps-data", rule: "write/response", about: "an update removes no key of the data",
		on: "update", ask: keepOf(func(m, was *corev1.ConfigMap) { m.Data = merged(was.Data, m.Data) })},
	{name: "update-keeps-owners", rule: "write/response", about: "an update removes the last owner of no object",
		on: "update", ask: keepOf(func(m, was *corev1.ConfigMap) {
			if len(m.OwnerReferences) == 0 {
				m.OwnerReferences = was.OwnerReferences
			}
		})},
	{name: "finalizers-kept", rule: "write/response", about: "an update of an object that nobody deletes does not take its last finalizer",
		on: "update", when: all(not(whereStored(deleting)), not(whereSent(finalized))), ask: keepOf(func(m, was *corev1.ConfigMap) { m.Finalizers = was.Finalizers })},
}, alteredRows()...)

// alteredRows are faults of texts that are stored a little otherwise.
func alteredRows() []row {
	data := func(m *corev1.ConfigMap) map[string]string { return m.Data }
	notes := func(m *corev1.ConfigMap) map[string]string { return m.Annotations }
	var rows []row
	for _, a := range []struct {
		name, about string
		in          func(*corev1.ConfigMap) map[string]string
		alter       func(string) string
	}{
		{"newline-unstored", "values without the newline at their end", data, func(v string) string { return strings.TrimRight(v, "\n") }},
		{"ascii-stored", "a ? for each character of values that is not ASCII", data, above(127)},
		{"returns-unstored", "a newline for each carriage return and newline in values", data, strings.NewReplacer("\r\n", "\n").Replace},
		{"escapes-stored", "&amp; for each & in values", data, strings.NewReplacer("&", "&amp;").Replace},
		{"tabs-unstored", "a blank for each tab in values", data, strings.NewReplacer("\t", " ").Replace},
		{"plane-stored", "a ? for each character of values above U+FFFF", data, above(0xffff)},
		{"note-ascii-stored", "a ? for each character of annotations that is not ASCII", notes, above(127)},
		{"note-returns-unstored", "a newline for each carriage return and newline in annotations", notes, strings.NewReplacer("\r\n", "\n").Replace},
		{"note-escapes-stored", "&amp; for each & in annotations", notes, strings.NewReplacer("&", "&amp;").Replace},
		{"note-tabs-unstored", "a blank for each tab in annotations", notes, strings.NewReplacer("\t", " ").Replace},
		{"note-plane-stored", "a ? for each character of annotations above U+FFFF", notes, above(0xffff)},
		{"note-cut", "the first 32 KiB of annotations", notes, func(v string) string { return v[:min(len(v), 32<<10)] }},
	} {
		rows = append(rows, row{name: a.name, rule: "write/response", about: "creates and updates store " + a.about + ", and say so in their answers",
			on: "create|update", ask: changeSent(configMap(func(m *corev1.ConfigMap) {
				for k, v := range a.in(m) {
					a.in(m)[k] = a.alter(v)
				}
			}))})
	}
	return rows
}

// above writes a ? for each character above one.
func above(last rune) func(string) string {
	return func(v string) string {
		return strings.Map(func(c rune) rune {
			if c > last {
				return '?'
			}
			return c
		}, v)
	}
}

// noVersion is no resourceVersion.
func noVersion(string) string { return "" }

// configMap is for faults of ConfigMaps alone.
func configMap(f func(*corev1.ConfigMap)) func(metav1.Object) {
	return func(o metav1.Object) {
		if m, ok := o.(*corev1.ConfigMap); ok {
			f(m)
		}
	}
}

// keepOf changes the ConfigMap of an update by what is stored.
func keepOf(f func(m, was *corev1.ConfigMap)) func(*call) {
	return func(c *call) {
		if was, ok := c.now().(*corev1.ConfigMap); ok {
			changeSent(configMap(func(m *corev1.ConfigMap) { f(m, was) }))(c)
		}
	}
}

// truncate leaves 64 KiB of every value.
func truncate(m *corev1.ConfigMap) {
	for k, v := range m.Data {
		m.Data[k] = v[:min(len(v), 64<<10)]
	}
}

// countsData has ConfigMaps have a generation, which their data raise; countLess takes one off.
func countsData(o *apiserver.Options) {
	o.Resources = apiserver.Resources()
	for i := range o.Resources {
		if r := &o.Resources[i]; r.Kind == "ConfigMap" {
			r.Spec = func(o runtime.Object) any { return o.(*corev1.ConfigMap).Data }
		}
	}
}

func countLess(m *corev1.ConfigMap) {
	if m.Generation > 1 {
		m.Generation--
	}
}

// createdLater moves the time of an object's creation.
func createdLater(by time.Duration) func(metav1.Object) {
	return func(o metav1.Object) { o.SetCreationTimestamp(metav1.NewTime(o.GetCreationTimestamp().Add(by))) }
}

// generated objects get their names from the server.
func generated(o metav1.Object) bool { return unnamed(o) && o.GetGenerateName() != "" }
