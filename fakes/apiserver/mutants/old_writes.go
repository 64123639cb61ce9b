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
		conflicts(),
		moreWrites(),
		putsThatCreate(),
		contents(),
		altered(),
		filled(),
		everywhereMutants(),
		going(),
		timedMutants(),
	}
}
