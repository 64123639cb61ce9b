package main

// streams is what an informer declares that asks for streaming lists.
var streams = []string{"streaming-lists"}
