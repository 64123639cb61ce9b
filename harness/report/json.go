package report

import (
	"encoding/json"
	"io"
)

// JSON writes the report in the form of report.json.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
