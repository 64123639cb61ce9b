package apiserver_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

type client = *apiserver.Client[*corev1.ConfigMap, *corev1.ConfigMapList]

// Every refusal of a write, with the store at a@2 (uid known), b@3 held by a finalizer and being
// deleted @4. Nothing may change.
func TestWriteRefusals(t *testing.T) {
	uid := types.UID("11111111-2222-4333-8444-555555555555")
	with := func(name string, f func(*corev1.ConfigMap)) *corev1.ConfigMap {
		o := cm(name)
		f(o)
		return o
	}
	for _, test := range []struct {
		name   string
		call   func(client) error
		code   int32
		reason metav1.StatusReason
		want   string // "UID" stands for a's
	}{
		{"create exists", creates(cm("a")), 409, "AlreadyExists", `configmaps "a" already exists`},
		{"create while deleting", creates(cm("b")), 409, "AlreadyExists", `object is being deleted: configmaps "b" already exists`},
		{"create with version", creates(with("c", func(o *corev1.ConfigMap) { o.ResourceVersion = "2" })), 500, "",
			"resourceVersion should not be set on objects to be created"},
		{"create without name", creates(cm("")), 422, "Invalid", `ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required`},
		{"create elsewhere", creates(with("c", func(o *corev1.ConfigMap) { o.Namespace = "x" })), 400, "BadRequest",
			"the namespace of the provided object does not match the namespace sent on the request"},
		{"create bad finalizer", creates(with("c", func(o *corev1.ConfigMap) { o.Finalizers = []string{"nodomain"} })), 422, "Invalid",
			`ConfigMap "c" is invalid: metadata.finalizers[0]: Invalid value: "nodomain": name is neither a standard finalizer name nor is it fully qualified`},
		{"create dry run Some", func(c client) error {
			_, err := c.Create(ctx, cm("c"), metav1.CreateOptions{DryRun: []string{"Some"}})
			return err
		}, 422, "Invalid", `CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"`},
		{"dry run exists", func(c client) error {
			_, err := c.Create(ctx, cm("a"), metav1.CreateOptions{DryRun: []string{"All"}})
			return err
		}, 409, "AlreadyExists", `configmaps "a" already exists`},

		{"update stale", updates(with("a", func(o *corev1.ConfigMap) { o.ResourceVersion = "1" })), 409, "Conflict",
			`Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again`},
		{"update future", updates(with("a", func(o *corev1.ConfigMap) { o.ResourceVersion = "9" })), 409, "Conflict",
			`Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again`},
		{"update wrong uid", updates(with("a", func(o *corev1.ConfigMap) { o.UID = uid })), 409, "Conflict",
			`Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/ns/a, ResourceVersion: 0, ` +
				`AdditionalErrorMsg: Precondition failed: UID in precondition: 11111111-2222-4333-8444-555555555555, UID in object meta: UID`},
		{"update garbage version", updates(with("a", func(o *corev1.ConfigMap) { o.ResourceVersion = "zzz" })), 500, "",
			`strconv.ParseUint: parsing "zzz": invalid syntax`},
		{"update missing", updates(cm("c")), 404, "NotFound", `configmaps "c" not found`},
		{"update adds finalizer", updates(with("b", func(o *corev1.ConfigMap) { o.Finalizers = []string{"x.io/f", "x.io/g"} })), 422, "Invalid",
			`ConfigMap "b" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x.io/g"}`},

		{"delete missing", deletes("c", metav1.DeleteOptions{}), 404, "NotFound", `configmaps "c" not found`},
		{"delete stale", deletes("a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: ptr("1")}}), 409, "Conflict",
			`Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (2). The object might have been modified`},
		{"delete wrong uid", deletes("a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}), 409, "Conflict",
			`Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (11111111-2222-4333-8444-555555555555) does not match the UID in record (UID). ` +
				`The object might have been deleted and then recreated`},
		{"delete bad policy", deletes("a", metav1.DeleteOptions{PropagationPolicy: ptr(metav1.DeletionPropagation("Foo"))}), 422, "Invalid",
			`DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Foo": supported values: "Foreground", "Background", "Orphan", "nil"`},

		{"get missing", func(c client) error { _, err := c.Get(ctx, "c", metav1.GetOptions{}); return err }, 404, "NotFound", `configmaps "c" not found`},
		{"get garbage", func(c client) error {
			_, err := c.Get(ctx, "a", metav1.GetOptions{ResourceVersion: "-1"})
			return err
		}, 500, "", `resourceVersion: Invalid value: "-1": strconv.ParseUint: parsing "-1": invalid syntax`},

		{"patch stale", patches("a", `{"metadata":{"resourceVersion":"1"},"data":{"k":"v"}}`), 409, "Conflict",
			`Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again`},
		{"patch uid", patches("a", `{"metadata":{"uid":"abc"}}`), 422, "Invalid", `ConfigMap "a" is invalid: metadata.uid: Invalid value: "abc": field is immutable`},
		{"patch missing", patches("c", `{}`), 404, "NotFound", `configmaps "c" not found`},
		{"patch other name", patches("a", `{"metadata":{"name":"other"}}`), 400, "BadRequest", "the name of the object (other) does not match the name on the URL (a)"},
		{"patch array", patches("a", `[]`), 400, "BadRequest", "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"},
		{"patch cut", patches("a", `{`), 400, "BadRequest", "invalid JSON patch"},
		{"patch null", patches("a", `null`), 400, "BadRequest", "Invalid JSON Patch"},
		{"patch apply in CBOR", func(c client) error {
			_, err := c.Patch(ctx, "a", types.ApplyCBORPatchType, []byte("{}"), metav1.PatchOptions{FieldManager: "me"})
			return err
		}, 415, "UnsupportedMediaType", "415: Unsupported Media Type"},
		{"patch status", func(c client) error {
			_, err := c.Patch(ctx, "a", types.MergePatchType, []byte("{}"), metav1.PatchOptions{}, "status")
			return err
		}, 404, "NotFound", "the server could not find the requested resource"},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
				a := create(t, s, "ns", cm("a"))
				create(t, s, "ns", with("b", func(o *corev1.ConfigMap) { o.Finalizers = []string{"x.io/f"} }))
				remove(t, s, "ns", "b")
				got := status(t, test.call(apiserver.ConfigMaps(s, "ns")))
				require.Equal(t, strings.ReplaceAll(test.want, "UID in object meta: UID", "UID in object meta: "+string(a.UID)),
					strings.ReplaceAll(got.Message, "in record ("+string(a.UID)+")", "in record (UID)"))
				require.Equal(t, test.code, got.Code)
				require.Equal(t, test.reason, got.Reason)
				require.Equal(t, "4", s.Revision(), "a refusal changes nothing")
			})
		})
	}
}

