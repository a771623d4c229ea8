package track

import "math"

// HourMillis is the length of an hour in milliseconds.
const HourMillis = 60 * 60 * 1000

// MaxMillis is the last time that the key of a block can hold: the end of hour 2³²-1, in the year 491936.
const MaxMillis = (math.MaxUint32+1)*HourMillis - 1

// HourOf returns the hour of a time in Unix milliseconds, 0 <= ms <= MaxMillis: the hours since 1970.
func HourOf(ms int64) uint32 { return uint32(ms / HourMillis) }

// HourStart returns the first millisecond of an hour.
func HourStart(hour uint32) int64 { return int64(hour) * HourMillis }

// ClampMillis brings a time into what a key can hold.
func ClampMillis(ms int64) int64 { return max(0, min(ms, MaxMillis)) }
