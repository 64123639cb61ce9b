package mutants

// writeRows are the mutants of one section of the contract.
var writeRows = [][]row{
	conflictRows,
	uidRows,
	statusConflictRows,
	patchConflictRows,
	patchTestRows,
	responseRows,
	storeRows,
	mergePatchRows,
	otherPatchRows,
	applyRows,
	racedPatchRows,
	dryRunRows,
	dryRefusalRows,
	existenceRows,
	missingRows,
	finalizerRows,
	collectionRows,
	collectionConflictRows,
	graceRows,
	statusRows,
	writeOtherRows,
	contentRows,
}
