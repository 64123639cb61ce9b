package golden

import "github.com/lwtest/lwtest/conformance/golden"

// Excuses are the classes of perturbation that no rule flags, wholly or in
// part, because they are legal: a line says which clause permits them.
var Excuses = []golden.Excuse{}
