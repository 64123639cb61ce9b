package rest_test

import (
	"bufio"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A watch is open for a second or two: where the machine is busy, not all has come by then. What a server is known
// to answer is waited for: only who answers something else is waited for in vain.

// ages is the limit of a watch of which all that is wanted is seen before.
const ages = "timeoutSeconds=20"

var (
	limits = regexp.MustCompile(`timeoutSeconds=[1-9]\d*`)
	twice  = regexp.MustCompile(`timeoutSeconds=2(&|$)`) // what lines makes of a watch with steps during it
)

// wanting are the steps of a table, with the answers that are known of them: none, or one for each.
func (t table) wanting(answers []string) (steps []step) {
	next := func(s *step) {
		if len(answers) > 0 {
			s.want, answers = answers[0], answers[1:]
		}
	}
	for _, p := range t.parts {
		for _, s := range p.steps {
			s.during = append([]step(nil), s.during...)
			for i := range s.during {
				next(&s.during[i])
			}
			next(&s)
			steps = append(steps, s)
		}
	}
	return steps
}

// hasty says that an answer is not what is wanted, and that it may be for want of time: nothing came during the watch
// but what had been there, so it can be had again.
func (s step) hasty(answer string) bool {
	return s.want != "" && answer != s.want && s.method == "GET" && s.times == 0 && len(s.during) == 0 && limits.MatchString(s.path)
}

// patiently is a step with much time.
func (s step) patiently() step {
	s.path = limits.ReplaceAllString(s.path, ages)
	return s
}

// open says that a watch is read until all that is wanted has come, by who is there to see: its end is not waited for.
func (s step) open() bool {
	return s.want != "" && len(s.during) > 0 && !s.slow && twice.MatchString(s.path)
}

// events are the lines of the body that is wanted.
func (s step) events() int {
	_, answer, _ := strings.Cut(s.want, "\n< ")
	return strings.Count(answer, "\n< ")
}

// readOpen reads a stream until so many lines have come, but not for less than a time: more than is wanted is seen, too.
func readOpen(stream io.ReadCloser, lines int, least time.Duration) ([]byte, error) {
	type line struct {
		text []byte
		err  error
	}
	came := make(chan line)
	go func() {
		defer close(came)
		for r := bufio.NewReader(stream); ; {
			text, err := r.ReadBytes('\n')
			came <- line{text, err}
			if err != nil {
				return
			}
		}
	}()
	var all []byte
	for enough := time.After(least); enough != nil || lines > 0; {
		select {
		case l := <-came:
			if all = append(all, l.text...); l.err == io.EOF {
				return all, nil
			} else if l.err != nil {
				return all, l.err
			}
			lines--
		case <-enough:
			enough = nil
		}
	}
	stream.Close()
	for range came { // the end of the reader
	}
	return all, nil
}

func TestReadOpen(t *testing.T) {
	inTime := func(f func(w io.WriteCloser)) io.ReadCloser {
		r, w := io.Pipe()
		go f(w)
		return r
	}
	say := func(w io.Writer, text string) { _, _ = io.WriteString(w, text) }
	t.Run("late", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			got, err := readOpen(inTime(func(w io.WriteCloser) { time.Sleep(30 * time.Second); say(w, "a\nb\n") }), 2, 2*time.Second)
			require.NoError(t, err)
			assert.Equal(t, "a\nb\n", string(got))
			assert.Equal(t, 30*time.Second, time.Since(begin))
		})
	})
	t.Run("more than is wanted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			got, err := readOpen(inTime(func(w io.WriteCloser) { say(w, "a\n"); time.Sleep(time.Second); say(w, "b\n") }), 1, 2*time.Second)
			require.NoError(t, err)
			assert.Equal(t, "a\nb\n", string(got))
			assert.Equal(t, 2*time.Second, time.Since(begin))
		})
	})
	t.Run("less", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			got, err := readOpen(inTime(func(w io.WriteCloser) { say(w, "a\n"); w.Close() }), 2, time.Second)
			require.NoError(t, err)
			assert.Equal(t, "a\n", string(got))
		})
	})
	t.Run("broken", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			got, err := readOpen(inTime(func(w io.WriteCloser) {
				say(w, "a\n")
				_ = w.(*io.PipeWriter).CloseWithError(io.ErrUnexpectedEOF)
			}), 2, time.Second)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			assert.Equal(t, "a\n", string(got))
		})
	})
}
