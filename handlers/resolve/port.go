package resolve

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strconv"

	"quaywatch/form"
	"quaywatch/geo/chart"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/sight/telling"
	"quaywatch/users/access"
)

// PortRef is a port as a request names it.
type PortRef struct {
	id           int64
	locode, name string
}

// readPort reads which port is meant: its id, its LOCODE, its name, or several that agree. A LOCODE or name may stand there alone.
func readPort(end *form.Fields) *PortRef {
	var name string
	if json.Unmarshal(end.Raw("port"), &name) == nil && name != "" {
		return &PortRef{name: name}
	}
	f := end.Inner("port", rule.New("object", "must be an object"))
	p := &PortRef{id: f.Integer("id", 0, math.MaxInt64), locode: f.Text("locode"), name: f.TidyOr("name", "")}
	if *p == (PortRef{}) {
		f.Refuse("", rule.New("no_port_named", "needs one of id, locode and name"))
	}
	return p
}

// PortIn finds the port that the field port of a body means, as far as the caller may know of it. It returns nil where the body says what is wrong.
func PortIn(f *form.Fields, ports *chart.Ports, who *access.User) (*chart.Port, error) {
	p := readPort(f)
	if *p == (PortRef{}) {
		return nil, nil
	}
	return p.findPort(ports, who, "")
}

// askedTexts returns the texts by which a port is asked for.
func (p *PortRef) askedTexts() (texts []string) {
	if p.id != 0 {
		texts = append(texts, strconv.FormatInt(p.id, 10))
	}
	for _, text := range []string{p.locode, p.name} {
		if text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// findPort finds the port that all that is said of it means. The pointer is that of the end.
func (p *PortRef) findPort(ports *chart.Ports, who *access.User, pointer string) (*chart.Port, error) {
	var fit []*chart.Port
	for i, text := range p.askedTexts() {
		found := telling.PortsSeen(who, ports, text)
		if len(found) == 0 {
			return nil, &request.Problem{Status: http.StatusUnprocessableEntity, Code: request.CodePortNotFound,
				Rule: rule.New("port_unknown", "no port {name} is known", "name", text)}
		}
		if i > 0 {
			found = slices.DeleteFunc(found, func(p *chart.Port) bool { return !slices.Contains(fit, p) })
		}
		if fit = found; len(fit) == 0 {
			return nil, request.BadField(pointer+"/port", rule.New("port_disagrees", "id, locode and name are not those of one port"))
		}
	}
	if len(fit) > 1 {
		p := request.Conflict(request.CodeAmbiguousPort, rule.New("ambiguous_port", "{count} ports have this name; ask by LOCODE or id", "count", len(fit)))
		for _, port := range fit {
			p.Records = append(p.Records, struct {
				wire.PortJSON
				wire.PortOrigin
			}{wire.PortOf(port), wire.OriginOf(port)})
		}
		return nil, p
	}
	return fit[0], nil
}
