package wms

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"quaywatch/handlers/request"
	"quaywatch/handlers/statistics"
	"quaywatch/handlers/wire"
	"quaywatch/render"
)

// sequence is the version of what the capabilities say; a change of them raises it.
const sequence = 4

// capabilities tells what the service can do. Those of a job name it in the addresses, so that a client that knows no jobs gets its pictures.
func (s *Server) capabilities(c *request.Request, p params) error {
	job, err := jobOf(p)
	if err != nil {
		return err
	}
	if err := checkSequence(p["updatesequence"]); err != nil {
		return err
	}
	reading, err := s.findStatistic(c, job)
	if err != nil {
		return err
	}
	shown := slices.DeleteFunc(layers(), func(l layer) bool { return !l.mayDraw(c.Caller.User) || l.name == landLayer && s.deps.Tiles == nil })
	title := ""
	if reading != nil {
		title = strings.TrimSpace(reading.Job.Kind + " " + strconv.FormatInt(job, 10) + " " + reading.Job.Name)
	}
	body := document(s.serviceAddress(c.HTTP, job), shown, title)
	c.Writer.Header().Set("Cache-Control", "private, no-cache")
	c.Send(http.StatusOK, xmlType, []byte(body))
	return nil
}

// checkSequence refuses a client that has the capabilities already, or newer ones than there are. A text that is no number is older.
func checkSequence(text string) error {
	v, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	switch {
	case text == "" || err != nil || v < sequence:
		return nil
	case v == sequence:
		return makeException(codeCurrent, "these capabilities are those of now")
	}
	return makeException(codeSequence, "the capabilities have no such updatesequence yet")
}

// serviceAddress returns the address of the service as the caller reached it, to which parameters may be added.
func (s *Server) serviceAddress(r *http.Request, job int64) string {
	scheme := "http"
	if s.deps.Proxies.Encrypted(r) {
		scheme = "https"
	}
	at := scheme + "://" + r.Host + s.deps.BasePath + Path + "?"
	if job != 0 {
		at += "job=" + strconv.FormatInt(job, 10) + "&"
	}
	return at
}

// document writes the capabilities, by the schema of OGC. The job is the title of a statistic; "" for none.
func document(address string, shown []layer, job string) string {
	resource := `<OnlineResource xmlns:xlink="http://www.w3.org/1999/xlink" xlink:type="simple" xlink:href="` + wire.EscapeXML(address) + `"/>`
	operation := func(name string, formats ...string) string {
		return "<" + name + "><Format>" + strings.Join(formats, "</Format><Format>") + "</Format><DCPType><HTTP><Get>" + resource + "</Get></HTTP></DCPType></" + name + ">\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<WMS_Capabilities version="1.3.0" updateSequence="%d" xmlns="http://www.opengis.net/wms" xmlns:xlink="http://www.w3.org/1999/xlink" `+
		`xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.opengis.net/wms http://schemas.opengis.net/wms/1.3.0/capabilities_1_3_0.xsd">
<Service><Name>WMS</Name><Title>Quaywatch</Title><Abstract>Vessel traffic of a port, and results of its statistics, as an overlay</Abstract>%s
<Fees>none</Fees><AccessConstraints>sign-in</AccessConstraints><LayerLimit>%d</LayerLimit><MaxWidth>%d</MaxWidth><MaxHeight>%[4]d</MaxHeight></Service>
<Capability><Request>
`, sequence, resource, mostLayers, render.MostPixels)
	b.WriteString(operation("GetCapabilities", "text/xml") + operation("GetMap", pictureType))
	var layouts []string
	for _, l := range statistics.Layouts() {
		layouts = append(layouts, string(l))
	}
	b.WriteString(operation("GetFeatureInfo", layouts...))
	b.WriteString("</Request>\n<Exception><Format>XML</Format><Format>INIMAGE</Format><Format>BLANK</Format></Exception>\n")
	b.WriteString("<Layer><Title>Quaywatch</Title>\n")
	writeWorld(&b)
	for i := range shown {
		writeLayer(&b, &shown[i], address, job)
	}
	b.WriteString("</Layer></Capability>\n</WMS_Capabilities>\n")
	return b.String()
}

// writeWorld writes what all layers have: the systems of coordinates, and the whole earth in each of them.
func writeWorld(b *strings.Builder) {
	for _, name := range render.Names() {
		b.WriteString("<CRS>" + name + "</CRS>")
	}
	b.WriteString("\n<EX_GeographicBoundingBox><westBoundLongitude>-180</westBoundLongitude><eastBoundLongitude>180</eastBoundLongitude>" +
		"<southBoundLatitude>-90</southBoundLatitude><northBoundLatitude>90</northBoundLatitude></EX_GeographicBoundingBox>\n" +
		`<BoundingBox CRS="EPSG:4326" minx="-90" miny="-180" maxx="90" maxy="180"/>` + `<BoundingBox CRS="CRS:84" minx="-180" miny="-90" maxx="180" maxy="90"/>` +
		`<BoundingBox CRS="EPSG:3857" minx="-20037508.34" miny="-20037508.34" maxx="20037508.34" maxy="20037508.34"/>` + "\n")
}

// writeLayer writes one layer with its styles. That of the statistics has the title of the job, can be asked and has a legend, where there is a job.
func writeLayer(b *strings.Builder, l *layer, address, job string) {
	title, queryable, ofJob := l.title, 0, l.name == statisticsLayer && job != ""
	if ofJob {
		title = job
	}
	if l.asked && (ofJob || l.name != statisticsLayer) {
		queryable = 1
	}
	fmt.Fprintf(b, `<Layer queryable="%d" opaque="0"><Name>%s</Name><Title>%s</Title>`+"\n", queryable, l.name, wire.EscapeXML(title))
	if l.past {
		b.WriteString(`<Dimension name="time" units="ISO8601" default="current" current="1" multipleValues="1">1970-01-01T00:00:00Z/2999-12-31T23:59:59Z/` + resolution + "</Dimension>\n")
	}
	for _, style := range render.Styles() {
		b.WriteString("<Style><Name>" + style.Name() + "</Name><Title>" + style.Name() + "</Title>")
		if l.legend && (ofJob || l.name != statisticsLayer) {
			b.WriteString("<LegendURL><Format>" + pictureType + `</Format><OnlineResource xlink:type="simple" xlink:href="` +
				wire.EscapeXML(address+"service=WMS&version="+version+"&request=GetLegendGraphic&layer="+l.name+"&style="+style.Name()+"&format="+pictureType) + `"/></LegendURL>`)
		}
		b.WriteString("</Style>")
	}
	b.WriteString("\n</Layer>\n")
}
