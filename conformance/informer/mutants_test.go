package informer_test

import (
	"testing"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/clientgo"
	"github.com/lwtest/lwtest/plugins/fake"
	"github.com/lwtest/lwtest/plugins/mutants"
	informers "github.com/lwtest/lwtest/plugins/mutants/informer"
)

var ours = informers.Servers{Open: fake.Server, Has: fake.ServerFeatures}

// Our own correct informers pass every check: they are what mutants and oddities are made of.
func TestControls(t *testing.T) { allPass(t, ours.Correct()) }

func allPass(t *testing.T, all []mutants.Target) {
	clientgo.Quiet()
	for _, m := range all {
		t.Run(m.Name, func(t *testing.T) { harness.Test(t, m.Target.Cases) })
	}
}
