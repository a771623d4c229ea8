package live

import "time"

// stepTracks sends which tracked ships have news, to a client that asked for it, a second after the last look at the earliest.
func (st *stream) stepTracks() error {
	if st.tracks == nil || time.Since(st.tracksAt) < ChangeEvery {
		return nil
	}
	st.tracksAt = time.Now()
	event, err := st.tracks(st.call.HTTP.Context(), st.viewer, st.who.User)
	if event == nil || err != nil {
		return err
	}
	return st.sendEvent("track", event)
}
