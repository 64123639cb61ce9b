package node

import (
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Suite is the contract of node agents.
var Suite = harness.Suite[Subject]{
	Kind:     "node",
	Version:  "1",
	Span:     150 * time.Second,
	Features: features,
	Rules:    rules,
	Score:    score,
	Language: vocabulary,
	Play:     func(t *harness.T, s Subject, script harness.Script) { play(t, s, story.Of(script)) },
}

var rules = []harness.Rule{sourceScope, sourceReady, sourceHTTP, sourceOffline, sourceDuplicate, sourceRefused, staticIdentity, staticMirror, staticReplace, staticRemove, staticForeign,
	orderInit, orderFailure, orderSidecar, orderTermination, orderSandbox, imagePolicy, imageSerial, imageBackOff, imageName, imageProgram, imageRate, imageVolume,
	probeStartup, probeLiveness, probeReadiness, probeDelay, probeRestart, probeEnd, restartReason, restartSingle, restartPolicy, restartCount, restartBackOff, restartRules, ephemeralOnce, plegExit, plegEvents, plegStuck, plegStreams,
	terminationDelete, terminationGrace, terminationHook, terminationNotifies, terminationShorter, terminationStuck, terminationForce, terminationDeadline,
	phaseRuns, phaseMonotone, phaseTerminal, statusPatch, statusQuiet, statusConditions, statusGate, statusGeneration, statusRevert, admissionRefused, resizeApplied, resizePending, cgroupParent, evictionPressure, imageGC, imageAge, imageCredentials, configDriver, logRotation,
	leaseOwner, leaseRenew, nodeRegister, nodeReport, nodeReady, nodeFeatures, containerGC, logPath, faultRecovers, faultAPI, faultRestart, faultReboot}

func init() { Suite.Checks = checks() } // the vocabulary plays stories, and so do the checks

// check is a check, as a literal.
type check struct {
	Name, About string
	Needs       []harness.Feature
	Rules       []harness.Rule
	Span        time.Duration // 0: two and a half minutes
	Steps       []story.Step
}

func checks() (out []harness.Check[Subject]) {
	for _, c := range stories {
		s := story.Story{Kind: "node", About: c.About, Needs: c.Needs, Steps: c.Steps}
		for _, r := range c.Rules {
			s.Rules = append(s.Rules, r.Address())
		}
		info := harness.Info{Name: c.Name, About: c.About, Needs: c.Needs, Rules: c.Rules, Span: c.Span, Script: vocabulary.Script(s)}
		out = append(out, harness.Check[Subject]{Info: info, Drive: func(t *harness.T, subject Subject) { play(t, subject, s) }})
	}
	return out
}
