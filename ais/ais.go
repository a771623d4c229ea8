// Package ais turns NMEA sentences into AIS messages and back. It promises to decode every field of all 27 message types of
// Recommendation ITU-R M.1371-5 without a panic whatever the bytes, and without an allocation for position reports. It
// does not judge: an impossible position is passed on as such, and duplicates are kept. It opens nothing and asks no clock.
//
// Dangerous: what a Report points to lives in its Batch.
package ais
