package handlers

import (
	_ "embed"
	"net/http"

	"quaywatch/handlers/call"
)

//go:embed openapi.yaml
var openAPIDocument []byte

// openAPI answers with the contract of the interface.
func (s *Server) openAPI(c *call.Call) error {
	c.Writer.Header().Set("Cache-Control", "no-cache")
	c.Send(http.StatusOK, "application/yaml", openAPIDocument)
	return nil
}
