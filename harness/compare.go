package harness

// Comparison shows two parts of a history side by side, such as a run and the same run while something went wrong. A kind makes it for a
// finding (see Suite.Compare), and reports show it.
type Comparison struct {
	Left   string   `json:"left"` // titles of the columns
	Right  string   `json:"right"`
	Rows   []Row    `json:"rows"`
	Differ []string `json:"differ,omitempty"` // what differs at the end, in sentences
}

// Row is a row of a comparison. A side without a text is empty.
type Row struct {
	Left    Side   `json:"left,omitzero"`
	Right   Side   `json:"right,omitzero"`
	Between string `json:"between,omitempty"` // stands between the columns, above the sides
	Mark    Mark   `json:"mark,omitempty"`
}

// Side is what happened on one side.
type Side struct {
	Num  int32  `json:"num"` // of the event
	Text string `json:"text"`
}

// Mark says why a row is not as others.
type Mark string

const (
	Disturbed Mark = "disturbed" // something went wrong here, as Between says
	Differs   Mark = "differs"   // the first row that differs in a way that matters
	LeftOut   Mark = "left-out"  // rows are left out, as Between says
)
