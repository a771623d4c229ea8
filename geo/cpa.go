package geo

import (
	"math"
	"time"
)

// Motion is a ship that keeps course and speed: place, SOG in knots, COG in degrees true.
type Motion struct {
	At       Point
	SOG, COG float64
}

const (
	metresPerSecond = 1852.0 / 3600 // of one knot
	maxSOG          = 102.2         // the highest that AIS can say; above it the speed is not available
	minMoving       = 0.01          // knots below which a course is not needed
	sameVelocity    = 1e-6          // square of m/s below which two ships move as one
)

// CPA returns the closest point of approach of two ships that keep course and speed: their least distance in metres and the time until
// then. ok is false when they already move apart, or when a speed or a needed course is not available (NaN, beyond 102.2 knots, beyond
// 360°). Ships with the same motion are at their closest now.
//
// The plane is the azimuthal equidistant one round a. The north of b is turned by the convergence of the meridians. The method is that of
// OpenCPN (relative position and relative velocity), good to a few metres within 50 nautical miles.
func CPA(a, b Motion) (metres float64, in time.Duration, ok bool) {
	if !a.usable() || !b.usable() {
		return 0, 0, false
	}
	distance, there, onward := inverse(a.At, b.At)
	if distance == 0 {
		there, onward = 0, 0
	}
	r := Vector{distance * sinDegrees(there), distance * cosDegrees(there)}
	va, vb := a.velocityTurned(0), b.velocityTurned(there-onward)
	w := va.To(vb)
	square := w.Dot(w)
	if square < sameVelocity {
		return distance, 0, true
	}
	seconds := -r.Dot(w) / square
	if seconds < 0 || seconds > math.MaxInt64/float64(time.Second)/2 {
		return 0, 0, false
	}
	metres = r.Along(w, seconds).Length()
	return metres, time.Duration(seconds * float64(time.Second)), true
}

func (m Motion) usable() bool {
	if !m.At.Valid() || !(m.SOG >= 0 && m.SOG <= maxSOG) {
		return false
	}
	return m.SOG < minMoving || m.COG >= 0 && m.COG <= 360
}

// velocityTurned returns metres per second east and north, the course turned by so many degrees.
func (m Motion) velocityTurned(turn float64) Vector {
	if m.SOG < minMoving {
		return Vector{}
	}
	v := m.SOG * metresPerSecond
	return Vector{v * sinDegrees(m.COG+turn), v * cosDegrees(m.COG+turn)}
}

func sinDegrees(d float64) float64 { return math.Sin(d * math.Pi / 180) }
func cosDegrees(d float64) float64 { return math.Cos(d * math.Pi / 180) }
