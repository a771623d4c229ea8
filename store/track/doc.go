// Package track codes what is stored of a ship: its fixes in an hour as a block, its last state and its static data. It also decides which fixes are kept when
// the store thins.
//
// It is pure: it opens nothing and knows neither files nor keys. What it accepts can be coded again.
//
// It does not find every flipped bit. Whether the bytes are those that were written is for the checksum to say that package store puts behind each value.
package track
