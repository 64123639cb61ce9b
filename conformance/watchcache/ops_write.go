package watchcache

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// writer is who makes the write of a step.
func writer(s story.Step) string { return cmp.Or(s.Actor, storyWriters[0]) }

// when returns the features for which a condition holds.
func when(all map[harness.Feature]bool) (out []harness.Feature) {
	for _, f := range features {
		if all[f.Name] {
			out = append(out, f.Name)
		}
	}
	return out
}

func needsOfCreate(c Create) []harness.Feature {
	held := c.Finalizer
	return when(map[harness.Feature]bool{GenerateName: c.GenerateName, DryRun: c.DryRun, Grace: c.Node, Finalizers: held, ComparableRV: held})
}

func sayCreate(s story.Step, c Create) string {
	what := s.Obj
	if c.GenerateName {
		what = "an object whose name the server makes"
	}
	var with []string
	add := func(is bool, text string) {
		if is {
			with = append(with, text)
		}
	}
	add(c.Labels != "", "the labels "+c.Labels)
	add(c.Notes != nil, "odd annotations")
	add(c.Full, "all that an object can have")
	add(c.Finalizer, "a finalizer")
	add(c.Node, "a node")
	return writer(s) + " creates " + what + joined(" with ", with) + dryText(c.DryRun) + c.Served.text()
}

// joined is the texts with "and" between them, behind a word; empty if there are none.
func joined(behind string, texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return behind + strings.Join(texts, " and ")
}

func dryText(dry bool) string {
	if dry {
		return ", as a dry run"
	}
	return ""
}

func dryOption(dry bool) []string {
	if dry {
		return dryAll
	}
	return nil
}

func stepCreate(w *world, s story.Step, c Create) error {
	w = w.asking(Way{Served: c.Served})
	if w.cluster != nil {
		c = Create{Labels: c.Labels, Notes: c.Notes, DryRun: c.DryRun}
	}
	ns, name := w.place(s.Obj)
	if w.cluster != nil && len(validation.IsDNS1123Label(name)) > 0 {
		return story.SkipStep("the resource without namespaces is that of the namespaces, whose names are labels")
	}
	m := w.object(ns, name, maps.Clone(labelSets[cmp.Or(c.Labels, "one")]))
	if c.Full {
		m = w.full(ns, name, m.Labels)
		m.Finalizers = nil
	}
	for k, v := range c.Notes {
		metav1.SetMetaDataAnnotation(&m.ObjectMeta, k, v)
	}
	if c.Finalizer {
		m.Finalizers = []string{oneFinalizer}
	}
	if c.Node {
		m.Data[Node] = noNode
	}
	if c.GenerateName {
		m.Name, m.GenerateName = "", "made-"
	}
	call := writeCall(writer(s), replay.Create, w.ref(m), replay.WriteArgs{GenerateName: m.GenerateName, DryRun: c.DryRun})
	out := w.writeWith(call, func(ctx context.Context) (*corev1.ConfigMap, error) {
		return w.in(ns).Create(ctx, m, metav1.CreateOptions{DryRun: dryOption(c.DryRun)})
	})
	if !c.DryRun && !c.GenerateName {
		w.remember(s.Obj, out)
	}
	return nil
}

func needsOfChange(c Change) []harness.Feature {
	held := strings.HasSuffix(c.Part, "finalizer")
	return when(map[harness.Feature]bool{DryRun: c.DryRun, StatusSubresource: c.Part == "status", Finalizers: held, ComparableRV: held})
}

func needsOfPatch(c Change) []harness.Feature {
	by := map[string]harness.Feature{"": Patch, "merge": Patch, "strategic": StrategicPatch, "json": JSONPatch, "apply": Apply}
	return append(needsOfChange(c), by[c.Type])
}

