package stats

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"quaywatch/engine/stats/repeat"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/internal/rule"
	"quaywatch/ship/statistic"
)

type raw = json.RawMessage

// RunState is where a statistic stands.
type RunState string

// The states of a statistic.
const (
	Idle      RunState = "idle"
	Running   RunState = "running"
	Completed RunState = "completed"
	Aborted   RunState = "aborted"
)

// Job is a statistic: what a user asked for, and what became of it.
type Job struct {
	ID         int64  `json:"-"`   // the time at which it was made, in Unix milliseconds, or a little more: no other has it
	UID        string `json:"uid"` // the same on each box that has it
	Kind       string `json:"kind"`
	form.Owned        // the access list is empty where Shared is set
	Shared     bool   `json:"shared,omitempty"` // the owner's groups share it: no access list was given
	Definition

	Priority int   `json:"priority,omitempty"`
	Most     int   `json:"most,omitempty"` // records; 0 is MostRecords
	Bytes    int64 `json:"bytes"`          // of the definition

	State    RunState  `json:"state"`
	Created  time.Time `json:"created"`
	Started  time.Time `json:"started,omitzero"`
	Finished time.Time `json:"finished,omitzero"`
	Ended    time.Time `json:"ended,omitzero"`  // as Finished, by our own clock; zero where an earlier version noted none
	Latest   time.Time `json:"latest,omitzero"` // of the moments of its records, which may lie after the period; zero for none
	Records  int64     `json:"records,omitempty"`
	Warnings []Note    `json:"warnings,omitempty"`
	Error    *Note     `json:"error,omitempty"` // why it was aborted
	Crashes  int       `json:"crashes,omitempty"`
	Gone     bool      `json:"gone,omitempty"` // it was deleted, and its result is being removed

	Repeat repeat.Interval `json:"repeat,omitempty"` // it runs again for its next period; of all its runs the last one alone has it
	Series *RunSeries      `json:"series,omitempty"` // where it repeats
	Stuck  *Note           `json:"stuck,omitempty"`  // why it does not run again for now

	MailTo []string `json:"mail_to,omitempty"` // uids of users, and addresses
	Mail   bool     `json:"mail,omitempty"`    // it is over, and waits to be mailed to them

	Progress int `json:"-"` // of 100, of the period that is read
}

// Definition is what every kind of statistics is asked for.
type Definition struct {
	Name       string    `json:"name,omitempty"`
	Begin, End time.Time // begin <= time < end
	Filter     string    `json:"filter,omitempty"`
	Held       bool      `json:"held,omitempty"` // it waits until its owner says so
	Start      time.Time `json:"start,omitzero"` // it waits until then
}

// isOver reports whether nothing more comes.
func (j *Job) isOver() bool { return j.State == Completed || j.State == Aborted }

// pending reports whether the statistic waits for its turn or runs.
func (j *Job) pending() bool { return !j.isOver() && !j.Held }

// period returns the time that is asked, at a time.
func (j *Job) period(now time.Time) statistic.Period {
	p := statistic.Period{Begin: j.Begin, End: j.End}
	if p.End.After(now) {
		p.End = now
	}
	return p
}

// Note is a rule that is kept.
type Note struct {
	Word   string         `json:"rule"`
	Text   string         `json:"text"`
	Params map[string]any `json:"params,omitempty"`
}

func noteOf(r *rule.Rule) *Note { return &Note{r.Word, r.Text, r.Params} }

// Rule returns the rule of a note.
func (n *Note) Rule() *rule.Rule { return &rule.Rule{Word: n.Word, Text: n.Text, Params: n.Params} }

// Common are the fields that every kind has.
func Common() []string {
	return []string{"name", "begin", "end", "filter", "execute", "acl", "repeat", "mail_to"}
}

// ParsedDefinition is a definition that was read from a body, and what its kind made of it.
type ParsedDefinition struct {
	Definition
	kind *Kind
	body body
}

