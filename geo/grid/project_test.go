package grid

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"testing"

	"quaywatch/geo"
)

// boxOf is where a projection is used.
func boxOf(epsg int) geo.Rect {
	if epsg == Europe {
		return geo.Rect{West: -35, South: 25, East: 44, North: 84}
	}
	return geo.Rect{West: -180, South: -85, East: 180, North: 85}
}

func somewhere(r *rand.Rand, in geo.Rect) geo.Point {
	return geo.Point{Lon: in.West + r.Float64()*(in.East-in.West), Lat: in.South + r.Float64()*(in.North-in.South)}
}

// TestPlacesInThePlane are as gdaltransform has them, to a millimetre.
func TestPlacesInThePlane(t *testing.T) {
	for _, row := range []struct {
		epsg           int
		lon, lat, x, y float64
	}{
		{Europe, 10, 52, 4321000, 3210000},
		{3035, -9.4172, 33.9001, 2524160.4312, 1433708.8692},
		{3035, 16.4238, 29.2737, 4956692.2281, 728034.2773},
		{3035, 7.3347, 46.5756, 4116530.5622, 2610587.6629},
		{3035, -30.4181, 54.9387, 1886930.2909, 4248449.8424},
		{3035, -32.0378, 50.5851, 1532252.3560, 3890695.4749},
		{3035, -29.4814, 30.3521, 638528.3911, 1779092.8376},
		{3035, -1.4630, 73.7843, 3958936.7717, 5653516.5210},
		{3035, -25.2196, 38.1711, 1336911.8761, 2385310.8075},
		{3035, 14.5672, 80.9148, 4404145.7233, 6401780.2168},
		{3035, 10.5911, 48.4041, 4364783.4911, 2810244.9636},
		{3035, -33.1509, 64.6451, 2400778.4488, 5238465.9448},
		{3035, -22.5869, 81.7587, 3807601.5451, 6620330.0134},
		{3035, -3.8127, 67.4375, 3728478.0133, 4983768.8978},
		{3035, 30.5697, 36.4655, 6156365.3976, 1736580.0706},
		{3035, -32.8977, 53.4704, 1664566.8959, 4198126.2414},
		{3035, -30.8027, 47.3070, 1412413.0562, 3524570.1277},
		{3035, 5.7224, 71.3740, 4166310.3131, 5363101.8538},
		{3035, 15.6731, 50.0818, 4726622.9371, 3012301.0749},
		{3035, -34.6313, 58.2684, 1896974.4408, 4706499.4283},
		{3035, 26.9000, 79.7857, 4661427.1238, 6320364.3053},
		{6933, 171.4518, -77.0809, 16542746.4243, -7154766.0184},
		{6933, 129.0486, -35.7664, 12451419.3856, -4278745.6854},
		{6933, -128.0682, -64.9753, -12356824.2364, -6647634.3239},
		{6933, -68.9465, 53.7415, -6652391.3213, 5911164.5272},
		{6933, -114.9385, 13.8720, -11089988.3226, 1752907.5664},
		{6933, 50.0088, -21.6924, 4825163.0918, -2703378.8362},
		{6933, 17.1880, -74.3259, 1658406.1850, -7066882.4202},
		{6933, -158.5436, -49.9870, -15297282.2216, -5612975.5013},
		{6933, 64.9440, -12.3093, 6266204.9846, -1558601.9952},
		{6933, -66.9070, 14.5455, -6455607.5527, 1836266.4406},
		{6933, 39.1550, -83.9842, 3777920.3032, -7301436.0766},
		{6933, -2.9040, -18.4791, -280196.1578, -2317820.8746},
		{6933, -171.7619, -10.7175, -16572666.8198, -1359517.1003},
		{6933, 176.5047, -84.8874, 17030281.9498, -7312757.8706},
		{6933, -3.1359, 8.4320, -302571.3262, 1071922.1497},
		{6933, 25.0833, 17.3434, 2420194.3134, 2179785.3545},
		{6933, 103.2576, 14.4542, 9962941.7316, 1824980.5208},
		{6933, 83.9175, -4.3914, 8096887.4230, -559691.6511},
		{6933, -23.8033, 16.7690, -2296691.8747, 2109649.7365},
		{6933, -166.5071, 76.2916, -16065650.7144, 7131281.3518},
	} {
		at := geo.Point{Lon: row.lon, Lat: row.lat}
		if x, y := Of(row.epsg).Forward(at); math.Hypot(x-row.x, y-row.y) > 0.001 {
			t.Errorf("%v in %d: %.4f %.4f, want %.4f %.4f", at, row.epsg, x, y, row.x, row.y)
		}
	}
}

