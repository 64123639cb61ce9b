package mutants

func refusals() []Mutant { return nil }