// Read reads the definition of a statistic. What is wrong with fields is noted there; it fails where the kind cannot be asked.
func (s *Statistics) Read(f *form.Fields, k *Kind, who Asker) (ParsedDefinition, error) {
	a := ParsedDefinition{kind: k, Definition: readDefinition(f, who)}
	plan, err := k.Check(f, who)
	if err != nil || f.Err() != nil {
		return a, err
	}
	a.body.Posted = map[string]raw{}
	for _, key := range k.Keys {
		if f.Given(key) {
			a.body.Posted[key] = geometries(f.Raw(key))
		}
	}
	a.body.Plan, err = json.Marshal(plan)
	if err == nil && a.definitionBytes() > MostBody {
		f.Refuse("", rule.New("stat_large", "the definition may have at most {max} bytes", "max", MostBody))
	}
	return a, err
}

// geometries returns what was posted with the geometry of each Feature in its place, also in lists: readers of a definition know geometries alone.
func geometries(posted json.RawMessage) json.RawMessage {
	if geometry, pointer := geo.Geometry(posted); pointer != "" {
		return geometry
	}
	var list []json.RawMessage
	if json.Unmarshal(posted, &list) != nil {
		return posted
	}
	same := true
	for i, item := range list {
		list[i] = geometries(item)
		same = same && bytes.Equal(list[i], item)
	}
	if text, err := json.Marshal(list); err == nil && !same {
		return text
	}
	return posted
}

// definitionBytes returns how much the definition takes.
func (a *ParsedDefinition) definitionBytes() int64 {
	n := int64(len(a.body.Plan) + len(a.Name) + len(a.Filter))
	for key, value := range a.body.Posted {
		n += int64(len(key) + len(value))
	}
	return n
}

// readDefinition reads the common fields.
func readDefinition(f *form.Fields, who Asker) (d Definition) {
	f.Require("begin", "end")
	d.Begin, d.End = readTime(f, "begin"), readTime(f, "end")
	if !d.Begin.IsZero() && !d.End.IsZero() && !d.Begin.Before(d.End) {
		f.Refuse("begin", rule.New("begin_before_end", "must be before end"))
	}
	if d.Name = f.TidyOr("name", ""); d.Name != "" {
		f.Check("name", form.CheckTitle(d.Name))
	}
	d.Filter = f.TextOr("filter", "")
	if _, err := who.filter(d.Filter); err != nil {
		f.Check("filter", err)
	}
	d.Held, d.Start = ReadExecute(f)
	return d
}

// readTime reads a time that must be there. It returns the zero time where it is wrong, so the first moment of the year 1 is wrong too.
func readTime(f *form.Fields, key string) time.Time {
	at := f.Time(key, time.Time{})
	var text string
	if !at.IsZero() || !f.Given(key) || json.Unmarshal(f.Raw(key), &text) != nil {
		return at
	}
	if _, err := form.ParseTime(text); err == nil || text == "" { // of other texts it is noted
		_, err = form.ParseTime("")
		f.Check(key, err)
	}
	return at
}

// ReadExecute reads when a statistic is to run: now, where its owner says so, or from a time on.
func ReadExecute(f *form.Fields) (held bool, start time.Time) {
	if !f.Given("execute") {
		return false, time.Time{}
	}
	now := false
	if json.Unmarshal(f.Raw("execute"), &now) == nil {
		return !now, time.Time{}
	}
	var text string
	at, err := time.Time{}, json.Unmarshal(f.Raw("execute"), &text)
	if err == nil {
		at, err = form.ParseTime(text)
	}
	if err != nil {
		f.Refuse("execute", rule.New("execute", "must be true, false, or a time as 2026-11-20T09:43:05Z"))
	}
	return false, at
}

// Posted returns what a user wrote of a statistic beside the common fields.
func (s *Statistics) Posted(id int64) (map[string]json.RawMessage, error) {
	row, err := s.bodies.Get(uint64(id))
	return maps.Clone(row.Value.Posted), err
}

// copyOf returns a job as it is now, for readers.
func (j *kept) copyOf() Job {
	copied := j.Job
	copied.Warnings = slices.Clone(j.Warnings)
	switch {
	case j.going != nil:
		copied.Progress, copied.Records = j.going.progress(), j.going.records.Load()
	case j.State == Completed:
		copied.Progress = 100
	}
	return copied
}
