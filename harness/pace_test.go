package harness

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestPace(t *testing.T) {
	for name, c := range map[string]struct {
		calls []time.Duration
		want  time.Duration
	}{
		"no call":    {nil, 20 * time.Second},
		"quick":      {[]time.Duration{time.Millisecond, 10 * time.Millisecond}, 20 * time.Second},
		"slow":       {[]time.Duration{100 * time.Millisecond, 100 * time.Millisecond}, 40 * time.Second},
		"very slow":  {[]time.Duration{5 * time.Second}, 60 * time.Second},
		"cancelled":  {[]time.Duration{5 * time.Second}, 0},
		"one of ten": {append(make([]time.Duration, 9), time.Second), 40 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &pace{most: 40 * time.Second}
				ctx, cancel := withPace(p, 20*time.Second)
				defer cancel()
				for _, took := range c.calls {
					p.add(took)
				}
				began := time.Now()
				if c.want == 0 {
					cancel()
					<-ctx.Done()
					assert.Equal(t, context.Canceled, ctx.Err())
					return
				}
				<-ctx.Done()
				assert.Equal(t, context.DeadlineExceeded, ctx.Err())
				assert.Equal(t, c.want, time.Since(began).Round(time.Second))
			})
		})
	}
}
