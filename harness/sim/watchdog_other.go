//go:build !unix

package sim

import "time"

var began = time.Now()

// processorTime stands for how much of the processor this process has had: nobody knows here, so it is the real time.
func processorTime() time.Duration { return time.Since(began) }
