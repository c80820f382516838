// Package tenuretest checks the preemption decisions of a scheduler against the published vectors, from go test and
// without Python:
//
//	func TestConformance(t *testing.T) {
//		tenuretest.Run(t, tenuretest.DeciderFunc(decide), tenuretest.Families("KQ"))
//	}
//
// A vector is a cluster, a pending workload, and what a conforming scheduler decides. Each is a subtest with the
// vector's identifier: go test -run TestConformance/KQ-060 runs those about one rule.
package tenuretest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// The decisions of an Answer.
const (
	Fit          = "Fit"          // it fits without preemption
	Preempt      = "Preempt"      // it fits once the victims have left
	NoCandidates = "NoCandidates" // preempting all candidates would not free enough
	NoFit        = "NoFit"        // no flavor could serve it
)

// Decider is the scheduler under test.
type Decider interface {
	// Decide answers one request. What the scheduler has no notion of is refused with NotModelled; any other error
	// is that of a request that the scheduler does not accept.
	Decide(ctx context.Context, request Request) (Answer, error)
}

// DeciderFunc is a function as a Decider.
type DeciderFunc func(ctx context.Context, request Request) (Answer, error)

// Decide calls the function.
func (f DeciderFunc) Decide(ctx context.Context, request Request) (Answer, error) {
	return f(ctx, request)
}

// Request is what a scheduler decides: a request of the JSON-lines protocol.
type Request struct {
	// ID is the vector's identifier, such as KQ-060/exactly-the-nominal-quota-fits.
	ID string `json:"id"`
	// Call is decide, unless Calls selects others.
	Call string `json:"call"`
	// Input holds Kueue's objects as JSON, the clock (now), the pending workload (incoming) and its ClusterQueue
	// (targetCQ), and the reading.
	Input json.RawMessage `json:"input"`
}

// Decode decodes the input.
func (r Request) Decode(into any) error {
	return json.Unmarshal(r.Input, into)
}

// Answer is what a scheduler decides.
type Answer struct {
	// Decision is Fit, Preempt, NoCandidates or NoFit.
	Decision string `json:"decision"`
	// Preempted are the victims, in the order of removal.
	Preempted []Victim `json:"preempted"`
	// Output is the answer to a call other than decide.
	Output json.RawMessage `json:"-"`
}

// Victim is a workload that is preempted.
type Victim struct {
	// Workload is its namespace and name, with a slash between them.
	Workload     string `json:"workload"`
	ClusterQueue string `json:"clusterQueue"`
	// Reason is that of Kueue's condition, such as InClusterQueue.
	Reason string `json:"reason"`
	// Rules allow the preemption; compared in the mode Explained only.
	Rules []string `json:"rules,omitempty"`
}

// Refused is the error of a request that a scheduler does not accept. Code and Field are compared in the mode
// Explained only.
type Refused struct {
	Code    string `json:"code"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error is the message, after the field.
func (r *Refused) Error() string {
	return fmt.Sprintf("%s at %q: %s", r.Code, r.Field, r.Message)
}

type notModelled string

func (n notModelled) Error() string { return string(n) }

// NotModelled refuses a request of which the scheduler has no notion. Its vector is skipped, and counted by this
// message.
func NotModelled(format string, arguments ...any) error {
	return notModelled(fmt.Sprintf(format, arguments...))
}

// IsNotModelled reports whether an error is, or wraps, one of NotModelled, or a Refused with that code.
func IsNotModelled(err error) bool {
	var left notModelled
	var refused *Refused
	return errors.As(err, &left) || errors.As(err, &refused) && refused.Code == "not-modelled"
}
