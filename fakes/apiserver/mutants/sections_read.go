package mutants

// readRows are the mutants of one section of the contract.
var readRows = [][]row{
	getRows,
	listRows,
	lackingItemRows,
	lackingPartRows,
	listScopeRows,
	labelTextRows,
	exactRows,
	pageRows,
	togetherRows,
	remainingRows,
	expiredTokenRows,
	listRefusalRows,
	versionRows,
	selectorRows,
	initialRows,
	pastRows,
}
