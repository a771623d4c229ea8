// Package handlers answers over HTTP: it binds a request, asks who the caller is, looks up or changes one thing, and
// replies. It promises that every route stands in one table together with the right it needs, that an error is always a
// problem document, and that no text heard on the air reaches a client unescaped. No rule of the domain lives here.
//
// Dangerous: Server.Live must be an observer of the picture that the same Server serves, or live streams stand still.
package handlers
