package mutants

func versions() []Mutant { return nil }
