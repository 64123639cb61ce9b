package listerwatcher

func oddities() []mutant { return nil }
