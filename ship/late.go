package ship

// LateStatic is what a report of an older log told of a ship: of a time before the data that are known. It holds from At on, in Unix milliseconds, until the next
// change that is known.
type LateStatic struct {
	At     int64
	told   described
	voyage *VoyageData // nil where the report told none
}

// Over returns what was known from At on, where static and voyage were known until then, each nil for nothing. What the report did not tell stays.
func (l *LateStatic) Over(static *Static, voyage *VoyageData) (*Static, *VoyageData) {
	var next Static
	if static != nil {
		next = *static
	}
	if l.told.onto(&next, &claim{told: l.told}, l.At); static == nil && next != (Static{}) || static != nil && next != *static {
		static = replaced(next, l.At)
	}
	if v := l.voyage; v != nil {
		now := *v
		if voyage != nil && now.Draught == 0 {
			now.Draught = voyage.Draught
		}
		if before := (VoyageData{}); voyage != nil {
			before = *voyage
			before.At = l.At
			if now == before {
				return static, voyage
			}
		}
		voyage = &now
	}
	return static, voyage
}

// Same reports whether two reports told the same.
func (l *LateStatic) Same(other *LateStatic) bool {
	if l.told != other.told || (l.voyage == nil) != (other.voyage == nil) {
		return false
	}
	if l.voyage == nil {
		return true
	}
	a, b := *l.voyage, *other.voyage
	a.At, b.At = 0, 0
	return a == b
}

// isLate reports whether a report is of an older log. It was sent long before what it tells changed, or came long before the ship was heard last. Where our own
// clock rules that clock was set back.
func (m *merging) isLate(changed int64) bool {
	since := max(changed-m.at, m.out.Now.Heard-m.report.Received.UnixMilli())
	return m.limits.WrongClock == 0 && since > m.limits.ClockSkew.Milliseconds()
}

// tellLate notes what the report tells of the past, if that is anything.
func (m *merging) tellLate(d described, v *VoyageData) {
	if d == (described{}) && (v == nil || *v == VoyageData{}) {
		return
	}
	if m.out.Late == nil {
		m.out.Late = &LateStatic{At: m.at}
		m.out.Change |= ToldLate
	}
	if v == nil {
		m.out.Late.told = d
		return
	}
	now := *v
	now.At = m.at
	m.out.Late.voyage = &now
}
