// Package ais turns NMEA sentences into AIS messages and back. It decodes each field of all 27 message types of
// Recommendation ITU-R M.1371-5. No input makes it panic, and a position report costs no allocation.
//
// It does not judge: it passes on impossible positions and keeps duplicates. It opens no file or port and reads no clock.
//
// The fields of a message stand in one place, its method layout, from which a codec decodes, encodes and prints it.
//
// Dangerous: what a Report points to lives in its Batch.
package ais
