package requestlog_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Each verb is two entries: what was asked with all that decides it, and what came of that.
func TestVerbs(t *testing.T) {
	server := apiserver.New(apiserver.Options{})
	defer func() { require.NoError(t, server.Close()) }()
	var all []requestlog.Entry
	log := requestlog.New(func(e requestlog.Entry) { all = append(all, e) })
	c := apiserver.ConfigMaps(log.API(server, "one"), "ns")
	for _, test := range []struct {
		verb       string
		call       func() error
		name, says string // in the request
		code       int32
		rv         string // of the answer
		answer     string // in it
	}{
		{"create", func() error {
			_, err := c.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{FieldManager: "m"})
			return err
		}, "", `"fieldManager":"m"`, 201, "2", `"name":"a"`},
		{"update", func() error {
			_, err := c.Update(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"k": "v"}}, metav1.UpdateOptions{DryRun: []string{"All"}})
			return err
		}, "a", `"dryRun":["All"]`, 200, "2", `"k":"v"`},
		{"patch", func() error {
			_, err := c.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"data":{"k":"w"}}`), metav1.PatchOptions{})
			return err
		}, "a", "", 200, "3", `"k":"w"`},
		{"get", func() error {
			_, err := c.Get(t.Context(), "b", metav1.GetOptions{ResourceVersion: "1"})
			return err
		}, "b", `"resourceVersion":"1"`, 404, "", `"reason":"NotFound"`},
		{"list", func() error {
			_, err := c.List(t.Context(), metav1.ListOptions{Limit: 1})
			return err
		}, "", `"limit":1`, 200, "3", `"items":[{`},
		{"deletecollection", func() error {
			return c.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "no=body"})
		}, "", `"labelSelector":"no=body"`, 200, "3", ""},
		{"delete", func() error { return c.Delete(t.Context(), "a", metav1.DeleteOptions{}) }, "a", "", 200, "", ""},
	} {
		all = nil
		err := test.call()
		var known apierrors.APIStatus
		require.Equal(t, test.code > 399, errors.As(err, &known), "%v", err)
		require.Len(t, all, 2)
		asked, answered := all[0], all[1]
		require.Equal(t, []string{test.verb, "configmaps", "ns", test.name, "one"}, []string{asked.Verb, asked.Resource, asked.Namespace, asked.Name, asked.View})
		require.Contains(t, string(asked.Options)+string(asked.Which), test.says)
		require.Equal(t, asked.N, answered.Request)
		require.Equal(t, []any{requestlog.Answered, test.code, test.rv}, []any{answered.What, answered.Code, answered.ResourceVersion}, test.verb)
		require.Contains(t, string(answered.Object), test.answer)
	}
}

// What is no log is told by its line, and the end of one that was cut is left out.
func TestRead(t *testing.T) {
	var b bytes.Buffer
	sink, failed := requestlog.JSONLines(&b)
	requestlog.New(sink).Settled("7")
	require.NoError(t, failed())
	require.True(t, requestlog.Is(b.Bytes()))
	whole := b.String()
	for text, want := range map[string]string{
		"":                                    "line 1: this is no request log",
		`{"lwtest":"history/v1"}` + "\n":      "line 1: this is no request log",
		whole + "{]\n":                        "line 3: invalid",
		whole + `{"n":3,"what":"end"}` + "\n": "line 3: entry 3: want 2",
	} {
		_, err := requestlog.Read(strings.NewReader(text))
		require.ErrorContains(t, err, want)
	}
	all, err := requestlog.Read(strings.NewReader(whole + `{"n":2,"wh`))
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, "7", all[0].ResourceVersion)
}

// A file that cannot be written is told.
func TestWriteFails(t *testing.T) {
	sink, failed := requestlog.JSONLines(broken{})
	sink(requestlog.Entry{N: 1})
	require.ErrorContains(t, failed(), "full")
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

// A watch whose events cannot be written has lost its client; of another answer, and where the server breaks off, what was sent may not have arrived.
func TestUnwritten(t *testing.T) {
	for name, test := range map[string]struct {
		watch, unwritten, broken bool
		want                     requestlog.How
	}{
		"a watch":                         {true, true, false, requestlog.Stopped},
		"a watch that is broken off":      {true, false, true, requestlog.Broken},
		"a watch that is broken off, too": {true, true, true, requestlog.Broken},
		"a list":                          {false, true, false, requestlog.Broken},
		"a list that is written":          {false, false, false, requestlog.Clean},
	} {
		t.Run(name, func(t *testing.T) {
			server := apiserver.New(apiserver.Options{})
			defer func() { require.NoError(t, server.Close()) }()
			var last requestlog.Entry
			log := requestlog.New(func(e requestlog.Entry) { last = e })
			ctx, x := log.Begin(t.Context(), "one", "GET", "/api/v1/configmaps", "", false)
			maps := apiserver.ConfigMaps(log.API(server, "one"), "ns")
			if test.watch {
				w, err := maps.Watch(ctx, metav1.ListOptions{})
				require.NoError(t, err)
				w.Stop()
			} else {
				_, err := maps.List(ctx, metav1.ListOptions{})
				require.NoError(t, err)
			}
			x.End(200, 10, test.unwritten, test.broken)
			require.Equal(t, []any{requestlog.Over, test.want}, []any{last.What, last.How})
		})
	}
}
