package complexity

import (
	"math"
	"time"
)

const (
	// leastFitted is how many points an exponent needs: two points always lie on
	// a line.
	leastFitted = 3
	// mostFitted is how many of the last points are used for the fit: n, 2n, 4n
	// and 8n. At smaller n a part that grows more slowly may still be the larger.
	mostFitted = 4
)

// fitted returns the points to which an exponent is fitted: the last ones of
// those at the end that are all above the noise. It returns none if there are too
// few.
func fitted(points []Timing, noise time.Duration) []Timing {
	from := len(points)
	for from > 0 && len(points)-from < mostFitted && points[from-1].Time >= noise {
		from--
	}
	if len(points)-from < leastFitted {
		return nil
	}
	return points[from:]
}

// exponent is the slope of the straight line through the logarithms of n and
// time, by least squares. The points must have times above zero and not all
// the same n.
func exponent(points []Timing) float64 {
	var x, y, xx, xy float64
	for _, p := range points {
		a, b := math.Log(float64(p.N)), math.Log(float64(p.Time))
		x, y, xx, xy = x+a, y+b, xx+a*a, xy+a*b
	}
	k := float64(len(points))
	return (k*xy - x*y) / (k*xx - x*x)
}
