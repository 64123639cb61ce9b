package informer

// refusedAfter is a watch that is refused as too large, a pause after what was before.
func refusedAfter(pause string) string {
	return `
		... ` + pause + `
		s3 WATCH rv=6
		s3 <- 504 cause=ResourceVersionTooLarge`
}

var tooLargeHistories = map[string][]judged{
	"resume/too-large": {
		{name: "watches of it are refused, and lists of it come", tested: 5, history: begun + `
			s2 ERROR 500` + listedAfter("1s") + listedAfter("2s") + listedAfter("4s") + listedAfter("8s") + listedAfter("16s")},
		{name: "and streaming lists of it, which end so", history: begun + `
			s2 ERROR 500` + streamedAfter("1s") + streamedAfter("2s") + streamedAfter("4s") + streamedAfter("8s") + streamedAfter("16s")},
		{name: "a list of it, by a message alone, and one of the most recent", tested: 1, history: begun + `
			s2 ERROR 500
			s3 LIST rv=6
			s3 <- 504 too-large
			s3 LIST
			s3 <- @7 a@7:y`},
		{name: "a list of it, by a message alone, for ever", tested: 1, bad: 1, want: "a LIST with resourceVersion unset", got: "LIST of @6 again, 4 times", history: begun + `
			s2 ERROR 500
			s3 LIST rv=6
			s3 <- 504 too-large !` + times(2, `
			... 1s
			s3 LIST rv=6
			s3 <- 504 too-large`) + `
			... 4s
			s3 LIST rv=6
			s3 <- 504 too-large !`},
		{name: "a 504 of another kind", history: begun + `
			s2 ERROR 500` + times(5, `
			... 1s
			s3 LIST rv=6
			s3 <- 504`)},
		{name: "a watch of it, for ever", tested: 1, bad: 1, want: "a LIST with resourceVersion unset", got: "WATCH of @6 again, 4 times", history: begun + `
			s2 END clean
			s3 WATCH rv=6
			s3 <- 504 cause=ResourceVersionTooLarge !` + times(2, `
			... 1s
			s3 WATCH rv=6
			s3 <- ok
			s3 ERROR 504 cause=ResourceVersionTooLarge`) + `
			... 4s
			s3 WATCH rv=6
			s3 <- 504 cause=ResourceVersionTooLarge !`},
	},
}

// listedAfter is such a watch, and a list of the same resourceVersion that comes.
func listedAfter(pause string) string {
	return refusedAfter(pause) + `
		... ` + pause + `
		s3 LIST rv=6
		s3 <- @6 a@5:x b@6:x`
}

// streamedAfter is such a watch, and such a list as a stream, which goes on as a watch and ends likewise.
func streamedAfter(pause string) string {
	return refusedAfter(pause) + `
		... ` + pause + `
		s3 WATCH initial=true rv=6
		s3 <- ok
		s3 BOOKMARK @6 end
		s3 ERROR 504 cause=ResourceVersionTooLarge
		s3 END clean`
}
