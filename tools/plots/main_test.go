package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The pictures in docs/images are those that the data give.
func TestPicturesAreCurrent(t *testing.T) {
	root := filepath.Join("..", "..")
	pictures, err := draws(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range pictures {
		have, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, want) {
			t.Errorf("%s is not what the data give: run `make plots` and commit it", name)
		}
		if !strings.Contains(string(want), "better") {
			t.Errorf("%s does not say what is better", name)
		}
	}
	if len(pictures) != 3 {
		t.Errorf("%d pictures", len(pictures))
	}
}

// Other data give another picture, and data that are missing give none.
func TestOtherData(t *testing.T) {
	const row = `{"other":"x","rows":[{"what":"creates","unit":"a second","more":true,"fake":%,"other":3}]}`
	var last []byte
	for _, fake := range []string{"5", "6"} {
		plots, err := apiserver([]byte(strings.Replace(row, "%", fake, 1)))
		if err != nil {
			t.Fatal(err)
		}
		b, err := svg(plots)
		if err != nil || bytes.Equal(b, last) || !bytes.Contains(b, []byte(">"+fake+" a second<")) {
			t.Fatalf("%v, %s", err, b)
		}
		last = b
	}
	if _, err := judging(nil); err == nil {
		t.Error("no figures are no error")
	}
	if _, err := fuzzing([]byte("{}")); err == nil {
		t.Error("a report without progress is no error")
	}
	if _, err := draws(t.TempDir()); err == nil {
		t.Error("no data are no error")
	}
}
