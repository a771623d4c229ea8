package logtime

import (
	"time"

	"quaywatch/ais"
)

// Bounds on what is looked at where a local clock steps by an hour.
const (
	mostSteps  = 100 // in a log
	mostJudges = 5   // messages 4 behind a step
)

// wallStep returns what a local column needs more to be UTC after a step to ms by about an hour. The clock on the wall makes one when summer time begins or ends.
// The next messages 4 say what the step was. Where none comes, a step back is that of the wall, and one ahead a pause of the log.
func (r *Reader) wallStep(step, ms int64) time.Duration {
	if size := max(step, -step); size < 55*minute || size > 65*minute || r.steps == mostSteps {
		return 0
	}
	r.steps++
	votes, most := map[time.Duration]int{}, 0
	var wall time.Duration
	if step < 0 {
		wall = time.Hour
	}
	for _, lag := range r.lagsAhead(ms) {
		hours := lag.Round(time.Hour)
		if votes[hours]++; (lag-hours).Abs() <= time.Minute && hours.Abs() <= time.Hour && votes[hours] > most {
			wall, most = hours, votes[hours]
		}
	}
	return wall
}

// lagsAhead returns by how much the column is behind the next messages 4, as far as they are in the buffer.
func (r *Reader) lagsAhead(ms int64) (lags []time.Duration) {
	ahead, _ := r.in.Peek(r.in.Buffered()) // it reads nothing, so the line of now stays where it is
	s := sample{decoder: ais.NewDecoder(ais.DecoderConfig{Clock: ais.NoClock})}
	heard := 0
	for line := range ais.SplitLines(ahead) {
		if heard == mostJudges || s.lines == sampleLines {
			break
		}
		before := s.lines
		if s.addLine(line); s.lines > before && s.stations[before] > 0 {
			heard++
		}
	}
	for _, c := range s.columns {
		if c.key != r.column.key {
			continue
		}
		for _, v := range c.values {
			ms = v.moment.millisNear(ms)
			if v.line < s.lines && s.stations[v.line] > 0 {
				lags = append(lags, time.Duration(s.stations[v.line]-ms)*time.Millisecond-r.column.shift)
			}
		}
	}
	return lags
}
