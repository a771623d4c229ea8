package live

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/users/selection"
)

// tellSelected sends what the user selected since.
func (st *stream) tellSelected(who *request.Caller) error {
	found, last := st.server.deps.Selections.Of(who.UID(), st.selected)
	st.selected = last
	for _, sel := range found {
		if err := st.sendSelect(&sel); err != nil {
			return err
		}
	}
	return nil
}

// sendSelect tells the client to pan and zoom.
func (st *stream) sendSelect(sel *selection.Selection) error {
	body, err := st.server.deps.Selected(st.viewer, sel)
	if err != nil {
		return err
	}
	return st.sendEvent("select", body)
}

// sendStatus sends the health of the feeds, and to an operator what one must know of the box.
func (st *stream) sendStatus() error {
	feeds := st.server.deps.Feeds()
	st.health, st.status = st.server.health(feeds), time.Now()
	body, err := st.server.deps.Status(st.call.HTTP.Context(), st.viewer, st.who.User, feeds)
	if err != nil {
		return err
	}
	return st.sendEvent("status", body)
}

// sendEvent sends an event whole.
func (st *stream) sendEvent(name string, body []byte) error {
	o := st.beginEvent(name)
	o.B = append(o.B, body...)
	return st.write(append(o.B, "\n\n"...))
}

// beginEvent begins an event. Its number counts for the parts that were begun.
func (st *stream) beginEvent(name string) *wire.Object {
	var begun []uint32
	for _, p := range st.parts {
		if p.begun {
			begun = append(begun, p.hash)
		}
	}
	o := &wire.Object{B: make([]byte, 0, 4096), Entry: st.server.deps.Register}
	o.B = append(o.B, "id: "...)
	o.B = append(o.B, eventID(st.viewer.Epoch(), st.at, begun...)...)
	o.B = append(o.B, "\nevent: "...)
	o.B = append(o.B, name...)
	o.B = append(o.B, "\ndata: "...)
	return o
}

// write sends bytes now; a client that does not take them in time is cut off.
func (st *stream) write(b []byte) error {
	return st.inTime(func() error { return st.out.write(b) })
}

// inTime lets write send bytes to the client, which has to take them in time.
func (st *stream) inTime(write func() error) error { return st.writeWithin(ReadWithin, write) }

// writeWithin lets write send bytes to the client, which has to take them within some time.
func (st *stream) writeWithin(limit time.Duration, write func() error) error {
	if err := st.control.SetWriteDeadline(time.Now().Add(limit)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("set the write deadline: %w", err)
	}
	if err := write(); err != nil {
		return err
	}
	return st.control.Flush()
}

// eventID is what a client says to go on: the list of changes, the number in it, and the hashes of what it asked for.
func eventID(epoch, number uint64, asked ...uint32) string {
	id := fmt.Sprintf("%x-%d", epoch, number)
	for _, hash := range asked {
		id += fmt.Sprintf("-%x", hash)
	}
	return id
}

// parseEventID returns the number of an event of this list, and what the client had asked for then: nothing where it is of another list.
func parseEventID(id string, epoch uint64) (number uint64, asked []uint32) {
	parts := strings.Split(id, "-")
	if len(parts) < 3 || len(parts) > 2+mostAsks || parts[0] != strconv.FormatUint(epoch, 16) {
		return 0, nil
	}
	number, err := strconv.ParseUint(parts[1], 10, 64)
	if err != nil {
		return 0, nil
	}
	for _, text := range parts[2:] {
		hash, err := strconv.ParseUint(text, 16, 32)
		if err != nil {
			return 0, nil
		}
		asked = append(asked, uint32(hash))
	}
	return number, asked
}
