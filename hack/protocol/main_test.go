package main

import "testing"

// What is generated is current. The working directory is the module's root, as it is for the command.
func TestCurrent(t *testing.T) {
	t.Chdir("../..")
	if err := run(true); err != nil {
		t.Fatal(err)
	}
}
