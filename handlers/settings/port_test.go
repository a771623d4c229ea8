package settings

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
)

// A change that came too late is a conflict, a border that breaks a rule names its field, and other errors stay as they are.
func TestPortProblem(t *testing.T) {
	var p *request.Problem
	if err := portProblem(fmt.Errorf("change a port: %w", form.ErrStale)); !errors.As(err, &p) || p.Status != http.StatusConflict {
		t.Errorf("too late: %v", err)
	}
	broken := &geo.ShapeError{Pointer: "/outer", Rule: rule.New("required", "is required")}
	if err := portProblem(broken); !errors.As(err, &p) || p.Status != http.StatusBadRequest || p.Fields[0].Pointer != "/outer" {
		t.Errorf("broken border: %v", err)
	}
	if err := portProblem(io.ErrUnexpectedEOF); err != io.ErrUnexpectedEOF {
		t.Errorf("another error: %v", err)
	}
}
