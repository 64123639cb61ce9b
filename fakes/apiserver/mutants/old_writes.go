package mutants

// oldWrites are those that are no rows yet.
func oldWrites() [][]Mutant {
	return [][]Mutant{
		writes(),
		applyMutants(),
		applyConditions(),
		operations(),
		stated(),
		graces(),
		unchanging(),
		firsts(),
		conflicts(),
		moreWrites(),
		putsThatCreate(),
		contents(),
		altered(),
		filled(),
		going(),
		timedMutants(),
	}
}
