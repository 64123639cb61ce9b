//go:build before_0_33 || before_0_27 || before_0_19

package main

// contextWays are none: what takes a context has come with 0.33.
var contextWays []way
