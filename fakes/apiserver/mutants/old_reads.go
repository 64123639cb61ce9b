package mutants

// oldReads are those that are no rows yet.
func oldReads() [][]Mutant { return nil }