func creates(o *corev1.ConfigMap) func(client) error {
	return func(c client) error { _, err := c.Create(ctx, o, metav1.CreateOptions{}); return err }
}

func updates(o *corev1.ConfigMap) func(client) error {
	return func(c client) error { _, err := c.Update(ctx, o, metav1.UpdateOptions{}); return err }
}

func deletes(name string, o metav1.DeleteOptions) func(client) error {
	return func(c client) error { return c.Delete(ctx, name, o) }
}

func patches(name, patch string) func(client) error {
	return func(c client) error {
		_, err := c.Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		return err
	}
}

// details.kind is the plural, but the Kind in Invalid and in a delete's preconditions; a lease without
// a version is the exception.
func TestStatusDetails(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "ns", cm("a"))
		l := apiserver.Leases(s, "ns")
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "l"}}
		_, err := l.Create(ctx, lease, metav1.CreateOptions{})
		require.NoError(t, err)
		_, err = l.Create(ctx, lease, metav1.CreateOptions{})
		require.EqualError(t, err, `leases.coordination.k8s.io "l" already exists`)
		require.Equal(t, &metav1.StatusDetails{Name: "l", Group: "coordination.k8s.io", Kind: "leases"}, status(t, err).Details)
		_, err = l.Update(ctx, lease, metav1.UpdateOptions{})
		require.EqualError(t, err, `leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`)
		require.Equal(t, "leases", status(t, err).Details.Kind)
		err = creates(cm(""))(apiserver.ConfigMaps(s, "ns"))
		require.Equal(t, []metav1.StatusCause{{Type: "FieldValueRequired", Message: "Required value: name or generateName is required", Field: "metadata.name"}},
			status(t, err).Details.Causes)
	})
}

