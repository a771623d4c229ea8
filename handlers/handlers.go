// Package handlers answers over HTTP: it listens, holds the one table of routes, and serves the client. The areas of the interface are
// packages below it.
//
// It promises that each route names the right that it needs, and that an error is always a problem document. No text heard on the air
// reaches a client unescaped. No rule of the domain lives here.
package handlers