// TestPlacesAsGDALHasThem asks gdaltransform about a thousand places of each plane.
func TestPlacesAsGDALHasThem(t *testing.T) {
	tool, err := exec.LookPath("gdaltransform")
	if err != nil {
		t.Skip("gdaltransform of gdal-bin is not installed")
	}
	for _, epsg := range []int{Europe, World} {
		r := rand.New(rand.NewPCG(1, uint64(epsg)))
		var places []geo.Point
		var text bytes.Buffer
		for range 1000 {
			at := somewhere(r, boxOf(epsg))
			places = append(places, at)
			fmt.Fprintln(&text, at.Lon, at.Lat)
		}
		cmd := exec.Command(tool, "-s_srs", "EPSG:4326", "-t_srs", fmt.Sprint("EPSG:", epsg), "-output_xy")
		cmd.Stdin = &text
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		lines, n := bufio.NewScanner(bytes.NewReader(out)), 0
		for ; lines.Scan(); n++ {
			var wantX, wantY float64
			if _, err := fmt.Sscan(lines.Text(), &wantX, &wantY); err != nil {
				t.Fatal(err)
			}
			if x, y := Of(epsg).Forward(places[n]); math.Hypot(x-wantX, y-wantY) > 0.001 {
				t.Errorf("%v in %d: %v %v, want %v %v", places[n], epsg, x, y, wantX, wantY)
			}
		}
		if n != len(places) {
			t.Errorf("%d answers", n)
		}
	}
}

// TestThereAndBack: what is shown at a place of the plane lies where it came from.
func TestThereAndBack(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	for _, epsg := range []int{Europe, World} {
		p := Of(epsg)
		for range 2000 {
			at := somewhere(r, boxOf(epsg))
			back := p.Inverse(p.Forward(at))
			if math.Abs(back.Lat-at.Lat) > 1e-9 || math.Abs(back.Lon-at.Lon) > 1e-9 {
				t.Fatalf("%v in %d comes back as %v", at, epsg, back)
			}
		}
	}
	for _, pole := range []float64{90, -90} {
		if back := Of(World).Inverse(Of(World).Forward(geo.Point{Lat: pole})); math.Abs(back.Lat-pole) > 1e-6 {
			t.Errorf("the pole %v comes back as %v", pole, back)
		}
	}
	if at := Of(World).Inverse(1e9, 1e9); at != (geo.Point{Lon: 180, Lat: 90}) {
		t.Errorf("outside of the world: %v", at)
	}
}

// TestWhichPlane: that of Europe shows what lies wholly in its area of use.
func TestWhichPlane(t *testing.T) {
	for _, row := range []struct {
		of   geo.Rect
		want int
	}{
		{geo.Rect{West: 9, South: 54, East: 13, North: 58}, Europe},
		{geo.Rect{West: -35.58, South: 24.6, East: 44.83, North: 84.73}, Europe},
		{geo.Rect{West: 9, South: 54, East: 45, North: 58}, World},
		{geo.Rect{West: 9, South: 24, East: 13, North: 58}, World},
		{geo.Rect{West: 103, South: 1, East: 105, North: 2}, World},
		{geo.Rect{West: 170, South: -10, East: -170, North: 10}, World},
	} {
		if got := For(row.of).EPSG(); got != row.want {
			t.Errorf("%v: %d, want %d", row.of, got, row.want)
		}
	}
}
