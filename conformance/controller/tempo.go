package controller

import "time"

// tempo is how long things take in a run. Waiting costs nothing in virtual time; in real time it is all that a run costs.
type tempo struct {
	window    time.Duration // how long a run goes on at its end, for rules that want quiet
	quiet     time.Duration // how long nothing must be written before a run is at rest, beside how late events are
	mostRest  time.Duration // when it goes on anyway
	look      time.Duration // between two looks
	settle    time.Duration // between two looks whether more has come before the controller starts
	pause     time.Duration // how long a controller stays down after it has ended
	unwinding time.Duration // how long it may take to end before the case goes on without it
	behind    time.Duration // how long the API server of a life that starts behind stands still
	waking    time.Duration // how long a life may take to its first request; 0: for ever
	atOnce    int           // runs of one check at the same time
}

var virtualTempo = tempo{window: 10 * time.Minute, quiet: 3 * time.Minute, mostRest: 20 * time.Minute, look: 15 * time.Second, settle: time.Second,
	pause: 5 * time.Second, unwinding: 5 * time.Minute, behind: time.Minute, atOnce: 1}

// DefaultQuiet is how long nothing must be written in real time before a run is at rest.
const DefaultQuiet = 10 * time.Second

// realTempo returns the tempo of real time with a subject's quiet; 0: DefaultQuiet. shared says that its runs share a cluster.
func realTempo(quiet time.Duration, shared bool) tempo {
	if quiet == 0 {
		quiet = DefaultQuiet
	}
	atOnce := 8
	if shared {
		atOnce = 1
	}
	return tempo{window: 3 * quiet, quiet: quiet, mostRest: 12 * quiet, look: 100 * time.Millisecond, settle: quiet,
		pause: time.Second, unwinding: 40 * time.Second, behind: 20 * time.Second, waking: time.Minute, atOnce: atOnce}
}
