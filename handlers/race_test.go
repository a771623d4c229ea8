//go:build race

package handlers

const raceDetector = true
