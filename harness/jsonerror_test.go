package harness

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestJSONError(t *testing.T) {
	type inner struct {
		Bytes int      `json:"bytes"`
		Size  uint8    `json:"size"`
		Share float64  `json:"share"`
		On    *bool    `json:"on"`
		Names []string `json:"names"`
		For   textual  `json:"for"`
	}
	for text, want := range map[string]string{
		`{"bytes":1,]`:                  "the JSON is broken at byte 12: invalid character ']' looking for beginning of object key string",
		`{"bytes":"x"}`:                 "bytes: a string stands where a whole number is wanted",
		`{"bytes":1.5}`:                 "bytes: the number 1.5 stands where a whole number is wanted",
		`{"size":-1}`:                   "size: the number -1 stands where a whole number of 0 or more is wanted",
		`{"share":[]}`:                  "share: a list stands where a number is wanted",
		`{"on":1}`:                      "on: a number stands where true or false is wanted",
		`{"names":true}`:                "names: true or false stands where a list is wanted",
		`{"for":{}}`:                    "for: an object stands where a string is wanted",
		`[]`:                            "a list stands where an object is wanted",
		`{"bytes":`:                     "the JSON ends in the middle",
		``:                              "there is no JSON",
		`{"colour":"red"}`:              `there is no field "colour"`,
		`{"for":"` + errTextual + `"}`:  errTextual,
		`{"bytes":1,"names":["a","b"]}`: "",
	} {
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		err := JSONError(d.Decode(&inner{}))
		if want == "" {
			assert.NoError(t, err, text)
			continue
		}
		assert.EqualError(t, err, want, text)
	}
	assert.EqualError(t, JSONError(json.Unmarshal([]byte(`{"bytes"`), &inner{})), "the JSON ends in the middle")
}

const errTextual = "no duration"

// textual is a duration as text.
type textual time.Duration

func (*textual) UnmarshalText(b []byte) error { return errors.New(errTextual) }
