package live

import (
	"bytes"
	"time"
)

// distressSent is what a stream sent last of the alarms of distress.
type distressSent struct {
	body    []byte // without its time
	version uint64
	at      time.Time // when the alarms were looked at
}

// stepDistress sends the alarms when they are others for the user: a second after the last look at the earliest. Without a new report it looks
// from time to time, because time alone may show or hide a ship.
func (st *stream) stepDistress() error {
	since := time.Since(st.distress.at)
	if since < ChangeEvery || since < sweepEvery && st.server.deps.Alarms() == st.distress.version {
		return nil
	}
	return st.sendDistress(false)
}

// sendDistress sends the alarms that the user may see, whatever part of the picture the client asked for. It sends what it sent before only
// where that is wanted.
func (st *stream) sendDistress(again bool) error {
	version := st.server.deps.Alarms() // before the alarms, so that what changes meanwhile comes the next time
	event := st.server.deps.Distress(st.viewer, st.who.User)
	_, body, _ := bytes.Cut(event, []byte{','})
	same := bytes.Equal(body, st.distress.body)
	st.distress = distressSent{body, version, time.Now()}
	if same && !again {
		return nil
	}
	return st.sendEvent("distress", event)
}
