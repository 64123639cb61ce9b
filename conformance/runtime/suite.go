package runtime

import (
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Suite is the contract of container runtimes, in the order of a pod's life.
var Suite = harness.Suite[Subject]{
	Kind:     "runtime",
	Version:  "1",
	Features: features,
	Rules: []harness.Rule{statusConditions, versionAnswer, configDriver, imageStatus, imageRemove, imageFilesystem,
		sandboxUnique, sandboxStatus, sandboxAddress, sandboxStop, sandboxHandler, sandboxUsers,
		containerUnique, containerRetry, containerEcho, containerImage, containerLogPath, containerTimes, containerStart, containerExit, containerFinal,
		stopTerm, stopKill, stopEnded, stopAgain, stopSignal, removeGone, errorNotFound, errorUnimplemented, errorUnavailable, idempotentAbsent,
		execCode, execState, execMissing, execTimeout, execOutput, logFormat, logReopen, resourcesUpdate, listComplete, streamSame, streamAll, statsRunning,
		eventStopped, eventOrder, eventAll, eventList, restartKeeps, restartExit, restartStop, restartStart, checkpointPod, leakNone},
	Score:    score,
	Language: vocabulary,
	Play:     func(t *harness.T, s Subject, script harness.Script) { play(t, s, story.Of(script)) },
}

func init() { Suite.Checks = checks() } // the vocabulary plays stories, and so do the checks

// check is a check, as a literal.
type check struct {
	Name, About string
	Needs       []harness.Feature
	Rules       []harness.Rule
	Span        time.Duration // 0: twenty seconds
	Isolation   harness.Isolation
	Steps       []story.Step
}

func checks() (out []harness.Check[Subject]) {
	for _, c := range stories {
		s := story.Story{Kind: "runtime", About: c.About, Needs: c.Needs, Steps: c.Steps}
		for _, r := range c.Rules {
			s.Rules = append(s.Rules, r.Address())
		}
		info := harness.Info{Name: c.Name, About: c.About, Needs: c.Needs, Rules: c.Rules, Span: c.Span, Isolation: c.Isolation, Script: vocabulary.Script(s)}
		out = append(out, harness.Check[Subject]{Info: info, Drive: func(t *harness.T, subject Subject) { play(t, subject, s) }})
	}
	return out
}
