package statistic

import (
	"math"
	"slices"

	"quaywatch/geo"
)

// Meeting is how two ships under way met.
type Meeting string

// The kinds of meeting, named as in the collision regulations. NoMeeting is where a course is not known, a ship lies still, or both sail in company.
const (
	NoMeeting  Meeting = ""
	HeadOn     Meeting = "head-on"    // rule 14
	Crossing   Meeting = "crossing"   // rule 15
	Overtaking Meeting = "overtaking" // rule 13
)

// Meetings returns the kinds that have a name.
func Meetings() []Meeting { return []Meeting{HeadOn, Crossing, Overtaking} }

const (
	reciprocal  = 170   // degrees between two courses that are nearly opposite. Rule 14 has no number; this is one of ours
	abaftBeam   = 112.5 // degrees off the bow: 22.5 abaft the beam (rule 13)
	stillBelow  = raftedBelow
	companyUpTo = 0.5 // knots between two velocities: neither comes up
)

// motion is speed and course of a ship, in knots and degrees. What is not known is NaN.
type motion struct{ sog, cog float64 }

// motionAt returns that of a ship at a time in Unix milliseconds.
func (l *leg) motionAt(ms int64) motion { return motion{l.sogAt(ms), l.cogAt(ms)} }

// velocityVector returns the knots to the east and to the north.
func (m motion) velocityVector() geo.Vector {
	sin, cos := math.Sincos(m.cog * math.Pi / 180)
	return geo.Vector{X: m.sog * sin, Y: m.sog * cos}
}

// meetingWith tells how two ships meet. The faster overtakes if it comes up from abaft the beam of the slower, as both sail now. Where it is by now does not
// count: a ship that overtakes is abeam when both are nearest. That it comes from there implies that the courses differ by less than 67.5 degrees.
func (m motion) meetingWith(o motion) Meeting {
	if !(min(m.sog, o.sog) >= stillBelow) || math.IsNaN(m.cog) || math.IsNaN(o.cog) {
		return NoMeeting
	}
	if math.Abs(math.Remainder(m.cog-o.cog, 360)) >= reciprocal {
		return HeadOn
	}
	slower, faster := m, o
	if m.sog > o.sog {
		slower, faster = o, m
	}
	from := faster.velocityVector().To(slower.velocityVector())
	switch {
	case from.Length() < companyUpTo:
		return NoMeeting
	case math.Abs(math.Remainder(math.Atan2(from.X, from.Y)*180/math.Pi-slower.cog, 360)) > abaftBeam:
		return Overtaking
	}
	return Crossing
}

// asksFor reports whether the question asks for a kind of meeting.
func (q *NearMissQuestion) asksFor(m Meeting) bool {
	return len(q.Meetings) == 0 || slices.Contains(q.Meetings, m)
}
