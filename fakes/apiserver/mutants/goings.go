package mutants

func goings() []Mutant { return nil }
