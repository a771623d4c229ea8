package format

import (
	"strconv"
	"time"

	"quaywatch/ais"
)

// statusEvery is how often the state of the feeds goes out.
const statusEvery = time.Minute

// Tick appends what is due by time alone: the clock at each Style.ClockSync, and the status of the feeds each minute. The first call
// appends both. Call it about once a second; feeds is read only when StatusDue. OTH-T GOLD has neither.
func (f *Formatter) Tick(b []byte, now time.Time, feeds []ais.FeedStatus) []byte {
	if f.style.Form == OTHGold {
		return b
	}
	if f.style.ClockSync > 0 && isDue(&f.clock, now, f.style.ClockSync) {
		if f.xml != nil {
			b = f.xml.appendClock(b, now)
		} else {
			b = appendZDA(b, now)
		}
	}
	if f.style.SystemInfo && isDue(&f.status, now, statusEvery) {
		for i := range feeds {
			if f.xml != nil {
				b = f.xml.appendFeed(b, &feeds[i], now)
			} else {
				b = appendFeed(b, &feeds[i], i+1, len(feeds), now)
			}
		}
	}
	return b
}

// StatusDue reports whether Tick would write the status of the feeds now, so that the caller need not ask for it in vain.
func (f *Formatter) StatusDue(now time.Time) bool {
	next := f.status
	return f.style.SystemInfo && f.style.Form != OTHGold && isDue(&next, now, statusEvery)
}

// isDue reports whether the moment has come, and if so moves it to the next whole multiple of every. A clock that was set back
// does not stop it.
func isDue(next *time.Time, now time.Time, every time.Duration) bool {
	if now.Before(*next) && next.Sub(now) <= every {
		return false
	}
	*next = now.Truncate(every).Add(every)
	return true
}

// appendZDA appends our clock, UTC, as a sentence of the talker ZQ, a quartz clock:
//
//	$ZQZDA,hhmmss.ss,dd,mm,yyyy,00,00*hh
func appendZDA(b []byte, now time.Time) []byte {
	now = now.UTC()
	begin := len(b)
	b = now.AppendFormat(append(b, "$ZQZDA,"...), "150405.00")
	b = now.AppendFormat(append(b, ','), "02,01,2006")
	return ais.EndSentence(append(b, ",00,00"...), begin)
}

// appendFeed appends the status of one feed. connected is A or V, rate is in messages a second, age is in seconds since the last message
// and empty when there was none:
//
//	$PQWS,feeds,number,name,connected,rate,age*hh
func appendFeed(b []byte, s *ais.FeedStatus, number, total int, now time.Time) []byte {
	begin := len(b)
	b = strconv.AppendInt(append(b, "$PQWS,"...), int64(total), 10)
	b = strconv.AppendInt(append(b, ','), int64(number), 10)
	b = AppendField(append(b, ','), s.Name, maxField)
	state := byte('V')
	if s.Connected {
		state = 'A'
	}
	b = strconv.AppendFloat(append(b, ',', state, ','), s.MessagesPerSecond, 'f', 1, 64)
	b = append(b, ',')
	if !s.LastMessage.IsZero() {
		b = strconv.AppendInt(b, wholeSeconds(now.Sub(s.LastMessage)), 10)
	}
	return ais.EndSentence(b, begin)
}

// wholeSeconds returns whole seconds, at least 0.
func wholeSeconds(d time.Duration) int64 { return max(0, int64(d/time.Second)) }