func TestCreateFills(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		now := metav1.Now().Rfc3339Copy()
		o := create(t, s, "ns", &corev1.ConfigMap{
			TypeMeta: metav1.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"},
			ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "mine", DeletionTimestamp: &now, DeletionGracePeriodSeconds: ptr(int64(3)),
				CreationTimestamp: metav1.Unix(1, 0), Generation: 7},
		})
		require.Equal(t, metav1.TypeMeta{}, o.TypeMeta)
		require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, o.UID)
		o.UID = ""
		require.Equal(t, metav1.ObjectMeta{Name: "a", Namespace: "ns", CreationTimestamp: now, ResourceVersion: "2", Generation: 7}, o.ObjectMeta)

		g := create(t, s, "ns", &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: strings.Repeat("g", 70)}})
		require.Regexp(t, `^g{58}[bcdfghjklmnpqrstvwxz2456789]{5}$`, g.Name)
		named := create(t, s, "ns", &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "gen-", Name: "given"}})
		require.Equal(t, "given", named.Name)
		require.Equal(t, "gen-", named.GenerateName)
	})
}

func TestUpdateKeeps(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		w := record(t, s, inNS, metav1.ListOptions{ResourceVersion: "1"})
		a := create(t, s, "ns", cm("a"))
		c := apiserver.ConfigMaps(s, "ns")
		bare := cm("a", "k", "v") // unconditional, without anything of the system's
		got, err := c.Update(ctx, bare, metav1.UpdateOptions{})
		require.NoError(t, err)
		require.Equal(t, a.UID, got.UID)
		require.Equal(t, a.CreationTimestamp, got.CreationTimestamp)
		require.Equal(t, "3", got.ResourceVersion)
		again, err := c.Update(ctx, bare, metav1.UpdateOptions{})
		require.NoError(t, err)
		require.Equal(t, got, again, "nothing changed, so the old version")
		again, err = c.Patch(ctx, "a", types.MergePatchType, []byte("{}"), metav1.PatchOptions{})
		require.NoError(t, err)
		require.Equal(t, got, again)
		patched, err := c.Patch(ctx, "a", types.MergePatchType, []byte(`{"metadata":{"labels":{"k":null,"l":"m"}},"data":{"x":"y"}}`), metav1.PatchOptions{})
		require.NoError(t, err)
		require.Equal(t, map[string]string{"l": "m"}, patched.Labels)
		require.Equal(t, map[string]string{"x": "y"}, patched.Data)
		require.Equal(t, []string{"ADDED a@2", "MODIFIED a@3", "MODIFIED a@4"}, w.got())
	})
}

func TestGeneration(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		req := apiserver.Request{Resource: pods, Namespace: "ns", Name: "p"}
		p := pod("p", "")
		p.Generation, p.Finalizers = 9, []string{"x.io/f"}
		obj, err := s.Create(ctx, req, p, metav1.CreateOptions{})
		require.NoError(t, err)
		p = obj.(*corev1.Pod)
		require.EqualValues(t, 1, p.Generation)
		p.Status.Phase = corev1.PodRunning
		of := req
		of.Subresource = "status"
		obj, err = s.Update(ctx, of, p, metav1.UpdateOptions{})
		require.NoError(t, err)
		require.EqualValues(t, 1, obj.(*corev1.Pod).Generation, "not for a status")
		p = obj.(*corev1.Pod)
		p.Spec.Containers[0].Image = "j"
		obj, err = s.Update(ctx, req, p, metav1.UpdateOptions{})
		require.NoError(t, err)
		require.EqualValues(t, 2, obj.(*corev1.Pod).Generation)
		obj, err = s.Delete(ctx, req, metav1.DeleteOptions{})
		require.NoError(t, err)
		require.EqualValues(t, 3, obj.(*corev1.Pod).Generation)
	})
}

func TestDryRun(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		c, all := apiserver.ConfigMaps(s, "ns"), []string{"All"}
		a := create(t, s, "ns", cm("a"))
		w := record(t, s, inNS, metav1.ListOptions{ResourceVersion: "2"})
		o, err := c.Create(ctx, cm("b"), metav1.CreateOptions{DryRun: all})
		require.NoError(t, err)
		require.NotEmpty(t, o.UID)
		require.Empty(t, o.ResourceVersion)
		o, err = c.Update(ctx, cm("a", "k", "v"), metav1.UpdateOptions{DryRun: all})
		require.NoError(t, err)
		require.Equal(t, "2", o.ResourceVersion)
		require.Equal(t, "v", o.Labels["k"])
		_, err = c.Patch(ctx, "a", types.MergePatchType, []byte(`{"data":{"k":"v"}}`), metav1.PatchOptions{DryRun: all})
		require.NoError(t, err)
		require.NoError(t, c.Delete(ctx, "a", metav1.DeleteOptions{DryRun: all}))
		require.NoError(t, c.DeleteCollection(ctx, metav1.DeleteOptions{DryRun: all}, metav1.ListOptions{}))
		now, err := c.Get(ctx, "a", metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, a, now)
		require.Empty(t, w.got())
		require.Equal(t, "2", s.Revision())
	})
}

