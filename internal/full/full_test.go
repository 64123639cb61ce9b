package full_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/internal/full"
)

var ten = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}

func TestPart(t *testing.T) {
	if full.Race {
		t.Skip("parts are smaller under the race detector")
	}
	t.Setenv("LWTEST_FULL", "")
	t.Setenv("LWTEST_SHARE", "1/2")
	assert.False(t, full.Wanted(), "LWTEST_SHARE alone changes nothing")
	assert.Equal(t, []int{0, 4, 8}, full.Part(t, ten, 4, 0))
	assert.Equal(t, []int{2, 6}, full.Part(t, ten, 4, 6), "the index wraps round")
	assert.Equal(t, ten, full.Part(t, ten, 1, 3))
	assert.Equal(t, ten[:1], full.Part(t, ten[:1], 4, 1), "at least one")
	assert.Empty(t, full.Part(t, ten[:0], 4, 1))
	assert.Equal(t, []int{1}, full.Thin(t, ten, 9, 5, 1))
}

func TestFull(t *testing.T) {
	if full.Race {
		t.Skip("nothing runs in full under the race detector")
	}
	t.Setenv("LWTEST_FULL", "1")
	t.Setenv("LWTEST_SHARE", "")
	assert.True(t, full.Wanted())
	assert.Equal(t, ten, full.Part(t, ten, 4, 2))
	assert.False(t, full.Every())
	assert.Equal(t, []int{1, 6}, full.Thin(t, ten, 9, 5, 1))
	t.Setenv("LWTEST_SHARE", "1/3")
	assert.False(t, full.Wanted())
	full.Need(t, "a share runs what takes long")
	assert.Equal(t, []int{0, 1, 4, 7, 8}, full.Part(t, ten, 4, 0), "the share, and what runs without it")
	assert.Equal(t, []int{1, 2, 4, 6, 7}, full.Part(t, ten, 4, 2))
	assert.Equal(t, []int{1}, full.Thin(t, ten, 9, 5, 1))
	t.Setenv("LWTEST_SHARE", "")
	t.Setenv("LWTEST_FULL", "every")
	assert.True(t, full.Wanted())
	assert.True(t, full.Every())
	assert.Equal(t, ten, full.Thin(t, ten, 9, 5, 1))
}

// fataling records that a test failed at once.
type fataling struct {
	testing.TB
	failed bool
}

func (f *fataling) Helper()               {}
func (f *fataling) Fatalf(string, ...any) { f.failed = true; runtime.Goexit() }

func TestShareMisspelt(t *testing.T) {
	if full.Race {
		t.Skip("nothing runs in full under the race detector")
	}
	t.Setenv("LWTEST_FULL", "1")
	for _, share := range []string{"every", "3/3", "-1/3", "1/0", "1"} {
		t.Setenv("LWTEST_SHARE", share)
		f := &fataling{TB: t}
		done := make(chan struct{})
		go func() { defer close(done); full.Part(f, ten, 4, 0) }()
		<-done
		assert.True(t, f.failed, share)
	}
}
