package apiserver_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// What goes meanwhile does not stop the deletion of a collection: here it has gone before a view knows of that.
func TestDeleteCollectionMeanwhile(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		behind := s.AddView()
		create(t, s, "ns", cm("a"))
		create(t, s, "ns", cm("b"))
		time.Sleep(time.Second)
		behind.SetLag(time.Minute)
		c := apiserver.ConfigMaps(s, "ns")
		require.NoError(t, c.Delete(ctx, "a", metav1.DeleteOptions{}))
		obj, err := behind.DeleteCollection(ctx, inNS, metav1.DeleteOptions{}, metav1.ListOptions{ResourceVersion: "0"})
		require.NoError(t, err)
		require.Equal(t, []string{"a@2", "b@3", "@3"}, names(obj.(*corev1.ConfigMapList)))
		l, err := c.List(ctx, metav1.ListOptions{})
		require.NoError(t, err)
		require.Empty(t, l.Items)
	})
}

// Where a generated name is taken another one is drawn: two servers of one seed give the same name, unless it is there.
func TestGeneratedNameTaken(t *testing.T) {
	generated := func(first string) (name string) {
		bubble(t, apiserver.Options{Seed: 7}, func(t *testing.T, s *apiserver.Server) {
			create(t, s, "ns", cm(first))
			o := cm("")
			o.GenerateName = "g-"
			o, err := apiserver.ConfigMaps(s, "ns").Create(ctx, o, metav1.CreateOptions{})
			require.NoError(t, err)
			name = o.Name
		})
		return name
	}
	free := generated("x")
	require.Equal(t, free, generated("y"))
	require.NotEqual(t, free, generated(free))
}
