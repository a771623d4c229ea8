//go:build race

package tracking

const raceDetector = true
