package mutants

// oldReads are those that are no rows yet.
func oldReads() [][]Mutant {
	return [][]Mutant{
		formedWrites(),
		newer(),
		shards(),
		caches(),
		lags(),
		lagWrites(),
		elsewhere(),
		refused(),
		staleShapes(),
		mistaken(),
	}
}
