package control

import (
	"fmt"
	"strconv"
	"strings"

	"quaywatch/store/records"
	"quaywatch/users/access"
	"quaywatch/users/access/audit"
	"quaywatch/users/document"
)

// commandLine is the user in the audit log for commands on the box itself. No real user can have the name.
const commandLine = "(command line)"

// ImportLine returns the line of an import in the audit log: what it did, with the names of the first things that it touched.
func ImportLine(users *access.Users) func(*document.ImportReport) records.CommitPart {
	return func(report *document.ImportReport) records.CommitPart {
		return users.Audit().Line(func() audit.LogEntry {
			return audit.LogEntry{User: commandLine, Action: "import-config", Result: "ok", Detail: importText(report)}
		})
	}
}

// importText says what an import did.
func importText(report *document.ImportReport) string {
	const most = 40
	var touched []string
	for _, thing := range report.Things {
		switch {
		case thing.What == "unchanged":
		case len(touched) == most:
			touched = append(touched, "…")
		case len(touched) < most:
			touched = append(touched, thing.Kind+" "+thing.Name)
		}
	}
	counts := Count(report)
	detail := fmt.Sprintf("%d added, %d changed, %d removed", counts["added"], counts["changed"], counts["removed"])
	if len(touched) > 0 {
		detail += ": " + strings.Join(touched, ", ")
	}
	return detail
}

// Count counts the things of a report by what was done to them.
func Count(report *document.ImportReport) map[string]int {
	counts := map[string]int{}
	for _, thing := range report.Things {
		counts[thing.What]++
	}
	return counts
}

// Printable returns a text without characters that steer a terminal.
func Printable(text string) string {
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}
