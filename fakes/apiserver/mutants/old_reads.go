package mutants

// oldReads are those that are no rows yet.
func oldReads() [][]Mutant {
	return [][]Mutant{
		listForms(),
		watchForms(),
		formedWrites(),
		versions(),
		newer(),
		shards(),
		caches(),
		lags(),
		lagWrites(),
		wide(),
		labelTexts(),
		elsewhere(),
		refused(),
		staleShapes(),
		stripped(),
		mistaken(),
	}
}
