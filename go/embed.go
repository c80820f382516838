package tenuretest

import _ "embed" // for the vectors and the corpus of repairs

//go:embed vectors.json.gz
var published []byte

//go:embed repairs.json.gz
var publishedRepairs []byte