// sayChange describes an update or a patch.
func sayChange(verb string) func(story.Step, Change) string {
	return func(s story.Step, c Change) string {
		text := fmt.Sprintf("%s %s %s (%s", writer(s), verb, s.Obj, cmp.Or(c.Part, "spec"))
		if c.Labels != "" {
			text += ", labels " + c.Labels
		}
		text += ")" + nameText("resourceVersion", c.Version) + nameText("uid", c.UID)
		switch {
		case c.Type == "apply":
			text += ", by server-side apply as " + cmp.Or(c.Manager, writer(s))
		case c.Type != "":
			text += ", by a " + c.Type + " patch"
		}
		if c.Force {
			text += ", by force"
		}
		return text + dryText(c.DryRun) + c.Served.text()
	}
}

// nameText describes a precondition.
func nameText(what, which string) string {
	switch which {
	case "":
		return ""
	case neverVersion:
		return fmt.Sprintf(" with a %s that it never had", what)
	case oldCopy:
		return fmt.Sprintf(" with an old %s", what)
	case aheadVersion:
		return fmt.Sprintf(" with the newest %s of any object", what)
	}
	return fmt.Sprintf(" with the newest %s", what)
}

// changeOf makes a change in m, of which a story knows earlier copies.
func (w *world) changeOf(obj string, m *corev1.ConfigMap, c Change) {
	if c.Part == "old" {
		m.Data = maps.Clone(w.copyOf(obj, true).Data)
	}
	w.change(m, c)
}

// change makes a change in m.
func (w *world) change(m *corev1.ConfigMap, c Change) {
	if c.Labels != "" {
		m.Labels = maps.Clone(labelSets[c.Labels])
	}
	if m.Data == nil {
		m.Data = map[string]string{}
	}
	switch c.Part {
	case "", "spec":
		m.Data[Spec] = w.next("v")
	case "status":
		m.Data[Status] = w.next("s")
	case "note":
		metav1.SetMetaDataAnnotation(&m.ObjectMeta, "lwtest/note", w.next("n"))
	case "no-note":
		m.Annotations = nil
	case "no-spec":
		delete(m.Data, Spec)
	case "no-owners":
		m.OwnerReferences = nil
	case "no-label":
		delete(m.Labels, "app")
	case "owners":
		m.OwnerReferences = ownedBy(fmt.Sprint(1 + w.count.Add(1)%3))
	case "finalizer":
		m.Finalizers = []string{oneFinalizer}
	case "no-finalizer":
		m.Finalizers = nil
	}
}

func stepUpdate(w *world, s story.Step, c Change) error {
	if w.cluster != nil && !slices.Contains([]string{"", "spec", "note", "no-note", "same"}, c.Part) {
		return errCluster
	}
	w = w.asking(Way{Served: c.Served})
	m := w.copyOf(s.Obj, false)
	if m.UID == "" && w.t.Has(Grace) {
		return story.SkipStep("nobody has seen %s, and an update of what is on a node must name it", s.Obj)
	}
	w.changeOf(s.Obj, m, c)
	m.ResourceVersion = ""
	if c.Version != "" || !w.t.Has(PlainUpdate) {
		m.ResourceVersion = w.versionOf(s.Obj, c.Version)
	}
	if m.ResourceVersion == "" {
		m.ManagedFields = nil // those of an old copy would be a change, which no history shows
	}
	switch {
	case c.UID == neverVersion:
		m.UID = noUID
	case c.UID == oldCopy:
		m.UID = w.copyOf(s.Obj, true).UID
	}
	if c.Part == "status" {
		out := w.updateStatusWith(writer(s), m, metav1.UpdateOptions{DryRun: dryOption(c.DryRun)})
		w.keep(s, c, out)
		return nil
	}
	call := writeCall(writer(s), replay.Update, w.ref(m), replay.WriteArgs{DryRun: c.DryRun})
	w.keep(s, c, w.writeWith(call, func(ctx context.Context) (*corev1.ConfigMap, error) {
		return w.in(m.Namespace).Update(ctx, m, metav1.UpdateOptions{DryRun: dryOption(c.DryRun)})
	}))
	return nil
}

