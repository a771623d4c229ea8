// Package registry keeps the ports and the ships that operators entered by hand. It knows no users. It calls the function set by
// OnChange when the register changes.
package registry
