//go:build race

package alert

const raceDetector = true
