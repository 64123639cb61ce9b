package runtime

import (
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Suite is the contract of container runtimes, in the order of a pod's life.
var Suite = harness.Suite[Subject]{
	Kind:     "runtime",
	Version:  "1",
	Features: features,
	Rules: []harness.Rule{statusConditions, versionAnswer, configDriver, imageStatus, imagePull, imageRemove, imageFilesystem,
		sandboxUnique, sandboxStatus, sandboxAddress, sandboxStop, sandboxHandler, sandboxUsers,
		containerUnique, containerRetry, containerEcho, containerImage, containerLogPath, containerTimes, containerStart, containerExit, containerFinal,
		stopTerm, stopKill, stopEnded, stopAgain, stopSignal, stopInTime, removeGone, errorNotFound, errorUnimplemented, errorUnavailable, errorServed, answerInTime, idempotentAbsent,
		execCode, execState, execMissing, execTimeout, execOutput, logFormat, logReopen, resourcesUpdate, listComplete, streamSame, streamAll, statsRunning, statsPods,
		eventStopped, eventOrder, eventAll, eventList, restartKeeps, restartExit, restartStop, restartStart, restartHalf, checkpointPod, leakNone},
	Score:    score,
	Language: vocabulary,
	Play:     func(t *harness.T, s Subject, script harness.Script) { play(t, s, story.Of(script)) },
}

func init() { Suite.Checks = story.Checks(vocabulary, play, stories) } // the vocabulary plays stories, and so do the checks
