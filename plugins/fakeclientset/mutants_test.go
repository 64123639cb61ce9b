package fakeclientset_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/fakeclientset"
)

// unversioned is a clientset whose lists say no resourceVersion, as those before client-go v0.36.
func unversioned() *fake.Clientset {
	cs := fake.NewSimpleClientset()
	cs.PrependReactor("list", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		l := a.(clienttesting.ListActionImpl)
		out, err := cs.Tracker().List(l.GetResource(), l.GetKind(), l.GetNamespace(), l.GetListOptions())
		if err != nil {
			return true, nil, err
		}
		m, err := meta.ListAccessor(out)
		if err == nil {
			m.SetResourceVersion("")
		}
		return true, out, err
	})
	return cs
}

// fromNow is one whose watches begin with nothing, too: what was written since the list is lost (track record, case 1).
func fromNow() kubernetes.Interface {
	cs := unversioned()
	cs.PrependWatchReactor("*", func(a clienttesting.Action) (bool, watch.Interface, error) {
		w, err := cs.Tracker().Watch(a.GetResource(), a.GetNamespace())
		return true, w, err
	})
	return cs
}

// Where nothing has a resourceVersion, a watch from none that has what was written since the list is right, and one
// that lost it is not.
func TestWatchesOfUnversionedListsBeginWithWhatIsThere(t *testing.T) {
	for name, c := range map[string]struct {
		open func() kubernetes.Interface
		lost bool
	}{
		"unversioned": {func() kubernetes.Interface { return unversioned() }, false},
		"from-now":    {fromNow, true},
	} {
		t.Run(name, func(t *testing.T) {
			cases := fakeclientset.Cases(c.open)
			var fromList *harness.RuleResult
			for i := range cases {
				if cases[i].Name == "watch/from-list" {
					fromList = ruleOf(run(t, cases[i:i+1])[0], "watch/from-list")
				}
			}
			require.NotNil(t, fromList)
			require.Positive(t, fromList.Tested)
			require.Equal(t, c.lost, fromList.Failures > 0, "%v", fromList.Bad)
		})
	}
}

func ruleOf(r harness.Result, rule string) *harness.RuleResult {
	for i := range r.Rules {
		if r.Rules[i].Rule == rule {
			return &r.Rules[i]
		}
	}
	return nil
}
