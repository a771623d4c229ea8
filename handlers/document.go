package handlers

import (
	"quaywatch/access"
)

// ExportConfig gives what is configured, for another box.
func (s *Server) ExportConfig() *access.Document { return s.deps.Users.Export(s.beside()) }

func (s *Server) beside() access.Beside {
	return access.Beside{Register: s.deps.Register, Ports: s.ports}
}

// ImportConfig takes a document in, as access.Users.Import says, and puts registered ships into the picture.
func (s *Server) ImportConfig(doc *access.Document, dry bool) (*access.Report, error) {
	report, err := s.deps.Users.Import(doc, s.beside(), dry)
	if err != nil {
		return nil, err
	}
	numbers := make([]int64, len(report.Entered))
	for i := range report.Entered {
		numbers[i] = report.Entered[i].MMSI
	}
	s.deps.Sight.Follow(numbers...)
	return report, nil
}
