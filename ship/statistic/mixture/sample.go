package mixture

import (
	"cmp"
	"math"
	"slices"
)

// sample is many numbers, put into bins so that a round costs the same for a hundred and for a million of them.
type sample struct {
	at    []float64 // the mean of the numbers of each bin, growing
	count []float64 // of the numbers of each bin
	total float64
	least float64 // deviation
}

func newSample(numbers []float64, least float64) *sample {
	low, high := slices.Min(numbers), slices.Max(numbers)
	sums, counts := make([]float64, mostBins), make([]float64, mostBins)
	width := (high - low) / mostBins
	// Sorted first: a sum of floats depends on its order.
	for _, x := range slices.Sorted(slices.Values(numbers)) {
		bin := 0
		if width > 0 {
			bin = min(mostBins-1, int((x-low)/width))
		}
		sums[bin] += x - low
		counts[bin]++
	}
	s := &sample{total: float64(len(numbers)), least: least}
	for i, n := range counts {
		if n > 0 {
			s.at, s.count = append(s.at, low+sums[i]/n), append(s.count, n)
		}
	}
	return s
}

// wholeNormal describes all numbers by one distribution.
func (s *sample) wholeNormal() Normal { return s.partNormal(0, s.total) }

// partNormal describes the numbers from one rank to another by one distribution. A bin may lie in two parts.
func (s *sample) partNormal(from, to float64) Normal {
	var n, mean, square float64
	rank := 0.0
	for i, at := range s.at {
		shared := min(to, rank+s.count[i]) - max(from, rank)
		if rank += s.count[i]; shared <= 0 {
			continue
		}
		n += shared
		step := at - mean
		mean += step * shared / n
		square += shared * step * (at - mean)
	}
	return Normal{Weight: n / s.total, Mean: mean, Deviation: max(s.least, math.Sqrt(square/n))}
}

// beginnings returns the mixtures from which a fit of k distributions begins. They are parts of equal numbers; a narrow lane in a wide one, at the ends too;
// and numbers parted at their widest gaps.
func (s *sample) beginnings(k int) [][]Normal {
	equal := make([]Normal, k)
	for i := range equal {
		equal[i] = s.partNormal(s.total*float64(i)/float64(k), s.total*float64(i+1)/float64(k))
	}
	all := [][]Normal{equal}
	whole := s.wholeNormal()
	for _, place := range []float64{0.15, 0.5, 0.85} {
		narrow := s.partNormal(s.total*(place-0.1), s.total*(place+0.1))
		nested := []Normal{narrow, whole}
		if k == 3 {
			nested = append(nested, s.partNormal(s.total*(1-place)-0.1*s.total, s.total*(1-place)+0.1*s.total))
			nested[2].Mean += whole.Deviation / 2
		}
		for i := range nested {
			nested[i].Weight = 1 / float64(k)
		}
		all = append(all, nested)
	}
	return append(all, s.parted(k))
}

// parted parts the numbers at the k-1 widest gaps between bins.
func (s *sample) parted(k int) (parts []Normal) {
	ends := make([]int, 0, len(s.at)) // the bins before a gap
	for i := range len(s.at) - 1 {
		ends = append(ends, i)
	}
	slices.SortStableFunc(ends, func(a, b int) int { return cmp.Compare(s.at[b+1]-s.at[b], s.at[a+1]-s.at[a]) })
	ends = slices.Sorted(slices.Values(ends[:min(k-1, len(ends))]))
	from, rank, next := 0.0, 0.0, 0
	for i, n := range s.count {
		rank += n
		if next < len(ends) && ends[next] == i {
			parts, from = append(parts, s.partNormal(from, rank)), rank
			next++
		}
	}
	return append(parts, s.partNormal(from, s.total))
}

// fitMixture betters a mixture until it gets no better.
func (s *sample) fitMixture(mixture []Normal) []Normal {
	mixture = slices.Clone(mixture)
	before := math.Inf(-1)
	for range mostRounds {
		likelihood := s.better(mixture)
		if likelihood-before < enough*s.total {
			break
		}
		before = likelihood
	}
	return mixture
}

// better replaces a mixture by one under which the numbers are likelier, and returns the logarithm of how likely they were.
func (s *sample) better(mixture []Normal) (likelihood float64) {
	var weight, first, second, share [Most]float64
	for i, x := range s.at {
		sum := 0.0
		for k, n := range mixture {
			share[k] = n.Weight * n.density(x)
			sum += share[k]
		}
		if sum <= math.SmallestNonzeroFloat64 { // far from all of them: it belongs to the nearest
			nearest := nearestTo(mixture, x)
			share, sum = [Most]float64{}, 1
			share[nearest] = 1
			likelihood += s.count[i] * -700
		} else {
			likelihood += s.count[i] * math.Log(sum)
		}
		for k, n := range mixture {
			part, off := s.count[i]*share[k]/sum, x-n.Mean
			weight[k] += part
			first[k] += part * off
			second[k] += part * off * off
		}
	}
	for k := range mixture {
		n := &mixture[k]
		if weight[k] <= 0 {
			n.Weight = 0
			continue
		}
		off := first[k] / weight[k]
		n.Weight, n.Mean = weight[k]/s.total, n.Mean+off
		n.Deviation = max(s.least, math.Sqrt(max(0, second[k]/weight[k]-off*off)))
	}
	return likelihood
}

// nearestTo returns which distribution of a mixture has its mean, in its deviations, nearest to a number.
func nearestTo(mixture []Normal, x float64) (nearest int) {
	for k, n := range mixture {
		if math.Abs(x-n.Mean)/n.Deviation < math.Abs(x-mixture[nearest].Mean)/mixture[nearest].Deviation {
			nearest = k
		}
	}
	return nearest
}

// describes reports whether each distribution stands for enough numbers.
func (s *sample) describes(mixture []Normal) bool {
	return !slices.ContainsFunc(mixture, func(n Normal) bool { return n.Weight*s.total < leastEach })
}

// criterion returns Schwarz's criterion of a mixture: the lower the better. It has a mean, a deviation and a weight for each distribution, but the last weight.
func (s *sample) criterion(mixture []Normal) float64 {
	likelihood := s.better(slices.Clone(mixture))
	return float64(3*len(mixture)-1)*math.Log(s.total) - 2*likelihood
}

func ordered(mixture []Normal) []Normal {
	slices.SortFunc(mixture, func(a, b Normal) int {
		return cmp.Or(cmp.Compare(a.Mean, b.Mean), cmp.Compare(a.Deviation, b.Deviation))
	})
	return mixture
}
