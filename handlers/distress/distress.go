// Package distress answers which alarms of people in distress there are, and takes their acknowledgements. Each caller gets those of ships that
// it may see, as it may be told of them.
package distress

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/distress"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/sight"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// Path is that of the alarms.
const Path = "/api/distress"

// mostNumbers is how many alarms one call acknowledges by number.
const mostNumbers = 1000

// Server answers about alarms.
type Server struct {
	alarms *distress.Alarms
	sight  *sight.Sight
	agree  func()
}

// New makes the server. It calls agree when alarms were acknowledged, so that the alerts that tell of them are, before the answer.
func New(alarms *distress.Alarms, of *sight.Sight, agree func()) *Server {
	return &Server{alarms, of, agree}
}

// Routes are the calls about alarms.
func (s *Server) Routes() []request.Route {
	return []request.Route{
		{Method: "GET", Path: Path, Read: true, Handle: s.listAlarms},
		{Method: "POST", Path: Path + "/acknowledge", Right: right.ConfigureWatchdogDefinitions, Audit: "distress", Handle: s.acknowledge},
	}
}

// Version is another number when the alarms are others.
func (s *Server) Version() uint64 { return s.alarms.Version() }

// listAlarms returns the alarms that the caller may see.
func (s *Server) listAlarms(c *request.Request) error {
	v, err := s.sight.Of(c.HTTP.Context(), c.Caller.User, c.Caller.Key)
	if err != nil {
		return err
	}
	c.Send(http.StatusOK, "application/json", s.Event(v, c.Caller.User))
	return nil
}

// Event returns the alarms of a viewer as JSON: the answer of the call, and the event of the live stream. A caller without a name is not told
// which user acknowledged an alarm.
func (s *Server) Event(v *sight.Viewer, user *access.User) []byte {
	o := wire.Object{B: []byte{'{'}}
	o.Time(`"time":`, v.Now().UnixMilli()) // before the alarms: one that comes meanwhile is not acknowledged by this time
	rows := s.alarms.Seen(v.Kept, v.Everything() && !v.Late())
	o.Integer(`,"total":`, int64(rows.Total))
	o.Integer(`,"tests":`, int64(rows.Tests))
	if rows.Many {
		o.Key(`,"many":true`)
	}
	appendAlarms(&o, rows.Alarms, user.UID != "")
	return append(o.B, '}')
}

// appendAlarms appends the list of alarms.
func appendAlarms(o *wire.Object, alarms []distress.Alarm, named bool) {
	o.Key(`,"records":[`)
	for i := range alarms {
		if i > 0 {
			o.Key(",")
		}
		appendAlarm(o, &alarms[i], named)
	}
	o.Key("]")
}

// appendAlarm appends an alarm: the ship as in an area, and what makes it an alarm.
func appendAlarm(o *wire.Object, a *distress.Alarm, named bool) {
	o.AreaRecord(&a.Ship)
	o.B = o.B[:len(o.B)-1] // the brace, to go on
	o.Time(`,"since":`, a.Since)
	o.Integer(`,"reports":`, int64(a.Ship.Reports))
	if a.Test {
		o.Key(`,"test":true`)
	}
	if a.Acknowledged() {
		o.Time(`,"acknowledged":{"time":`, a.Seen)
		if by, err := json.Marshal(a.By); err == nil && named {
			o.Key(`,"by":` + string(by))
		}
		o.Key("}")
	}
	o.Key("}")
}

// acknowledge notes that the caller has seen alarms.
func (s *Server) acknowledge(c *request.Request) error {
	f, err := c.BindConfig(request.MaxBody)
	if err != nil {
		return err
	}
	now := s.sight.Now()
	which := distress.Which{Before: f.Time("before", time.UnixMilli(math.MaxInt64)).UnixMilli()}
	listed := f.Into("mmsi", &which.Numbers, rule.New("alarm_numbers", "must be an array of MMSI"))
	switch {
	case !listed:
	case len(which.Numbers) > mostNumbers:
		f.Refuse("mmsi", rule.New("too_many_numbers", "may list at most {max} numbers", "max", mostNumbers))
	case len(which.Numbers) == 0 && (f.Given("mmsi") || !f.Given("before")):
		f.Refuse("mmsi", rule.New("no_alarm_named", "must name the alarms; or leave it out, and give in before the time of the answer with all that you saw"))
	}
	if err := f.Err(); err != nil {
		return err
	}
	v, err := s.sight.Of(c.HTTP.Context(), c.Caller.User, c.Caller.Key)
	if err != nil {
		return err
	}
	c.Object = objectOf(which.Numbers)
	seen, err := s.alarms.Acknowledge(v.Kept, which, c.Caller.Name(), now, c.Line())
	if errors.Is(err, distress.ErrUnknown) {
		return request.NotFound(rule.New("no_alarm", "no such alarm is known"))
	}
	if err != nil {
		return err
	}
	s.agree()
	o := wire.Object{B: []byte{'{'}}
	o.Time(`"time":`, v.Now().UnixMilli())
	appendAlarms(&o, seen, true)
	c.Send(http.StatusOK, "application/json", append(o.B, '}'))
	return nil
}

// objectOf names alarms for the audit log, which cuts long lists.
func objectOf(numbers []ais.MMSI) string {
	if len(numbers) == 0 {
		return "all"
	}
	return strings.Trim(fmt.Sprint(numbers), "[]")
}
