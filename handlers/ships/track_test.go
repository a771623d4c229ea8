package ships

import (
	"strings"
	"testing"
	"time"

	"quaywatch/handlers/request"
)

func TestTooLongTrackNamesAResolutionThatFits(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	p := tooLong(noon, noon.Add(30*24*time.Hour), mostFixes)
	if p.Status != 400 || p.Code != request.CodeLimitReached || !strings.Contains(p.Detail(), "00:00:06") {
		t.Errorf("%+v", p)
	}
}
