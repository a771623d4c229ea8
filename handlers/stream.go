package handlers

import (
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/selection"
	"quaywatch/ship"
)

// How often a live stream does what.
const (
	lookEvery    = 250 * time.Millisecond // whether the caller is still welcome, or selected something
	changeEvery  = time.Second
	statusEvery  = 5 * time.Second
	commentEvery = 15 * time.Second
	sweepEvery   = 5 * time.Second  // for filters that time alone can change
	readWithin   = 10 * time.Second // a client that takes nothing for so long is cut off
	chunkSize    = 64 << 10
)

// question is what a live client asked for.
type question struct {
	bounds   *geo.Rect
	filter   *ship.Filter
	door     *door
	volatile bool   // the filter's answer may change without a report
	since    uint64 // generation of the users and what they keep
	hash     uint32
	seen     ship.State // room for told
}

// askedFor reads bbox and filter, and works out what the caller may see.
func (s *Server) askedFor(c *call, who *caller) (question, error) {
	q := question{since: s.deps.Users.Generation()}
	d, err := s.as(c.Request.Context(), who)
	if err != nil {
		return q, err
	}
	q.door = d
	q.volatile = !d.view.Everything()
	if text := c.Query("bbox"); text != "" {
		r, err := parseBounds(text)
		if err != nil {
			return q, badRequest("bbox "+err.Error(), fieldError{"bbox", err.Error()})
		}
		q.bounds = &r
	}
	text := c.Query("filter")
	if strings.TrimSpace(text) != "" {
		filter, err := s.parseFilter(who.user, text)
		if err != nil {
			return q, err
		}
		q.filter = filter
		lower := strings.ToLower(text)
		q.volatile = q.volatile || strings.Contains(lower, "age") || strings.Contains(lower, "hour") || strings.Contains(lower, "dow")
	}
	h := fnv.New32a()
	fmt.Fprintf(h, "%s\x00%s\x00%d", c.Query("bbox"), text, q.since)
	q.hash = h.Sum32()
	return q, nil
}

// plain tells that the question is answered the same, whatever users keep.
func (q *question) plain() bool { return q.filter == nil && q.door.view.Everything() }

// parseBounds reads west,south,east,north.
func parseBounds(text string) (geo.Rect, error) {
	rule := errors.New("must be west,south,east,north in degrees")
	parts := strings.Split(text, ",")
	if len(parts) != 4 {
		return geo.Rect{}, rule
	}
	var n [4]float64
	for i, part := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || v != v {
			return geo.Rect{}, rule
		}
		n[i] = v
	}
	r := geo.Rect{West: n[0], South: n[1], East: n[2], North: n[3]}
	if !r.Valid() {
		return geo.Rect{}, rule
	}
	return r, nil
}

// takes tells whether the client wants to see the ship.
func (q *question) takes(s *ship.State, now time.Time) bool {
	if s.Age == ship.Removed {
		return false
	}
	if q.bounds != nil && (!s.HasFix || !q.bounds.Contains(s.Fix.Point())) {
		return false
	}
	return q.door.view.Shows(s, now) && (q.filter == nil || q.filter.Match(q.told(s), now))
}

// told gives of a ship what the client may be told: who is for the pier alone cannot ask whom the roof hears. It is valid until
// the next call.
func (q *question) told(s *ship.State) *ship.State {
	if !q.door.view.Chooses() {
		return s
	}
	q.seen = *s
	q.door.view.Tell(&q.seen)
	return &q.seen
}

// stream is one live client.
type stream struct {
	server   *Server
	asked    question
	world    *world // that of the question's door, held
	call     *call
	selected uint64 // version of the last selection that was sent
	g        *gin.Context
	control  *http.ResponseController
	at       uint64                // the number up to which everything is sent
	has      map[ais.MMSI]struct{} // the ships that the client knows
	health   string                // of the feeds, as last sent
	comment  time.Time             // of the last one
	status   time.Time
	swept    time.Time
	followed time.Time // when the question was worked out
	stepped  time.Time
}

// streamLive serves one live client until it goes, or is no longer welcome.
func (s *Server) streamLive(c *call) error {
	asked, err := s.askedFor(c, c.caller)
	if err != nil {
		return err
	}
	if !s.live.enter(c.caller.key) {
		return tooMany("too many live streams", 30*time.Second)
	}
	st := &stream{server: s, asked: asked, world: asked.door.world, call: c, g: c.Context, control: http.NewResponseController(c.Writer), has: map[ais.MMSI]struct{}{}}
	s.worlds.read(st.world, 1)
	err = st.run(c.caller)
	s.worlds.read(st.world, -1)
	s.live.leave(c.caller.key, errors.Is(err, os.ErrDeadlineExceeded))
	if err != nil {
		s.deps.Log.Debug("live stream ended", "user", c.caller.name(), "error", err)
	}
	return nil // the answer is long under way; nothing can be said any more
}

