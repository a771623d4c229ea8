package live

import "time"

// stepEvents sends what watchdogs raised, to a client that asked for it: at once, but a second after the last look at the earliest. Where nothing was
// raised it looks from time to time, because a right may be new; for a client that is told late, each second.
func (st *stream) stepEvents() error {
	since := time.Since(st.eventsAt)
	if st.events == nil || since < ChangeEvery {
		return nil
	}
	if !over(st.raised) && since < sweepEvery && !st.viewer.Late() {
		return nil
	}
	st.eventsAt, st.raised = time.Now(), st.server.deps.Raised() // before looking, so that what is raised meanwhile comes the next time
	event, err := st.events(st.call.Request.Context(), st.viewer, st.who.User)
	if event == nil || err != nil {
		return err
	}
	st.raised = nil // there may be more
	return st.send("event", event)
}

// over tells whether a channel is closed; nil is.
func over(closed <-chan struct{}) bool {
	select {
	case <-closed:
		return true
	default:
		return closed == nil
	}
}