func TestDelete(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		a := create(t, s, "ns", cm("a"))
		w := record(t, s, inNS, metav1.ListOptions{ResourceVersion: "2"})
		req := apiserver.Request{Resource: configMaps, Namespace: "ns", Name: "a"}
		got, err := s.Delete(ctx, req, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &a.UID, ResourceVersion: ptr("2")}})
		require.NoError(t, err)
		require.Equal(t, &metav1.Status{Status: "Success", Details: &metav1.StatusDetails{Name: "a", Kind: "configmaps", UID: a.UID}}, got)
		require.Equal(t, []string{"DELETED a@3"}, w.got())
		again := create(t, s, "ns", cm("a"))
		require.NotEqual(t, a.UID, again.UID)
	})
}

func TestFinalizers(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		held := cm("a")
		held.Finalizers = []string{"x.io/f", "x.io/g"}
		create(t, s, "ns", held)
		w := record(t, s, inNS, metav1.ListOptions{ResourceVersion: "2"})
		req := apiserver.Request{Resource: configMaps, Namespace: "ns", Name: "a"}
		for range 2 { // the second changes nothing
			obj, err := s.Delete(ctx, req, metav1.DeleteOptions{})
			require.NoError(t, err)
			o := obj.(*corev1.ConfigMap)
			require.Equal(t, "3", o.ResourceVersion)
			require.NotNil(t, o.DeletionTimestamp)
			require.EqualValues(t, 0, *o.DeletionGracePeriodSeconds)
		}
		o := update(t, s, "ns", "a", func(o *corev1.ConfigMap) {
			o.Finalizers, o.DeletionTimestamp, o.DeletionGracePeriodSeconds = o.Finalizers[:1], nil, nil
		})
		require.Equal(t, "4", o.ResourceVersion)
		require.NotNil(t, o.DeletionTimestamp, "no update takes it away")
		o = update(t, s, "ns", "a", func(o *corev1.ConfigMap) { o.Finalizers = nil })
		require.Equal(t, "4", o.ResourceVersion, "the answer has the old version")
		require.Equal(t, []string{"MODIFIED a@3", "MODIFIED a@4", "DELETED a@5"}, w.got())
		require.Equal(t, []string{"x.io/f"}, w.last.Object.(*corev1.ConfigMap).Finalizers, "the last stored state")
	})
}

func TestPropagation(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "ns", cm("a"))
		w := record(t, s, inNS, metav1.ListOptions{ResourceVersion: "2"})
		req := apiserver.Request{Resource: configMaps, Namespace: "ns", Name: "a"}
		for _, test := range []struct {
			policy metav1.DeletionPropagation
			want   []string
		}{{metav1.DeletePropagationOrphan, []string{"orphan"}}, {metav1.DeletePropagationForeground, []string{"foregroundDeletion"}}} {
			obj, err := s.Delete(ctx, req, metav1.DeleteOptions{PropagationPolicy: &test.policy})
			require.NoError(t, err)
			require.Equal(t, test.want, obj.(*corev1.ConfigMap).Finalizers)
		}
		obj, err := s.Delete(ctx, req, metav1.DeleteOptions{PropagationPolicy: ptr(metav1.DeletePropagationBackground)})
		require.NoError(t, err)
		require.IsType(t, &metav1.Status{}, obj)
		require.Equal(t, []string{"MODIFIED a@3", "MODIFIED a@4", "DELETED a@5"}, w.got())
	})
}

func TestDeleteCollection(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		for _, name := range []string{"c", "a", "b"} {
			create(t, s, "ns", cm(name, "k", name))
		}
		w := record(t, s, inNS, metav1.ListOptions{ResourceVersion: "4"})
		obj, err := s.DeleteCollection(ctx, inNS, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "k!=b"})
		require.NoError(t, err)
		require.Equal(t, []string{"a@3", "c@2", "@4"}, names(obj.(*corev1.ConfigMapList)), "as they were")
		require.Equal(t, []string{"DELETED a@5", "DELETED c@6"}, w.got())
		_, err = s.DeleteCollection(ctx, apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("namespaces")}, metav1.DeleteOptions{}, metav1.ListOptions{})
		require.EqualValues(t, 405, status(t, err).Code)
	})
}

