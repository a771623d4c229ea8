package control

import (
	"context"
	"fmt"

	"quaywatch/store/records"
	"quaywatch/users/access"
	"quaywatch/users/access/audit"
	"quaywatch/users/registry"
	"quaywatch/users/registry/portfile"
)

// PortFiles is import-ports: the files, and whether it is only to tell what it would do.
type PortFiles struct {
	Files []portfile.NamedFile `json:"files"`
	Dry   bool                 `json:"dry"`
}

// Send has the service that runs on this data folder take the files.
func (f *PortFiles) Send(ctx context.Context, dir string) (report []registry.PortsTaken, err error) {
	err = post(ctx, dir, portsPath, f, &report)
	return report, err
}

// Run takes the files into the ports of this process.
func (f *PortFiles) Run(ports *registry.PortTable, users *access.Users) ([]registry.PortsTaken, error) {
	return ports.Import(f.Files, f.Dry, func(report []registry.PortsTaken) records.CommitPart {
		return users.Audit().Line(func() audit.LogEntry {
			var made, changed int
			for _, file := range report {
				made, changed = made+file.New, changed+file.Changed
			}
			return audit.LogEntry{User: commandLine, Action: "import-ports", Result: "ok", Detail: fmt.Sprintf("%d new, %d changed", made, changed)}
		})
	})
}
