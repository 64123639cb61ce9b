package adapter

import "syscall"

// dup2 is dup3: not every architecture has the other.
func dup2(from, to int) error { return syscall.Dup3(from, to, 0) }
