package main

import (
	"fmt"
)

// What later versions of client-go have is looked for when the program runs.

// versioned is a store that tells a resourceVersion, and is given bookmarks (since 0.36).
type versioned interface {
	Bookmark(resourceVersion string)
	LastStoreSyncResourceVersion() string
}

func versionOf(s any) (string, error) {
	v, ok := s.(versioned)
	if !ok {
		return "", fmt.Errorf("a %T tells no resourceVersion", s)
	}
	return v.LastStoreSyncResourceVersion(), nil
}

func bookmark(s any, resourceVersion string) error {
	v, ok := s.(versioned)
	if !ok {
		return fmt.Errorf("a %T is given no bookmarks", s)
	}
	v.Bookmark(resourceVersion)
	return nil
}

// newer are the features of a fresh store that not every client-go has. With a feature gate off its version stays empty.
func newer(s any) (features []string) {
	if v, ok := s.(versioned); ok {
		if v.Bookmark("1"); v.LastStoreSyncResourceVersion() == "1" {
			features = append(features, "version")
		}
	}
	if transacts(s) {
		features = append(features, "transactions")
	}
	return features
}
