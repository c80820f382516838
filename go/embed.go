package tenuretest

import _ "embed" // for the vectors

//go:embed vectors.json.gz
var published []byte
