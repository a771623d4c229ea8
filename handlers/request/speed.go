package request

import (
	"context"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// mostSpeedFixes bounds the positions of a day from which a speed is told.
const mostSpeedFixes = 100_000

// SpeedOf returns the knots that a ship is likely to make, from its track of the last day. Where the user may not see tracks, the moment tells.
func SpeedOf(ctx context.Context, v *sight.Viewer, of *ship.State, who *access.User) (float64, error) {
	now := v.Now()
	if !who.May(right.ViewHistoricalTracks) {
		return portcalls.LikelySOG(of, nil, now), nil
	}
	day := 24 * time.Hour
	if reach := who.Lookback(); reach > 0 {
		day = min(day, reach)
	}
	track, err := v.Track(ctx, of, now.Add(-day), now.Add(time.Second), time.Minute, mostSpeedFixes)
	if err != nil {
		return 0, err
	}
	track = track.Trusted()
	if n := len(track); of.Fix.Trusted() && (n == 0 || track[n-1].At < of.Fix.At) {
		track = append(track, of.Fix)
	}
	return portcalls.LikelySOG(of, track, now), nil
}
