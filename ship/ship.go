// Package ship is what a ship is: her identity, her fixes and tracks, the state of all that is known of her, how a
// report changes it, and the filter language that picks ships by it. It is pure: no I/O, no goroutine, no clock.
package ship
