package harness

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestTurnsAreInTheOrderOfComing(t *testing.T) {
	var s Turns
	assert.Equal(t, 1, s.Of("a", "b"))
	assert.Equal(t, 0, s.Of("a"))
	assert.Equal(t, 2, s.Of("c"))
}

// Two actors never act at the same instant, however often they act at once.
func TestTurnsAreApart(t *testing.T) {
	acted := make(chan time.Time, 100)
	at := map[time.Time]int{}
	Run(virtualToy(func(t *T, _ *toy) {
		var s Turns
		for i := range 10 {
			actor := fmt.Sprint(i)
			t.Go(func() {
				for range 10 {
					s.Take(t, actor)
					acted <- time.Now()
					t.Sleep(time.Second)
				}
			})
		}
		t.Sleep(time.Minute)
		for range 100 {
			at[<-acted]++
		}
	}), Options{TB: t})
	assert.Len(t, at, 100)
}
