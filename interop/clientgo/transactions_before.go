//go:build before_0_35

package main

import (
	"fmt"

	"github.com/lwtest/lwtest/plugins/adapter"
)

func transacts(any) bool { return false }

func transact(s any, _ []adapter.Change) error { return fmt.Errorf("a %T has no transactions", s) }
