package main

import "quaywatch/geo"

// straits returns the places round which fine scales are kept: narrow waters, and the ends of canals.
func (b *build) straits() []geo.Point {
	points := []geo.Point{
		{Lon: 29.06, Lat: 41.10}, {Lon: 26.40, Lat: 40.15}, {Lon: 12.70, Lat: 55.90}, {Lon: 10.95, Lat: 55.33}, {Lon: 9.75, Lat: 55.45}, // Bosporus to Little Belt
		{Lon: 11.15, Lat: 54.45}, {Lon: 16.45, Lat: 56.70}, {Lon: 15.63, Lat: 38.20}, {Lon: 9.20, Lat: 41.32}, {Lon: 23.60, Lat: 38.45}, // Fehmarn to Euripos
		{Lon: 36.60, Lat: 45.30}, {Lon: -5.60, Lat: 35.95}, {Lon: 43.35, Lat: 12.60}, {Lon: 56.40, Lat: 26.50}, {Lon: 1.40, Lat: 51.00}, // Kerch to Dover
		{Lon: -1.30, Lat: 50.78}, {Lon: -4.20, Lat: 53.20}, {Lon: 103.80, Lat: 1.20}, {Lon: 103.70, Lat: 1.43}, {Lon: 105.80, Lat: -5.92}, // Solent to Sunda
		{Lon: 115.75, Lat: -8.75}, {Lon: 142.25, Lat: -10.55}, {Lon: 79.50, Lat: 9.30}, {Lon: 125.45, Lat: 9.90}, {Lon: 124.20, Lat: 12.60}, // Lombok to San Bernardino
		{Lon: 110.20, Lat: 20.20}, {Lon: 130.95, Lat: 33.95}, {Lon: 134.65, Lat: 34.24}, {Lon: 135.02, Lat: 34.62}, {Lon: 140.50, Lat: 41.40}, // Hainan to Tsugaru
		{Lon: 142.00, Lat: 45.80}, {Lon: 141.60, Lat: 52.10}, {Lon: -70.60, Lat: -53.20}, {Lon: -72.00, Lat: -53.80}, {Lon: -73.80, Lat: -52.80}, // La Pérouse to Magellan
		{Lon: -69.50, Lat: -52.50}, {Lon: -68.00, Lat: -54.90}, {Lon: -94.70, Lat: 29.35}, {Lon: -71.60, Lat: 10.95}, {Lon: -122.48, Lat: 37.82}, // Beagle to Golden Gate
		{Lon: -73.80, Lat: 40.80}, {Lon: -125.35, Lat: 50.13}, {Lon: 174.50, Lat: -41.20}, {Lon: 168.30, Lat: -46.65}, {Lon: -94.50, Lat: 71.99}, // East River to Bellot
		{Lon: 58.00, Lat: 70.50}, {Lon: 60.50, Lat: 69.75}, {Lon: 55.50, Lat: 73.30}, {Lon: 21.78, Lat: 38.32}, {Lon: 101.20, Lat: 2.50}, // Kara to Malacca
		{Lon: 38.00, Lat: 46.50}, {Lon: 8.30, Lat: 53.90}, {Lon: 4.00, Lat: 51.95}, {Lon: -84.75, Lat: 45.80}, {Lon: -5.00, Lat: 48.35}, // Azov to Ushant
		{Lon: 20.90, Lat: 58.60}, {Lon: 23.30, Lat: 58.70}, // Irben, Moonsund
		{Lon: -71.20, Lat: -53.85}, {Lon: -72.90, Lat: -53.40}, {Lon: -74.50, Lat: -52.70}, {Lon: -67.00, Lat: -55.00}, {Lon: -69.60, Lat: -54.90}, // Magellan, Beagle
		{Lon: -126.00, Lat: 50.40}, {Lon: -126.90, Lat: 50.60}, // Johnstone
		{Lon: -71.00, Lat: -54.85}, {Lon: -68.50, Lat: -52.50}, {Lon: -70.90, Lat: -53.50}, // the same
	}
	for _, p := range b.passages {
		if n := len(p.Chain); n > 0 {
			points = append(points, p.Chain[0], p.Chain[n-1])
		}
	}
	return points
}
