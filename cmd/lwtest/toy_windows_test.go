package main

// closeFiles does nothing where descriptors are no small numbers.
func closeFiles() {}
