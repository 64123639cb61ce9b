package mutants

// oldWatches are those that are no rows yet.
func oldWatches() [][]Mutant {
	return [][]Mutant{
		backlogs(),
		creates(),
		goings(),
		eventTypes(),
		scopes(),
		ends(),
		bookmarkMutants(),
		marks(),
		streamings(),
		shapes(),
		progress(),
		clusterScoped(),
		restarts(),
		restartWrites(),
		situations(),
		amid(),
		slow(),
		slowStarts(),
		seldom(),
		unready(),
		overtakes(),
	}
}
