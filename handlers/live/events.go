package live

import (
	"time"

	"quaywatch/sight"
)

// stepEvents sends what watchdogs raised, to a client that asked for it: at once, but a second after the last look at the earliest. Where nothing was
// raised it looks from time to time, because a right may be new; for a client that is told late, each second.
func (st *stream) stepEvents() error {
	since := time.Since(st.eventsAt)
	if st.events == nil || since < ChangeEvery {
		return nil
	}
	if !isClosed(st.raised) && since < sweepEvery && !st.viewer.Late() {
		return nil
	}
	st.eventsAt, st.raised = time.Now(), st.server.deps.Raised() // before looking, so that what is raised meanwhile comes the next time
	event, err := st.tellBy(st.events)
	if event == nil || err != nil {
		return err
	}
	st.raised = nil // there may be more
	return st.sendEvent("event", event)
}

// isClosed reports whether a channel is closed; nil is.
func isClosed(closed <-chan struct{}) bool {
	select {
	case <-closed:
		return true
	default:
		return closed == nil
	}
}

// alertsEvery is the least time between two looks at alerts: one that was acknowledged is to be quiet on all screens within a second.
const alertsEvery = time.Second / 4

// stepAlerts sends the alerts of watchdogs as stepEvents sends what they raised.
func (st *stream) stepAlerts() error {
	since := time.Since(st.alertsAt)
	if st.alerts == nil || since < alertsEvery {
		return nil
	}
	if !isClosed(st.alerted) && since < sweepEvery && !(st.viewer.Late() && since >= ChangeEvery) {
		return nil
	}
	st.alertsAt, st.alerted = time.Now(), st.server.deps.Alerted() // before looking, so that what changes meanwhile comes the next time
	event, err := st.tellBy(st.alerts)
	if event == nil || err != nil {
		return err
	}
	return st.sendEvent("alert", event)
}

// tellBy asks what is new for the user as it is now.
func (st *stream) tellBy(news NewEvents) ([]byte, error) {
	v, err := st.viewerNow()
	if err != nil {
		return nil, err
	}
	return news(st.call.HTTP.Context(), v, st.who.User)
}

// viewerNow returns what the user sees by now. The ships of the stream follow a change within a second. No event and no text that comes after it is told by
// what was before.
func (st *stream) viewerNow() (*sight.Viewer, error) {
	if !st.viewer.Changed() {
		return st.viewer, nil
	}
	return st.server.viewer(st.call, st.who)
}

// untilAlerts returns how long the stream sleeps at most. So what became of an alert right after a look waits no longer than it must.
func (st *stream) untilAlerts() time.Duration {
	rest := alertsEvery - time.Since(st.alertsAt)
	if st.alerts == nil || rest <= 0 {
		return lookEvery
	}
	return rest
}
