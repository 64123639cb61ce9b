//go:build !unix

package main

import "os"

// restartSignals does nothing: this system has no such signals.
func restartSignals(kills, starts chan<- os.Signal) {}

// nobodyReads always returns false on this system, which cannot tell.
func nobodyReads(int) bool { return false }
