package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/history"
)

// Concurrent recording keeps numbers and order the same, and gives each call its own return.
func TestNumbersUnderConcurrency(t *testing.T) {
	const workers, each = 8, 50
	inBoth(t, func(t *T, _ *toy) {
		var mu sync.Mutex
		seen := map[int32]bool{}
		for w := range workers {
			t.Go(func() {
				for range each {
					num, _ := t.Do(Call{Actor: fmt.Sprint("c", w), Kind: "PING"}, func(context.Context) Answer { return Answer{} })
					mu.Lock()
					if seen[num] {
						t.GiveUp("number %d twice", num)
					}
					seen[num] = true
					mu.Unlock()
					t.Seen(fmt.Sprint("w", w), "ADDED", num, Answer{Obj: history.Ref{Labels: t.Set(map[string]string{"w": fmt.Sprint(w)})}})
				}
			})
		}
	}, func(t *testing.T, r Result, h *history.History) {
		assert.Equal(t, Pass, r.Verdict, r.Reason)
		require.Len(t, h.Events, 3*workers*each)
		last := int64(0)
		for i := range h.Events {
			e := &h.Events[i]
			require.Equal(t, int32(i+1), e.Num)
			require.GreaterOrEqual(t, e.At, last, "time does not go back")
			last = e.At
			if e.Phase == history.Return {
				require.Equal(t, e.Actor, h.Event(e.Call).Actor)
			}
		}
	})
}

// once fails one write, as a disk that is full for a moment.
type once struct {
	n, at int
	err   error
}

func (o *once) Write(b []byte) (int, error) {
	if o.n++; o.n == o.at {
		return 0, o.err
	}
	return len(b), nil
}

// A lost line is reported, even if later lines could be written.
func TestLogThatFailsOnce(t *testing.T) {
	full := errors.New("no space left on device")
	o := &once{at: -1}
	l, err := history.NewLog(o, history.Header{})
	require.NoError(t, err)
	r := recorder{log: l, limit: 10}
	r.add(history.Event{Actor: "c1", Kind: "PING"})
	o.at, o.err = o.n+1, full
	for range 5 {
		r.add(history.Event{Actor: "c1", Kind: "PING"})
	}
	_, err = r.finish(history.Header{})
	assert.ErrorIs(t, err, full)
}

func TestLogHasTheHistory(t *testing.T) {
	drive := func(t *T, _ *toy) {
		for range 20 {
			t.Go(func() { ping(t) })
		}
		t.GiveUp("enough")
	}
	for name, c := range map[string]Case{"real": realToy(drive), "virtual": virtualToy(drive)} {
		t.Run(name, func(t *testing.T) {
			var log, own, logged bytes.Buffer
			r, h := Run(c, Options{TB: t, Seed: 3, Target: "toys", Log: &log})
			require.NoError(t, h.Write(&own))
			read, err := history.ReadLog(&log)
			require.NoError(t, err)
			require.NoError(t, read.Write(&logged))
			assert.Equal(t, own.String(), logged.String())
			assert.Equal(t, 41, r.Events)
			assert.Equal(t, history.Header{Format: history.Format, Kind: "toy", Check: "toy/toy/check", Target: "toys", Plugin: "toy v1",
				Features: h.Header.Features, Time: name, Seed: 3, Contract: "7"}, h.Header)
		})
	}
}

// full is a disk with room for a limited number of writes.
type full struct{ room int }

var errFull = errors.New("no space left on device")

func (f *full) Write(p []byte) (int, error) {
	if f.room--; f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestFullDiskIsInconclusive(t *testing.T) {
	const enough = 1000
	disk := &full{enough}
	r, _ := Run(realToy(func(t *T, _ *toy) { ping(t) }), Options{Log: disk})
	assert.Equal(t, Pass, r.Verdict)
	for room := range enough - disk.room {
		driven := false
		r, h := Run(realToy(func(t *T, _ *toy) { driven = true; ping(t) }), Options{Log: &full{room}})
		assert.Equal(t, Inconclusive, r.Verdict)
		assert.Equal(t, "the history could not be written: no space left on device", r.Reason)
		assert.Nil(t, h)
		if room == 0 {
			assert.False(t, driven)
		}
	}
}

// A subject that never stops is cancelled at a limit of events.
func TestFlood(t *testing.T) {
	cancelled := false
	r, h := Run(realToy(func(t *T, _ *toy) {
		for t.Context().Err() == nil {
			t.Seen("w1", "ADDED", 0, Answer{})
		}
		cancelled = true
		num, _ := t.Do(Call{Actor: "c1", Kind: "PING"}, func(context.Context) Answer { return Answer{} })
		if num != 0 {
			panic("recorded after the flood")
		}
	}), Options{})
	assert.True(t, cancelled)
	assert.Equal(t, Inconclusive, r.Verdict)
	assert.Equal(t, fmt.Sprintf("flooded: more than %d events in one check", maxEvents), r.Reason)
	assert.Len(t, h.Events, maxEvents+1)
	assert.Equal(t, history.GaveUp, h.Events[maxEvents].Kind)
}

// Changes that a drive makes to its answer later do not change the history.
func TestAnswersAreCopied(t *testing.T) {
	items := []history.Ref{{Key: "a"}, {Key: "b"}}
	failure := &history.Error{Code: 409}
	_, h := Run(realToy(func(t *T, _ *toy) {
		t.Do(Call{Actor: "c1", Kind: "LIST"}, func(context.Context) Answer { return Answer{Items: items, Err: failure} })
		items[0].Key = "changed"
		failure.Code = 500
	}), Options{})
	ret := h.Event(2)
	assert.Equal(t, "a", ret.X.Items[0].Key)
	assert.Equal(t, 409, ret.Err().Code)
	assert.Zero(t, items[1].K, "and what is made of the history does not change the drive's")
}

// A drive that records a return of no call gets the blame.
func TestDriveRecordsNonsense(t *testing.T) {
	for _, call := range []int32{7, -1, 2} {
		r, h := Run(realToy(func(t *T, _ *toy) { ping(t); t.Seen("w1", "ADDED", call, Answer{}) }), Options{})
		assert.Equal(t, Inconclusive, r.Verdict)
		assert.Contains(t, r.Reason, "the drive recorded an invalid history: event #3 belongs to")
		assert.Nil(t, h)
	}
}

// Ref reads equal bytes once.
func TestRefIsReadOnce(t *testing.T) {
	var c T
	reads := 0
	read := func() history.Ref { reads++; return history.Ref{Key: "a"} }
	for range 3 {
		assert.Equal(t, "a", c.Ref([]byte(`{"a":1}`), read).Key)
	}
	assert.Equal(t, 1, reads)
	c.Ref([]byte(`{"a":2}`), read)
	assert.Equal(t, 2, reads)
}