func (st *stream) run(who *caller) error {
	// The server's time-outs are for requests that end.
	if err := st.control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("lift the read deadline: %w", err)
	}
	st.g.Header("Content-Type", "text/event-stream")
	st.g.Header("X-Accel-Buffering", "no")
	st.g.Writer.WriteHeader(http.StatusOK)
	_, st.selected = st.server.selections.Of("", 0) // before the picture: who has that is told of what is selected from then on
	if err := st.begin(st.g.GetHeader("Last-Event-ID")); err != nil {
		return err
	}
	st.comment, st.stepped = time.Now(), time.Now()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-st.g.Request.Context().Done():
			return nil
		case <-ticker.C:
		}
		var welcome bool
		if who, welcome = st.server.stillWelcome(who); !welcome {
			return nil
		}
		if err := errors.Join(st.follow(who), st.tellSelected(who)); err != nil {
			return err
		}
		if time.Since(st.stepped) < changeEvery-lookEvery/2 {
			continue
		}
		st.stepped = time.Now()
		if err := st.step(); err != nil {
			return err
		}
	}
}

// follow works out the question anew when what the caller may see, or what the filter names, may have changed, and sends what
// that makes appear and go.
func (st *stream) follow(who *caller) error {
	changed := st.server.deps.Users.Generation() != st.asked.since && time.Since(st.followed) >= changeEvery
	if !changed && !st.world.over() {
		return nil
	}
	st.followed = time.Now()
	asked, err := st.server.askedFor(st.call, who)
	switch {
	case asked.door == nil:
		return err // no picture at the new pace: the client comes again and is told why
	case err != nil: // the filter names what is gone, or is hidden now: it matches nothing
		if asked.filter, err = ship.ParseFilter("mmsi = 0", ship.Lookup{}); err != nil {
			return err
		}
		asked.volatile = true
	}
	was := st.asked
	st.asked = asked
	switch {
	case asked.door.world != st.world:
		st.server.worlds.read(asked.door.world, 1)
		st.server.worlds.read(st.world, -1)
		st.world = asked.door.world
		return st.sendPicture()
	case was.plain() && asked.plain():
		return nil
	}
	return st.sweep()
}

// tellSelected sends what the user selected since.
func (st *stream) tellSelected(who *caller) error {
	found, last := st.server.selections.Of(who.user.UID, st.selected)
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
	body, err := st.asked.door.selectEvent(sel)
	if err != nil {
		return err
	}
	o := st.event("select")
	o.b = append(o.b, body...)
	return st.write(append(o.b, "\n\n"...))
}

// begin sends the picture, or goes on from where the client was.
func (st *stream) begin(lastID string) error {
	number, known := st.world.live.parseID(lastID, st.asked.hash)
	if known && !st.asked.volatile {
		if ships, next, ok := st.world.live.since(number); ok {
			st.recall(ships)
			return errors.Join(st.sendChange(ships, next), st.sendStatus())
		}
	}
	return errors.Join(st.sendPicture(), st.sendStatus())
}

// recall works out which ships a returning client knows: those that it wanted then are those that it would get now, but
// for the ones that changed since. Of these it is told anew.
func (st *stream) recall(since []changed) {
	moved := make(map[ais.MMSI]struct{}, len(since))
	for _, c := range since {
		moved[c.mmsi] = struct{}{}
	}
	now := st.asked.door.now()
	st.world.picture.Each(func(s *ship.State) bool {
		if _, ok := moved[s.MMSI]; !ok && st.asked.takes(s, now) {
			st.has[s.MMSI] = struct{}{}
		}
		return true
	})
	for m := range moved {
		if s, ok := st.world.picture.Ship(m); !ok || !st.asked.takes(&s, now) {
			st.has[m] = struct{}{} // so that it is told that she is gone, if it knew her
		}
	}
}

// step sends what a second brought.
func (st *stream) step() error {
	ships, next, ok := st.world.live.since(st.at)
	if !ok {
		return st.sendPicture()
	}
	if len(ships) > 0 {
		if err := st.sendChange(ships, next); err != nil {
			return err
		}
	}
	if st.asked.volatile && time.Since(st.swept) >= sweepEvery {
		if err := st.sweep(); err != nil {
			return err
		}
	}
	if time.Since(st.comment) >= commentEvery {
		st.comment = time.Now()
		if err := st.write([]byte(": still here\n\n")); err != nil {
			return err
		}
	}
	if time.Since(st.status) >= statusEvery || health(st.server.deps.Feeds()) != st.health {
		return st.sendStatus()
	}
	return nil
}

