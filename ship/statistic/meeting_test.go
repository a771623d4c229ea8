package statistic

import (
	"math"
	"testing"
)

// comingFrom returns the motion of a ship that a ship of 10 knots to the north sees come up from a bearing, closing at so many knots.
func comingFrom(bearing, knots float64) motion {
	sin, cos := math.Sincos(bearing * math.Pi / 180)
	east, north := -knots*sin, 10-knots*cos
	return motion{math.Hypot(east, north), math.Mod(math.Atan2(east, north)*180/math.Pi+360, 360)}
}

// TestMeetings has each kind of meeting at its borders. The first ship makes 10 knots to the north unless the row says otherwise.
func TestMeetings(t *testing.T) {
	north, unknown := motion{10, 0}, math.NaN()
	for name, row := range map[string]struct {
		a, b motion
		want Meeting
	}{
		"opposite courses":                    {north, motion{12, 180}, HeadOn},
		"10 degrees off":                      {north, motion{12, 170}, HeadOn},
		"10 degrees off on the other side":    {north, motion{12, 190}, HeadOn},
		"a little more than 10 degrees off":   {north, motion{12, 169.9}, Crossing},
		"over north":                          {motion{10, 355}, motion{12, 175}, HeadOn},
		"square":                              {north, motion{10, 90}, Crossing},
		"from right astern":                   {north, motion{15, 0}, Overtaking},
		"right astern, over north":            {motion{10, 359}, motion{15, 1}, Overtaking},
		"from 112.4 degrees to starboard":     {north, comingFrom(112.4, 8), Crossing},
		"from 112.6 degrees to starboard":     {north, comingFrom(112.6, 8), Overtaking},
		"from 112.4 degrees to port":          {north, comingFrom(-112.4, 8), Crossing},
		"from 112.6 degrees to port":          {north, comingFrom(-112.6, 8), Overtaking},
		"so fast that courses differ by 67":   {north, comingFrom(112.6, 5000), Overtaking},
		"one course, the same speed":          {north, north, NoMeeting},
		"one course, 0.4 knots faster":        {north, motion{10.4, 0}, NoMeeting},
		"one course, half a knot faster":      {north, motion{10.5, 0}, Overtaking},
		"as fast, courses differ by 20":       {north, motion{10, 20}, Crossing},
		"as fast, courses differ by 60":       {north, motion{10, 60}, Crossing},
		"one lies still":                      {north, motion{0.4, 180}, NoMeeting},
		"half a knot is way":                  {north, motion{0.5, 180}, HeadOn},
		"a course is not known":               {north, motion{12, unknown}, NoMeeting},
		"a speed is not known":                {north, motion{unknown, 180}, NoMeeting},
		"neither tells anything":              {motion{unknown, unknown}, motion{unknown, unknown}, NoMeeting},
		"the slower is named last, from port": {comingFrom(-150, 8), north, Overtaking},
	} {
		if got := row.a.meetingWith(row.b); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
		if got := row.b.meetingWith(row.a); got != row.want {
			t.Errorf("%s, the other way round: %q, want %q", name, got, row.want)
		}
	}
}
