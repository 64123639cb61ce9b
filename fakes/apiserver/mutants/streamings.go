package mutants

func streamings() []Mutant { return nil }
