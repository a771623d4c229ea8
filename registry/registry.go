// Package registry keeps what the operators of a box know of the world: the ports, and the ships that were entered by hand. It knows no
// user. It tells nobody of changes itself; whoever has to follow the register gives it a function.
package registry
