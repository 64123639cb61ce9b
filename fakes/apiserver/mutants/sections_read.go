package mutants

// readRows are the mutants of one section of the contract.
var readRows = [][]row{
	getRows,
	listRows,
	listScopeRows,
	exactRows,
	pageRows,
	togetherRows,
	remainingRows,
	expiredTokenRows,
	listRefusalRows,
}