// keep remembers the answer of a write that was no dry run.
func (w *world) keep(s story.Step, c Change, out *corev1.ConfigMap) {
	if !c.DryRun {
		w.remember(s.Obj, out)
	}
}

func stepPatch(w *world, s story.Step, c Change) error {
	if w.cluster != nil {
		return errCluster
	}
	w = w.asking(Way{Served: c.Served})
	newest := w.copyOf(s.Obj, false)
	m := onlyName(newest.Namespace, newest.Name)
	w.changeOf(s.Obj, m, c)
	if len(m.Data) == 0 {
		m.Data = nil
	}
	if c.Type == "apply" && m.Data[Spec] == "" && (w.t.Has(Grace) || w.versions != nil) {
		return story.SkipStep("an apply that takes its image from a pod is refused, and one without what an autoscaler scales takes that away")
	}
	if c.Version != "" {
		m.ResourceVersion = w.versionOf(s.Obj, c.Version)
	}
	args := replay.WriteArgs{DryRun: c.DryRun}
	if c.Type == "strategic" {
		args.Type = types.StrategicMergePatchType
	}
	if c.Part == "status" {
		args.Subresource = Status
	}
	w.keep(s, c, w.sendPatch(s, c, newest, m, args))
	return nil
}

// removed lists, for each part of a Change that removes something, the names that a history gives to the removed fields.
var removed = map[string][]string{
	"no-spec":      {Spec},
	"no-label":     {label + "app"},
	"no-note":      {annotation + "lwtest/note"},
	"no-owners":    ownerWords("1", "2", "3"),
	"no-finalizer": {finalizersWord},
}

// sendPatch sends what m names of an object.
func (w *world) sendPatch(s story.Step, c Change, newest, m *corev1.ConfigMap, args replay.WriteArgs) *corev1.ConfigMap {
	actor := writer(s)
	switch {
	case c.Type == "json":
		args.Subresource = "" // patchJSON patches the object itself
		return w.patchJSON(actor, m.Namespace, m.Name, args, w.operations(c, newest, m)...)
	case c.Type == "apply":
		args.FieldManager, args.Force = cmp.Or(c.Manager, actor), c.Force
		m.OwnerReferences = nil // applyWith sends none
		if c.UID == neverVersion {
			m.UID = noUID
		}
		return w.applyWith(actor, m, args)
	case args.Subresource != "":
		return w.patchWith(actor, m, args)
	case c.UID == neverVersion && !c.DryRun && args.Type == "":
		w.patchUID(actor, newest, noUID)
		return nil
	case removed[c.Part] != nil:
		args.Removes = removed[c.Part]
		return w.removeFromWith(actor, m.Namespace, m.Name, args)
	}
	return w.patchPart(actor, m, args)
}

// operations are those of a JSON patch: it may test what the object has, or had, and sets the spec, or copies, moves or removes
// an annotation.
func (w *world) operations(c Change, newest, m *corev1.ConfigMap) (all []operation) {
	switch c.UID {
	case newestCopy, oldCopy:
		if spec := newest.Data[Spec]; spec != "" { // a history has no test of an empty text
			all = append(all, test(specAt, spec))
		}
		if c.UID == oldCopy { // each test must hold, not only the first
			all = append(all, test(nothingAt, "never"))
		}
	case neverVersion:
		all = append(all, test(specAt, "never"))
	}
	if m.ResourceVersion != "" {
		all = append(all, replace(versionAt, m.ResourceVersion))
	}
	note := newest.Annotations["lwtest/note"]
	switch {
	case c.Part == "no-finalizer":
		return append(all, operation{Op: "remove", Path: holdersAt})
	case note == "" || !strings.HasSuffix(c.Part, "note"):
		spec := w.next("v")
		all = append(all, replace(specAt, spec))
		if c.Force { // operations are done in their order
			all = append(all, test(specAt, spec))
		}
		return all
	case c.Part == "no-note":
		return append(all, operation{Op: "remove", Path: noteAt})
	case c.Force:
		return append(all, test(noteAt, note), operation{Op: "move", From: noteAt, Path: movedAt})
	}
	return append(all, test(noteAt, note), operation{Op: "copy", From: noteAt, Path: copyAt})
}

