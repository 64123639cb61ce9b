package exec

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/proc"
)

// echoes says what it is asked, agrees says ok to everything.
const (
	echoes = "cat"
	agrees = `while read -r l; do id=${l#*'"id":'}; echo "{\"id\":${id%%,*},\"ok\":{}}"; done`
)

// informerAt is one at a process, with a handler h2, in a case of its own.
func informerAt(t *testing.T, command string, drive func(*remoteInformer, *handler)) {
	t.Helper()
	p, err := proc.Start(command, proc.Limits{})
	require.NoError(t, err)
	r := run(t, caseOf(func(ht *harness.T) {
		s := &session{conn: talk(p, nil), t: ht}
		i := &remoteInformer{session: s, h: "i1", holds: true, handlers: map[string]*handler{}}
		h := &handler{i: i, as: "h2", tell: func(informer.Notice, func()) {}, flow: s.flowing(), more: make(chan struct{}, 1), gone: make(chan struct{}), told: make(chan struct{})}
		i.handlers[h.as] = h
		go h.work()
		drive(i, h)
		h.remove.Do(func() { close(h.gone) })
		<-h.told
		s.close(errors.New("over"))
		p.Kill()
	}))
	assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
}

// caseOf is a case with this drive, of a suite whose only rule passes.
func caseOf(drive func(*harness.T)) harness.Case {
	rule := harness.Rule{Clause: harness.Clause{ID: "a/b", Level: harness.Must, Text: "t", Why: "w", Sources: []harness.Source{{Name: "n", URL: "https://example.com"}}},
		Judge: func(*history.History) harness.Judgement { return harness.Judgement{Tested: 1} }}
	suite := harness.Suite[int]{Kind: "toy", Version: "1", Rules: []harness.Rule{rule}, Checks: harness.Checks([]harness.Check[int]{{
		Info:  harness.Info{Name: "a/b", About: "a drive", Rules: []harness.Rule{rule}},
		Drive: func(ht *harness.T, _ int) { drive(ht) }}}...)}
	return suite.Bind(harness.Plugin[int]{Name: "it", Open: func(*harness.T) (int, error) { return 0, nil }})[0]
}

func notice(as string) event {
	return event{"notice", "i1", []byte(`{"ev":"notice","h":"i1","as":"` + as + `","seq":1,"type":"ADD","object":{}}`)}
}

// A notice of a handler that nobody has added is the adapter's nonsense.
func TestNoticeOfNoHandler(t *testing.T) {
	informerAt(t, echoes, func(i *remoteInformer, _ *handler) {
		i.heard(notice("h9"))
		assert.ErrorContains(t, i.ended(), "a notice for the handler h9, which was never added to this informer")
	})
}

// What a handler was made to wait with is released when the drive has been told.
func TestReleased(t *testing.T) {
	informerAt(t, echoes, func(i *remoteInformer, _ *handler) {
		i.heard(notice("h2"))
		<-i.over
		assert.ErrorContains(t, i.ended(), `{"id":1,"op":"inf.release","h":"i1","as":"h2","seq":1}`)
	})
}

// Of a handler that was taken away nobody takes any more, whatever number it has.
func TestNoticeAfterRemoval(t *testing.T) {
	informerAt(t, echoes, func(i *remoteInformer, h *handler) {
		h.remove.Do(func() { close(h.gone) })
		i.heard(notice("h2"))
		i.heard(notice("h2"))
		assert.NoError(t, i.ended())
		assert.Zero(t, h.come)
	})
}

// Who waits for a removal goes on when no call is under way any more.
func TestRemovalWaits(t *testing.T) {
	informerAt(t, agrees, func(i *remoteInformer, h *handler) {
		called, told := make(chan struct{}), false
		h.tell = func(informer.Notice, func()) {
			close(called)
			time.Sleep(50 * time.Millisecond) // who did not wait would be back by then
			told = true
		}
		i.heard(notice("h2"))
		<-called
		require.NoError(t, h.Remove(true))
		assert.True(t, told)
	})
}

// A notice that comes while the call before is held is told at once: an implementation that does not wait is not hidden.
func TestOverlappingNotices(t *testing.T) {
	informerAt(t, agrees, func(i *remoteInformer, h *handler) {
		both, release := make(chan string, 2), make(chan struct{})
		h.tell = func(n informer.Notice, begun func()) {
			both <- n.Type
			begun()
			<-release
		}
		i.heard(notice("h2"))
		i.heard(event{"notice", "i1", []byte(`{"ev":"notice","h":"i1","as":"h2","seq":2,"type":"UPDATE","object":{}}`)})
		assert.Equal(t, "ADD", <-both)
		assert.Equal(t, "UPDATE", <-both, "the first is still held")
		close(release)
	})
}
