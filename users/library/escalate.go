package library

import (
	"time"

	"quaywatch/form"
	"quaywatch/internal/rule"
)

// How long an alert waits until it goes on.
const (
	leastEscalation = 10 * time.Second
	mostEscalation  = 100 * time.Hour
)

// Escalation says when an alert that nobody acknowledges goes on, and the users that it goes to.
type Escalation struct {
	After DurationJSON `json:"escalate_after,omitempty"` // 0 is never
	To    []string     `json:"escalate_to,omitempty"`    // uids of groups and users; an answer has their names
}

// readFields takes the fields of an escalation. It returns a new one, as what a thing points to never changes.
func (e *Escalation) readFields(f *form.Fields, find form.Finder) *Escalation {
	now := Escalation{}
	if e != nil {
		now = *e
	}
	if f.Given("escalate_after") {
		if text := f.Text("escalate_after"); text == "" {
			now.After = 0
		} else {
			f.Check("escalate_after", now.After.UnmarshalText([]byte(text)))
		}
		if d := time.Duration(now.After); d != 0 && (d < leastEscalation || d > mostEscalation) {
			f.Refuse("escalate_after", rule.New("range", "must be from {min} to {max}", "min", form.DurationText(leastEscalation), "max", form.DurationText(mostEscalation)))
		}
	}
	if f.Given("escalate_to") {
		now.To = f.Holders("escalate_to", maxRefs, find)
	}
	if now.After == 0 && len(now.To) == 0 {
		return nil
	}
	if now.After == 0 {
		f.Refuse("escalate_after", rule.New("escalate_when", "is required with escalate_to"))
	}
	return &now
}

// escalationRecord is an escalation as it is read.
type escalationRecord struct {
	After DurationJSON `json:"escalate_after,omitempty"`
	To    []form.Ref   `json:"escalate_to,omitempty"`
}

// record returns an escalation as it is read.
func (l *Library) escalation(e *Escalation) *escalationRecord {
	if e == nil {
		return nil
	}
	return &escalationRecord{e.After, form.Finder(l.box.Find).Named(e.To)}
}
