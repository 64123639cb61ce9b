// Package busybox makes a container image around a static busybox.
package busybox

import "github.com/lwtest/lwtest/hack/image"

// tools are the commands of the image: what checks of container runtimes use.
var tools = []string{"sh", "sleep", "seq", "true", "false", "cat", "head", "tail", "env", "busybox"}

// Image returns an image with a shell. busybox is the path of a static one.
func Image(busybox, ref string) image.Image {
	i := image.Image{Ref: ref, Config: image.Config{Env: []string{"PATH=/bin"}, Cmd: []string{"/bin/sh"}}}
	for _, name := range tools {
		i.Files = append(i.Files, image.File{From: busybox, To: "/bin/" + name})
	}
	return i
}
