package mutants

// watchRows are the mutants of one section of the contract.
var watchRows = [][]row{
	sequenceRows,
	startRows,
}
