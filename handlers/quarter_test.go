package handlers

import (
	"regexp"
	"strings"
)

// positions is what answers tell of where a ship is now, which needs no right to see arrivals.
var positions = regexp.MustCompile(`"(last_position|position)":\{[^}]*\}|"(last_position_time|updated|last_sog|heard|sog|cog|heading)":[^,}]*|"ship":\{"mmsi":\d+,"class".*\}`)

// difference returns two texts from where they differ.
func difference(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	i = max(0, i-60)
	return a[i:min(len(a), i+160)] + "\n  " + b[i:min(len(b), i+160)]
}

// onlyStatus leaves out of tracks what the ship sailed.
func onlyStatus(path string) string {
	switch {
	case !strings.Contains(path, "/ship/track") && !strings.Contains(path, "/arrivals"):
		return ""
	case strings.Contains(path, "?"):
		return "&tracks=false"
	}
	return "?tracks=false"
}