// sendPicture sends every ship that the client wants.
func (st *stream) sendPicture() error {
	st.at = st.world.live.latest()
	clear(st.has)
	now := st.asked.door.now()
	var ships []ship.State
	take := func(s *ship.State) bool {
		if st.asked.takes(s, now) {
			ships = append(ships, *st.asked.told(s))
		}
		return true
	}
	if st.asked.bounds != nil {
		st.world.picture.Within(*st.asked.bounds, take)
	} else {
		st.world.picture.Each(take)
	}
	st.swept = time.Now()
	o := st.event("picture")
	o.b = append(o.b, '{')
	o.time(`"time":`, now.UnixMilli())
	o.key(`,"records":`)
	o.b = append(o.b, '[')
	for i := range ships {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.areaRecord(&ships[i])
		st.has[ships[i].MMSI] = struct{}{}
		if len(o.b) >= chunkSize {
			if err := st.write(o.b); err != nil {
				return err
			}
			o.b = append(o.b[:0], ' ')
		}
	}
	return st.write(append(o.b, "]}\n\n"...))
}

// sendChange sends the latest of each ship that changed, and which ones are gone for this client.
func (st *stream) sendChange(ships []changed, next uint64) error {
	st.at = next
	now := st.asked.door.now()
	o := st.event("change")
	o.b = append(o.b, '{')
	o.time(`"time":`, now.UnixMilli())
	o.key(`,"records":`)
	o.b = append(o.b, '[')
	var gone []ais.MMSI
	told := 0
	for _, c := range ships {
		s, ok := st.world.picture.Ship(c.mmsi)
		_, knows := st.has[c.mmsi]
		if !ok || !st.asked.takes(&s, now) {
			if knows {
				gone = append(gone, c.mmsi)
				delete(st.has, c.mmsi)
			}
			continue
		}
		if told++; told > 1 {
			o.b = append(o.b, ',')
		}
		if seen := st.asked.told(&s); knows {
			o.changeRecord(seen, c)
		} else {
			o.areaRecord(seen)
			st.has[c.mmsi] = struct{}{}
		}
	}
	if told == 0 && len(gone) == 0 {
		return nil
	}
	o.b = append(o.b, `],"gone":[`...)
	for i, m := range gone {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.b = appendInt(o.b, int64(m))
	}
	return st.write(append(o.b, "]}\n\n"...))
}

// changeRecord appends the MMSI and what may have changed.
func (o *object) changeRecord(s *ship.State, c changed) {
	o.nulls = true
	o.b = append(o.b, '{')
	if c.static {
		o.static(s)
	} else {
		o.integer(`"mmsi":`, int64(s.MMSI))
	}
	if c.motion {
		o.motion(s)
	}
	// What only few classes have is not said to be unknown of all others each second.
	o.nulls = c.static || s.Class == ship.ClassSAR || s.Class == ship.ClassAtoN
	o.signal(s)
	o.b = append(o.b, '}')
	o.nulls = false
}

// sweep asks the question again about every ship, because time, or what users keep, may have changed the answer.
func (st *stream) sweep() error {
	st.swept = time.Now()
	now := st.asked.door.now()
	var turned []changed
	st.world.picture.Each(func(s *ship.State) bool {
		if _, knows := st.has[s.MMSI]; knows != st.asked.takes(s, now) {
			turned = append(turned, changed{mmsi: s.MMSI})
		}
		return true
	})
	if len(turned) == 0 {
		return nil
	}
	return st.sendChange(turned, st.at)
}

// sendStatus sends the health of the feeds.
func (st *stream) sendStatus() error {
	feeds := st.server.deps.Feeds()
	st.health, st.status = health(feeds), time.Now()
	o := st.event("status")
	body, err := st.asked.door.liveStatus(feeds)
	if err != nil {
		return err
	}
	o.b = append(o.b, body...)
	return st.write(append(o.b, "\n\n"...))
}

// event begins an event.
func (st *stream) event(name string) *object {
	o := &object{b: make([]byte, 0, 4096), entry: st.server.registry.Find}
	o.b = append(o.b, "id: "...)
	o.b = append(o.b, st.world.live.eventID(st.at, st.asked.hash)...)
	o.b = append(o.b, "\nevent: "...)
	o.b = append(o.b, name...)
	o.b = append(o.b, "\ndata: "...)
	return o
}

// write sends bytes now; a client that does not take them in time is cut off.
func (st *stream) write(b []byte) error {
	if err := st.control.SetWriteDeadline(time.Now().Add(readWithin)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("set the write deadline: %w", err)
	}
	if _, err := st.g.Writer.Write(b); err != nil {
		return err
	}
	return st.control.Flush()
}
