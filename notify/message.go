package notify

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"quaywatch/engine/watchdogs"
	"quaywatch/form"
	"quaywatch/sight"
	"quaywatch/users/access"
	"quaywatch/users/library"
)

// Delivery is a notice on its way out.
type Delivery struct {
	ID       string // the same in each try, and another one for each notice of each box
	Channel  string
	To       string           // the address of the user that Channel.Targets named, or what it named
	File     *AttachedFile    // that a parcel has, nil for none
	Event    watchdogs.Event  // ID 0 for a letter, a parcel and a test
	Watchdog library.Resource // as it is now; none for a letter, a parcel, a test and for an event that a user made
	Owner    *access.User     // that answers for it, mostly of the watchdog: it may be told of the event; nil for a parcel
	Viewer   *sight.Viewer    // of Owner

	Asked     *TestRequest // who asked for it, where it is a test; nil for any other notice
	Escalated bool         // it tells a user, who may see less than the owner, that nobody acknowledged the event

	letter *note
	record func(*sight.Viewer, *watchdogs.Event) any
}

// Mail returns subject and text as a mail has them. Neither holds a character that a header or a terminal might take for more than text.
func (m *Delivery) Mail() (subject, text string) {
	if m.letter != nil {
		return m.letter.Subject, m.letter.Text
	}
	template := ""
	if w := m.Watchdog.Watchdog; w != nil {
		template = w.MailTemplate
	}
	subject, text = MailText(template, &m.Event)
	if m.Escalated {
		subject = form.Cut("Not acknowledged: "+subject, mostSubject)
		text = form.Cut(fmt.Sprintf("Nobody has acknowledged this since %s.\n\n%s", m.Event.At().Format(time.RFC3339), text), mostText)
	}
	return subject, text
}

// SMS returns the text as a short message has it.
func (m *Delivery) SMS() string {
	if m.letter != nil {
		return m.letter.Subject
	}
	return SMSText(m.Watchdog.Watchdog.SMSTemplate, &m.Event)
}

// Record returns the event in the JSON of the API, as the owner of the watchdog is told of it.
func (m *Delivery) Record() ([]byte, error) { return json.Marshal(m.record(m.Viewer, &m.Event)) }

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }
