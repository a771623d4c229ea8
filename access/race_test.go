//go:build race

package access

const raceDetector = true
