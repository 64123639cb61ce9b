package adapter

import "runtime/debug"

// ModuleVersion is the version of a module in this program, as go.mod has it; empty where the program was built without
// modules, or has none of that path.
func ModuleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == path {
			if m.Replace != nil && m.Replace.Version != "" {
				return m.Replace.Version
			}
			return m.Version
		}
	}
	return ""
}
