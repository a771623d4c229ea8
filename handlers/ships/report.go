package ships

import (
	"net/http"

	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
)

// tooLarge refuses an area of more ships than the user's report_max_job_size, 0 for any number.
func tooLarge(count, limit int) error {
	if limit == 0 || count <= limit {
		return nil
	}
	return &request.Problem{Status: http.StatusBadRequest, Code: request.CodeLimitReached,
		Rule: rule.New("area_large", "the result has {count} records, the setting report_max_job_size allows {max}: ask for a smaller area or a shorter duration",
			"count", count, "max", limit)}
}