func TestDeleteTogether(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		var reqs []apiserver.Request
		for _, name := range []string{"a", "b", "c"} {
			create(t, s, "ns", cm(name))
			reqs = append(reqs, apiserver.Request{Resource: configMaps, Namespace: "ns", Name: name})
		}
		w := record(t, s, inNS, metav1.ListOptions{ResourceVersion: "4"})
		require.Error(t, s.DeleteTogether(append(reqs, apiserver.Request{Resource: configMaps, Namespace: "ns", Name: "x"})...))
		require.Empty(t, w.got())
		require.NoError(t, s.DeleteTogether(append(reqs, reqs[0])...))
		require.Equal(t, []string{"DELETED a@5", "DELETED b@5", "DELETED c@5"}, w.got())
		require.Empty(t, record(t, s, inNS, metav1.ListOptions{ResourceVersion: "5"}).got())
		require.Equal(t, "5", s.Revision())
	})
}

// Leases and events come into being by PUT, with or without a version, but not by a patch.
func TestCreateOnUpdate(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		l := apiserver.Leases(s, "ns")
		o, err := l.Update(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "a", ResourceVersion: "99"}}, metav1.UpdateOptions{})
		require.NoError(t, err)
		require.Equal(t, "2", o.ResourceVersion)
		_, err = l.Patch(ctx, "b", types.MergePatchType, []byte(`{"spec":{"holderIdentity":"me"}}`), metav1.PatchOptions{})
		require.EqualError(t, err, `leases.coordination.k8s.io "b" not found`)
		_, err = l.Update(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "b", ResourceVersion: "zzz"}}, metav1.UpdateOptions{})
		require.EqualError(t, err, `strconv.ParseUint: parsing "zzz": invalid syntax`)
		_, err = l.Update(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "c", UID: "abc"}}, metav1.UpdateOptions{})
		require.EqualError(t, err, `Operation cannot be fulfilled on leases.coordination.k8s.io "c": StorageError: invalid object, Code: 4, `+
			`Key: /registry/leases/ns/c, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: abc, UID in object meta: `)
	})
}

func TestNamespaces(t *testing.T) {
	bubble(t, apiserver.Options{Namespaces: true}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "default", cm("a"))
		err := creates(cm("a"))(apiserver.ConfigMaps(s, "nosuch"))
		require.EqualError(t, err, `namespaces "nosuch" not found`)
		req := apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("namespaces"), Name: "gone"}
		_, err = s.Create(ctx, req, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "gone", Finalizers: []string{"x.io/f"}}}, metav1.CreateOptions{})
		require.NoError(t, err)
		_, err = s.Delete(ctx, req, metav1.DeleteOptions{})
		require.NoError(t, err)
		err = creates(cm("x"))(apiserver.ConfigMaps(s, "gone"))
		require.EqualError(t, err, `configmaps "x" is forbidden: unable to create new content in namespace gone because it is being terminated`)
	})
}

func TestPathsThatAreNone(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		for _, req := range []apiserver.Request{
			{Resource: corev1.SchemeGroupVersion.WithResource("widgets"), Namespace: "ns", Name: "a"},
			{Resource: configMaps, Name: "a"},
			{Resource: configMaps, Namespace: "ns"},
			{Resource: corev1.SchemeGroupVersion.WithResource("namespaces"), Namespace: "ns", Name: "a"},
		} {
			_, err := s.Get(ctx, req, metav1.GetOptions{})
			require.EqualError(t, err, "the server could not find the requested resource")
		}
		_, err := s.Create(ctx, apiserver.Request{Resource: configMaps}, cm("a"), metav1.CreateOptions{})
		require.EqualValues(t, 405, status(t, err).Code)
		_, err = s.Create(ctx, inNS, &corev1.Secret{}, metav1.CreateOptions{})
		require.EqualValues(t, 400, status(t, err).Code)
		_, err = s.Update(ctx, apiserver.Request{Resource: configMaps, Namespace: "ns", Name: "a"}, cm("b"), metav1.UpdateOptions{})
		require.EqualError(t, err, "the name of the object (b) does not match the name on the URL (a)")
		_, err = s.Update(ctx, apiserver.Request{Resource: configMaps, Namespace: "ns", Name: "a"}, cm(""), metav1.UpdateOptions{})
		require.EqualError(t, err, "the name of the object (a based on URL) was undeterminable: name must be provided")
		_, err = s.Create(ctx, inNS, nil, metav1.CreateOptions{})
		require.EqualValues(t, 422, status(t, err).Code)
	})
}
