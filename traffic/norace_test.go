//go:build !race

package traffic_test

const raceDetector = false
