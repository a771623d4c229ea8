package live

import "time"

// messagesSent is when a stream looked at the messages.
type messagesSent struct {
	at    time.Time
	swept time.Time // at all of them
}

// stepMessages sends the messages that are new to the client: a second after the last look at the earliest. From time to time it looks at all of
// them, because time, a name or what users keep may change what the user may have.
func (st *stream) stepMessages() error {
	if time.Since(st.messagesAt.at) < ChangeEvery {
		return nil
	}
	return st.sendMessages(time.Since(st.messagesAt.swept) >= sweepEvery, false)
}

// sendMessages sends what is new to the client, or where whole is set all messages that the user may have. With again it looks at all of them.
func (st *stream) sendMessages(again, whole bool) error {
	st.messagesAt.at = time.Now()
	if again {
		st.messagesAt.swept = st.messagesAt.at
	}
	v, err := st.viewerNow()
	if err != nil {
		return err
	}
	event, err := st.messages(st.call.HTTP.Context(), v, st.who.User, again, whole)
	if event == nil || err != nil {
		return err
	}
	return st.sendEvent("messages", event)
}