func needsOfDelete(x Delete) []harness.Feature {
	return when(map[harness.Feature]bool{DryRun: x.DryRun, Precondition: x.Version != "" || x.UID != "", DeleteAnswer: x.Answer})
}

func sayDelete(s story.Step, x Delete) string { return writer(s) + " deletes " + s.Obj + x.text() }

// text describes how something is deleted.
func (x Delete) text() string {
	text := nameText("resourceVersion", x.Version) + nameText("uid", x.UID)
	if x.Grace != nil {
		text += fmt.Sprintf(" within %d seconds", *x.Grace)
	}
	if x.Policy != "" {
		text += ", with the policy " + x.Policy
	}
	if x.Answer {
		text += ", and reads the answer"
	}
	return text + dryText(x.DryRun) + x.Served.text()
}

// options are as a client sends them.
func (x Delete) options(w *world, obj string) metav1.DeleteOptions {
	o := metav1.DeleteOptions{GracePeriodSeconds: x.Grace, DryRun: dryOption(x.DryRun), Preconditions: w.preconditions(obj, x.Version, x.UID)}
	if x.Policy != "" {
		o.PropagationPolicy = new(metav1.DeletionPropagation(x.Policy))
	}
	return o
}

func stepDelete(w *world, s story.Step, x Delete) error {
	if w.cluster != nil {
		return errCluster
	}
	w = w.asking(Way{Served: x.Served})
	ns, name := w.place(s.Obj)
	if x.Answer {
		return w.removeAnswered(writer(s), ns, name, x.options(w, s.Obj))
	}
	w.removeWith(writer(s), ns, name, x.options(w, s.Obj))
	return nil
}

func needsOfCollection(c Collection) []harness.Feature {
	return append(append(needsOfDelete(c.Delete), c.needs()...), DeleteCollection)
}

func sayCollection(s story.Step, c Collection) string {
	return fmt.Sprintf("%s deletes the collection %s%s", writer(s), c.Scope.text(), c.Delete.text())
}

func stepCollection(w *world, s story.Step, c Collection) error {
	if w.cluster != nil {
		return errCluster
	}
	if c.Namespace == "all" {
		return story.SkipStep("a collection of all namespaces cannot be deleted")
	}
	o, err := c.Scope.options(w)
	w = w.asking(Way{Served: c.Served})
	if err == nil {
		w.sweepWith(writer(s), w.namespace(c.Namespace), o, c.Delete.options(w, cmp.Or(s.Obj, storyObjects[0])))
	}
	return err
}

func stepTogether(w *world, s story.Step) error {
	if w.cluster != nil || w.versions != nil {
		return story.SkipStep("only objects of the resource that is tested are deleted so")
	}
	t, ok := w.s.(Deleter)
	if !ok {
		return fmt.Errorf("the feature %s is declared, but the subject has no DeleteTogether", Together)
	}
	var names []string
	for _, obj := range storyObjects[:min(s.N, len(storyObjects))] {
		ns, name := w.place(obj)
		if ns != w.namespaces[0] {
			continue
		}
		if m := w.get("g1", ns, name); m != nil && len(m.Finalizers) == 0 && m.Data[Node] == "" { // a transaction would not heed them
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return story.SkipStep("none of the objects is there")
	}
	w.together(writer(s), t, w.namespaces[0], names)
	return nil
}

func stepChurn(w *world, s story.Step) error {
	for range s.N {
		m := w.copyOf(s.Obj, false)
		if m.ResourceVersion == "" {
			return story.SkipStep("nobody has seen %s", s.Obj)
		}
		w.remember(s.Obj, w.update(writer(s), w.changed(m, nil)))
	}
	return nil
}
