package rig

import "strings"

// Sizes are so many bytes that an object does not fit what people read a stream by: a line of 4 KiB, of 64 KiB (what
// bufio.Scanner allows), and, with nearly as much as a ConfigMap may have, anything smaller.
var Sizes = []int{6_000, 80_000, 1_000_000}

// Text is so many bytes of characters that take one byte, two, three, four, and an escape in JSON: wherever it is cut in
// two, one of them may be. One of them ends a line for whoever takes lines to be Unicode's, not those of a stream of JSON.
func Text(bytes int) string {
	const some = "aé€𝄞\n\"\\ \u0085"
	return strings.Repeat(some, bytes/len(some)) + strings.Repeat("z", bytes%len(some))
}
