package telling

import "quaywatch/engine/alert"

// ToldAlert is an alert as a listener is told of it.
type ToldAlert struct {
	alert.Standing
	Now  int64 // Unix milliseconds of the picture
	Told int64 // Unix milliseconds up to which the listener is told
	Seen []int // the places of the parts that the listener sees
	Next int64 // when, as the listener's time is, time alone may change what it sees; 0 is never
	sees map[uint64]bool
}

// Alert returns what a listener is told of an alert. It is called in a turn of the listener.
func (x *EventReader) Alert(l *Listener, a alert.Standing) *ToldAlert {
	now := x.Sight.Now()
	told := &ToldAlert{Standing: a, Now: now.UnixMilli(), Told: now.UnixMilli(), sees: map[uint64]bool{}}
	if l.Viewer.Late() {
		told.Told = l.Viewer.Now().UnixMilli()
	}
	for i, e := range a.Events {
		if e == nil {
			continue
		}
		switch x.Of(l, e) {
		case Shown:
			told.Seen, told.sees[e.ID] = append(told.Seen, i), true
			if over := a.Parts[i].Over; over > told.Told {
				told.noteChange(over)
			}
		case Later:
			told.noteChange(e.Known(now).UnixMilli())
		}
	}
	return told
}

// Sees reports whether the listener sees a part.
func (a *ToldAlert) Sees(p *alert.Part) bool { return a.sees[p.Event] }

// noteChange notes a time at which the alert may be another to the listener. What waits for its ship may be so at any time.
func (a *ToldAlert) noteChange(at int64) {
	if at = max(at, a.Told+1); a.Next == 0 || at < a.Next {
		a.Next = at
	}
}
