//go:build race

package traffic_test

// raceDetector makes every access slow, so that the largest tests are left to runs without it.
const raceDetector = true
