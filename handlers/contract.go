package handlers

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"net/http"

	"quaywatch/handlers/request"
)

// The contract is packed, because the program is copied to small boxes. A test holds it against openapi.yaml.
//
//go:generate gzip -9 -n -k -f openapi.yaml
//go:embed openapi.yaml.gz
var packedContract []byte

// openAPIDocument returns the contract of the interface.
func openAPIDocument() ([]byte, error) {
	plain, err := gzip.NewReader(bytes.NewReader(packedContract))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(plain)
}

// openAPI answers with the contract of the interface.
func (s *Server) openAPI(c *request.Request) error {
	document, err := openAPIDocument()
	if err != nil {
		return err
	}
	c.Writer.Header().Set("Cache-Control", "no-cache")
	c.Send(http.StatusOK, "application/yaml", document)
	return nil
}
