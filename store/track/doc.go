// Package track codes what is stored of ships: the fixes of one ship in one hour as a block, its last state and its static data; and it
// decides which fixes are kept when the store thins.
//
// It is pure: it opens nothing and knows neither files nor keys. What it decodes was coded by it, bit for bit, or is an error.
// Whether the bytes are those that were written is for the checksum of the value to say, which package store keeps.
package track
