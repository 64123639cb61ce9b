//go:build before_0_35 || before_0_33 || before_0_27 || before_0_19

package main

import (
	"fmt"

	"github.com/lwtest/lwtest/plugins/adapter"
)

var streams []string

func transacts(any) bool { return false }

func transact(s any, _ []adapter.Change) error { return fmt.Errorf("a %T has no transactions", s) }
