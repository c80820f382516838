package peer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	enginev2 "github.com/NVIDIA/KAI-scheduler/pkg/apis/scheduling/v2"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/log"
)

type object = map[string]any

// answerCase runs inside a bubble: time.Sleep moves the clock, and nothing else does.
func answerCase(raw json.RawMessage) (object, error) {
	var given givenCase
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, err
	}
	switch given.Op {
	case "config":
		return config(given.PluginArgs), nil
	case "queueField":
		return queueField(given.QueueSpec), nil
	}
	s, err := newScene(&given)
	if err != nil {
		return nil, err
	}
	p := newPlugin(given.PluginArgs, s.queues)
	if err := moveClock(given.Now); err != nil {
		return nil, err
	}
	switch given.Op {
	case "filter":
		return filterWhole(p, s, &given.question), nil
	case "sequence":
		return sequence(p, s, given.Steps)
	default:
		return ask(p, s, &given.question)
	}
}

func moveClock(now *time.Time) error {
	if now == nil {
		return nil
	}
	ahead := time.Until(*now)
	if ahead < 0 {
		return fmt.Errorf("the clock stands at %v and cannot go back to %v", time.Now(), *now)
	}
	time.Sleep(ahead)
	return nil
}

func config(arguments map[string]string) object {
	logged := &errorLog{SchedulerLogger: log.InfraLogger}
	log.InfraLogger = logged
	p := newPlugin(arguments, queues{})
	log.InfraLogger = logged.SchedulerLogger
	rejected := []string{}
	for _, name := range []string{"defaultPreemptMinRuntime", "defaultReclaimMinRuntime"} {
		if slices.ContainsFunc(logged.lines, func(line string) bool { return strings.Contains(line, name) }) {
			rejected = append(rejected, name)
		}
	}
	if slices.ContainsFunc(logged.lines, func(line string) bool { return strings.Contains(line, "resolve method") }) {
		rejected = append(rejected, "reclaimResolveMethod")
	}
	return object{
		"defaultPreemptMinRuntimeNs": p.defaultNs("defaultPreemptMinRuntime"),
		"defaultReclaimMinRuntimeNs": p.defaultNs("defaultReclaimMinRuntime"),
		"reclaimResolveMethod":       p.method(),
		"rejected":                   rejected,
	}
}

// errorLog keeps the errors that the plugin logs, which name the argument that they are about.
type errorLog struct {
	log.SchedulerLogger
	lines []string
}

func (l *errorLog) Errorf(format string, values ...any) {
	l.lines = append(l.lines, fmt.Sprintf(format, values...))
}

func queueField(raw json.RawMessage) object {
	var spec enginev2.QueueSpec
	if err := json.Unmarshal(raw, &spec); err != nil {
		return object{"accepted": false}
	}
	said := object{"accepted": true, "preemptMinRuntimeNs": nil, "reclaimMinRuntimeNs": nil}
	if spec.PreemptMinRuntime != nil {
		said["preemptMinRuntimeNs"] = spec.PreemptMinRuntime.Duration.Nanoseconds()
	}
	if spec.ReclaimMinRuntime != nil {
		said["reclaimMinRuntimeNs"] = spec.ReclaimMinRuntime.Duration.Nanoseconds()
	}
	return said
}

func ask(p *plugin, s *scene, q *question) (object, error) {
	switch q.Op {
	case "resolve":
		found, missing := p.resolve(q.Action, s.queue(q.PreemptorQueue), s.queue(q.VictimQueue))
		return object{"minRuntimeNs": found.Nanoseconds(), "error": missing}, nil
	case "path":
		names := []string{}
		for _, queue := range p.path(s.queue(q.VictimQueue)) {
			names = append(names, string(queue.UID))
		}
		return object{"path": names}, nil
	case "filter":
		victim := s.jobs[q.Victim]
		return object{"filter": p.filter(q.Action, s.jobs[q.Preemptor], victim), "elastic": victim.IsElastic()}, nil
	case "delay":
		pending := s.jobs[q.Preemptor]
		return object{"delayed": isDelayed(pending, time.Now()), "until": delayEnd(pending)}, nil
	case "protected":
		return object{"protected": p.protected(q.Action, s.jobs[q.Preemptor], s.jobs[q.Victim])}, nil
	case "validate":
		return object{"validator": p.validate(q.Action, s.scenario(q.Preemptor, q.Victims))}, nil
	}
	return nil, fmt.Errorf("no op is called %q", q.Op)
}

func filterWhole(p *plugin, s *scene, q *question) object {
	pending, victim := s.jobs[q.Preemptor], s.jobs[q.Victim]
	passes := p.filter(q.Action, pending, victim)
	protected := p.protected(q.Action, pending, victim)
	found, _ := p.resolve(q.Action, s.queues[pending.Queue], s.queues[victim.Queue])
	return object{
		"filter": passes, "elastic": victim.IsElastic(), "protected": protected, "minRuntimeNs": found.Nanoseconds(),
	}
}

func sequence(p *plugin, s *scene, steps []question) (object, error) {
	said := []object{}
	for i := range steps {
		if err := moveClock(steps[i].Now); err != nil {
			return nil, err
		}
		answer, err := step(p, s, &steps[i])
		if err != nil {
			return nil, err
		}
		said = append(said, answer)
	}
	return object{"steps": said}, nil
}

func step(p *plugin, s *scene, q *question) (object, error) {
	switch q.Op {
	case "openSession":
		p.open()
	case "closeOpenSession":
		p.reopen()
	case "setLastStart":
		s.jobs[q.Job].LastStartTimestamp = q.LastStart
	case "setLastEviction":
		evicted(s.jobs[q.Job], q.LastEviction)
	case "setQueue":
		queue := s.queue(&q.Queue)
		queue.PreemptMinRuntime, queue.ReclaimMinRuntime = q.PreemptMinRuntime, q.ReclaimMinRuntime
	case "setPodStatus", "addPod":
		return object{}, s.setPod(q.Job, q.SubGroup, q.Pod, q.Status)
	default:
		return ask(p, s, q)
	}
	return object{}, nil
}
