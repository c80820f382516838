package tenuretest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// Vector is a published test case.
type Vector struct {
	// ID is the rule that the case is about, a slash, and the claim in words; it never changes.
	ID string `json:"id"`
	// Area is the name of its file in spec/vectors.
	Area string `json:"area"`
	// Rules are those that it exercises.
	Rules []string `json:"rules"`
	// Verdict is accept or reject: whether the rules apply to the workload that the case is about.
	Verdict string `json:"verdict"`
	// Flags say why the case exists, such as Sequence: its victims are the candidates in the order of their turns.
	Flags []string `json:"flags"`
	// Comment is what decides, in a sentence.
	Comment string `json:"comment"`
	// Reading is a name, such as "released" for Kueue as released, or an object of choices.
	Reading json.RawMessage `json:"reading"`
	Call    string          `json:"call"`
	Input   json.RawMessage `json:"input"`
	Expect  Expected        `json:"expect"`
	// Reasons has, for each running workload, why it is preempted or kept; of a decision only.
	Reasons map[string]string `json:"reasons"`
	// Summary says why the decision is what it is.
	Summary string `json:"summary"`
}

// Expected is the answer of a conforming scheduler: a decision, the output of another call, or an error.
type Expected struct {
	Answer
	Output json.RawMessage `json:"output"`
	Error  *Refused        `json:"error"`
}

// Family is the beginning of the identifier: KQ for Kueue as released, TBP, UCQ and DYN for its proposals, KMR for
// KAI-Scheduler.
func (v Vector) Family() string {
	family, _, _ := strings.Cut(v.ID, "-")
	return family
}

// ReadingName is the reading as a name, or its object as JSON.
func (v Vector) ReadingName() string {
	var name string
	if json.Unmarshal(v.Reading, &name) == nil {
		return name
	}
	return string(v.Reading)
}

// Request is what a scheduler is asked.
func (v Vector) Request() Request {
	input, _ := bytes.CutPrefix(bytes.TrimSpace(v.Input), []byte("{"))
	given := append([]byte(`{"reading":`), v.Reading...)
	if !bytes.HasPrefix(bytes.TrimSpace(input), []byte("}")) {
		given = append(given, ',')
	}
	return Request{ID: v.ID, Call: v.Call, Input: append(given, input...)}
}

// Vectors returns every published vector, by file and position.
func Vectors() []Vector {
	return append([]Vector(nil), decoded()...)
}

var decoded = sync.OnceValue(func() []Vector {
	var vectors []Vector
	if err := decode(published, &vectors); err != nil {
		panic(fmt.Sprintf("tenuretest: the embedded vectors: %v", err))
	}
	return vectors
})

func decode(compressed []byte, into any) error {
	reader, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return err
	}
	return json.NewDecoder(reader).Decode(into)
}
