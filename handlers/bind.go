package handlers

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"quaywatch/form"
	"quaywatch/rule"
)

// Limits of a request body.
const (
	maxBody      = 1 << 20
	maxShapeBody = 10 << 20
)

// bind reads the body as one JSON object of at most most bytes.
func bind(w http.ResponseWriter, r *http.Request, most int64) (*form.Fields, error) {
	if text := r.Header.Get("Content-Type"); text != "" {
		kind, _, err := mime.ParseMediaType(text)
		if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
			return nil, &problem{status: http.StatusUnsupportedMediaType, code: codeUnsupported, rule: rule.New("not_json", "the body must be application/json")}
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return nil, &problem{status: http.StatusRequestEntityTooLarge, code: codeTooLarge, rule: rule.New("body_large", "the body may have at most {max} bytes", "max", most)}
	}
	if err != nil {
		return nil, badRequest(rule.New("body_cut", "the body could not be read to its end"))
	}
	return form.Read(body)
}

// queryTruth gives a query parameter that is true or false, otherwise when it is not given.
func queryTruth(g *gin.Context, key string, otherwise bool) (bool, error) {
	switch g.Query(key) {
	case "":
		return otherwise, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, badField(key, rule.New("boolean", "must be true or false"))
}
