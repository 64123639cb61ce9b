package mutants

func gets() []Mutant { return nil }
