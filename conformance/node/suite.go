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
	leaseOwner, leaseRenew, nodeRegister, nodeReport, nodeReady, nodeFeatures, containerGC, logPath, faultRecovers, faultDeadline, faultIndependent, faultAPI, faultRestart, faultReboot}

func init() { Suite.Checks = story.Checks(vocabulary, play, stories...) } // the vocabulary plays stories, and so do the checks
