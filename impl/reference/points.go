package reference

//go:generate go run github.com/repcheck/repcheck/spec/internal/gen reference ../../spec points_gen.go

// A Point is a question that the documents leave open or answer differently. Each
// belongs to one stage of the reference. The files in spec/points describe the
// points and the meaning of their choices, and cite a document for the choice of
// each named interpretation. The constants are generated from these files.
type Point uint8

// A Choice is one answer to a Point: an index into the point's choices. The first
// choice is that of RFC 9309.
type Choice uint8

type pointName struct {
	id, stage string
	choices   []string
}

// Points returns every point in the order of the stages.
func Points() []Point {
	all := make([]Point, numPoints)
	for i := range all {
		all[i] = Point(i)
	}
	return all
}

// String returns the point's ID, "byte-order-mark".
func (p Point) String() string { return pointNames[p].id }

// Stage returns the name of the stage that the point belongs to.
func (p Point) Stage() string { return pointNames[p].stage }

// Choices returns the IDs of the point's choices; the index of each is its
// Choice. The result must not be changed.
func (p Point) Choices() []string { return pointNames[p].choices }
