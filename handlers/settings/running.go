package settings

import (
	"net/http"

	"quaywatch/handlers/request"
)

// RunningKey is one key of the configuration that the program runs with. Its secrets are masked.
type RunningKey struct {
	Key   string `json:"key"` // as "http.listen"
	Value any    `json:"value"`
	From  string `json:"from"` // "default", "file", "environment", "flag", or "command" where the command itself sets it
}

// running answers with the configuration that the program was started with.
func (s *Server) running(c *request.Request) error {
	return c.SendJSON(http.StatusOK, request.Records[RunningKey]{Records: append([]RunningKey{}, s.deps.Running...)})
}
