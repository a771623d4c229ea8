//go:build !race

package alert

const raceDetector = false
