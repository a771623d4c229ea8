//go:build !race

package tracking

const raceDetector = false
