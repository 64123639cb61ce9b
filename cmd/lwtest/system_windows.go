package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// restartSignals does nothing: this system has no such signals.
func restartSignals(kills, starts chan<- os.Signal) {}

// nobodyReads always returns false on this system, which cannot tell.
func nobodyReads(int) bool { return false }

// obeys reports whether f is a terminal that obeys escape sequences, which a program must ask for.
func obeys(f *os.File) bool {
	console, mode := windows.Handle(f.Fd()), uint32(0)
	return windows.GetConsoleMode(console, &mode) == nil && windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
