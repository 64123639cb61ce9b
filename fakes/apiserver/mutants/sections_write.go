package mutants

// writeRows are the mutants of one section of the contract.
var writeRows = [][]row{}
