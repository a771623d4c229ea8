package config

import (
	"net/http"

	"quaywatch/handlers/call"
)

// RunningKey is one key of the configuration as it runs, with its secrets masked already.
type RunningKey struct {
	Key   string `json:"key"` // as "http.listen"
	Value any    `json:"value"`
	From  string `json:"from"` // "default", "file", "environment", "flag", or "command" for what the command itself sets
}

// running answers with the configuration that the program was started with.
func (s *Server) running(c *call.Call) error {
	return c.SendJSON(http.StatusOK, call.Records[RunningKey]{Records: append([]RunningKey{}, s.deps.Running...)})
}
