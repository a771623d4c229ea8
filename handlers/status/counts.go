package status

import (
	"context"

	"quaywatch/ship"
	"quaywatch/sight"
)

// shipCounts are ships by class and age.
type shipCounts = [ship.ClassCount][3]int

// recount makes the ships of the feeds those that the caller may see, and counts these. For a caller that sees all ships now it returns nil.
// How far a feed was heard at most may be the place of another ship, so it is left out.
func recount(ctx context.Context, v *sight.Viewer, feeds []feedRecord) (*shipCounts, error) {
	if v.Everything() && !v.Late() {
		return nil, nil
	}
	byFeed, seen := map[string]int{}, shipCounts{}
	err := v.Ships(ctx, nil, func(s *ship.State) bool {
		seen[min(int(s.Class), len(seen)-1)][min(int(s.Age), len(seen[0])-1)]++
		s.Feeds.Any(func(feed string) bool { byFeed[feed]++; return false })
		return true
	})
	for i := range feeds {
		feeds[i].Ships, feeds[i].Farthest, feeds[i].FarthestBearing = byFeed[feeds[i].Name], 0, nil
	}
	return &seen, err
}

// liveShips counts the ships of the live picture, lost ones included.
func liveShips(counts *shipCounts) (ships int) {
	for _, byAge := range counts {
		ships += byAge[ship.Live] + byAge[ship.Lost]
	}
	return ships
}
