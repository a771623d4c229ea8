// Package ship is what a ship is: its identity, its fixes and tracks, and the state of all that is known of it. Here stand how a report
// changes that state, and the filter language that selects ships by it. The package is pure: no I/O, no goroutine, no lock, no clock.
package ship
