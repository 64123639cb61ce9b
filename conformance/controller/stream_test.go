package controller

import (
	"context"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// A watch that ends while late events are due leaves none out between two that it sends.
func TestLateAndCut(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			sent := httptest.NewRecorder()
			s := &stream{ResponseWriter: sent, cancel: cancel, done: ctx.Done(), begun: true, late: time.Minute}
			const events = "abcdefghijklmnopqrstuvwxyz"
			for i := range events {
				_, err := s.Write([]byte(events[i : i+1]))
				assert.NoError(t, err)
			}
			time.AfterFunc(time.Minute, cancel)
			time.Sleep(2 * time.Minute)
			s.drain()
			assert.Equal(t, events[:sent.Body.Len()], sent.Body.String())
		})
	}
}
