// The playground: a text of manifests, the controls beside it, and what Tenure says of both.
import { MatrixTable } from "./playground-matrix.js";

const root = document.getElementById("tenure-playground");
const files = new URL("./playground/", import.meta.url);
const part = name => root.querySelector(`[data-part="${name}"]`);
const DURATIONS = ["", "0s", "10m", "30m", "1h", "2h", "4h", "8h", "24h", "168h"];
const PAUSE_MS = 250;
const COUNTERFACTUALS = 3;
const MOST_BYTES = 2e6;

class Tenure {
  // A worker, and the answers that are waited for.
  constructor(proofs, progress) {
    this.worker = new Worker(new URL("./playground-worker.js", import.meta.url), { type: "module" });
    this.waiting = new Map();
    this.number = 0;
    this.worker.onmessage = ({ data }) => {
      if (data.kind === "progress") return progress(data.text);
      const { resolve, reject, part } = this.waiting.get(data.number);
      if (data.kind === "part") return part(data.value);
      this.waiting.delete(data.number);
      return "error" in data ? reject(new Error(data.error)) : resolve(data.value);
    };
    this.worker.onerror = event => this.fail(new Error(event.message || "the worker cannot be started"));
    this.ready = this.ask("begin", { proofs });
  }

  ask(kind, fields, part) {
    const number = this.number++;
    this.worker.postMessage({ kind, number, ...fields });
    return new Promise((resolve, reject) => this.waiting.set(number, { resolve, reject, part }));
  }

  fail(error) {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  end() {
    this.worker.terminate();
    this.fail(new Error("cancelled"));
  }
}

// The address carries the state: an example, vector, scenario or finding by name, or the whole text, compressed.
const packed = async text => {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
// A short link can unpack to more than a page can hold.
const unpacked = async letters => {
  const parts = [];
  let size = 0;
  try {
    const bytes = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), byte => byte.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    for (let read = await reader.read(); !read.done && size <= MOST_BYTES; read = await reader.read()) {
      parts.push(read.value);
      size += read.value.length;
    }
    if (size > MOST_BYTES) reader.cancel();
  } catch {
    throw new Error("This link is damaged: copy the whole of it.");
  }
  if (size > MOST_BYTES) {
    throw new Error("The manifests of this link are larger than 2 MB, the most that a link can hold: `tenure decide` takes larger files.");
  }
  return new Blob(parts).text();
};
const fetched = async name => {
  const got = await fetch(new URL(name, files));
  if (!got.ok) throw new Error(`${name}: ${got.status}`);
  return got.json();
};

const state = {
  example: "", original: "", now: "", reading: "", workload: "", clusterQueue: "", priority: null, duration: "",
  durationOf: "",
};
let begun;
const ready = new Promise(resolve => { begun = resolve; });
let examples, index, first, bars, isReady = false, tenure, prover, editor, answer, timer, table, asked = 0, filled = false, loading = () => {};

const text = () => editor.getValue();
const presets = () => [...part("reading").options].map(option => option.value);

function question(counterfactuals) {
  const assigned = [];
  if (state.priority !== null) assigned.push(`workload/${state.workload}.spec.priority=${state.priority}`);
  if (state.duration) {
    const path = "spec.preemption.withinClusterQueueConfig.minAdmitDuration";
    assigned.push(`clusterqueue/${state.durationOf}.${path}=${state.duration}`);
  }
  return {
    text: text(), now: state.now, reading: state.reading, workload: state.workload,
    cluster_queue: state.clusterQueue, assigned, counterfactuals,
  };
}

const quoted = word => /^[\w./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

function command(given) {
  const words = ["tenure", "decide", "-v", "cluster.yaml", "-w", answer.workload, "--now", answer.now];
  if (typeof given.reading === "string" && given.reading) words.push("--reading", given.reading);
  if (given.cluster_queue) words.push("--cluster-queue", given.cluster_queue);
  for (const change of given.assigned) words.push("--set", change);
  return words.map(quoted).join(" ");
}

function element(name, words, kind) {
  const made = document.createElement(name);
  made.textContent = words;
  if (kind) made.className = kind;
  return made;
}

// Identifiers of rules lead to their pages.
function linked(words) {
  return words.split(/\b([A-Z]{2,3}-\d{3})\b/).map((piece, place) => {
    if (place % 2 === 0 || !(piece in index.rules)) return piece;
    const link = element("a", piece);
    link.href = new URL(`../../${index.rules[piece]}`, files);
    return link;
  });
}

// What is shown is of what was asked before, until there is an answer.
function age() {
  root.dataset.state = "asked";
  for (const name of ["answer", "picture"]) part(name).setAttribute("aria-busy", "true");
}

function settle(state) {
  root.dataset.state = state;
  part("answer").removeAttribute("aria-busy");
}

function showProblems(problems) {
  part("outcome").replaceChildren(element("p", "There is something wrong with the input:", "wrong"));
  const list = document.createElement("ul");
  list.append(...problems.map(problem => element("li", problem)));
  part("outcome").append(list);
  part("explanation").textContent = "";
  part("command").textContent = "";
  draw("");
  settle("problems");
}

function show(given) {
  const outcome = part("outcome");
  outcome.replaceChildren(element("p", `${answer.workload}: ${answer.decision}`, "decision"));
  outcome.append(...answer.summary.map(line => element("p", line)));
  if (answer.preempted.length) {
    const list = document.createElement("ol");
    list.append(...answer.preempted.map(name => element("li", name)));
    outcome.append(element("p", "Preempted, in this order:"), list);
  }
  for (const warning of answer.warnings) outcome.append(element("p", warning, "warned"));
  part("explanation").replaceChildren(...linked(answer.lines.join("\n")));
  part("command").textContent = command(given);
  settle(given.counterfactuals ? "explained" : "decided");
}

function options(select, values, chosen) {
  select.replaceChildren(...values.map(([value, words]) => {
    const option = element("option", words);
    option.value = value;
    return option;
  }));
  select.value = chosen;
}

function showControls() {
  const clock = part("clock"), first = Date.parse(answer.first), last = Date.parse(answer.last);
  const margin = Math.max(last - first, 6 * 3600e3);
  clock.min = Math.floor(first / 1000);
  clock.max = Math.ceil((last + margin) / 1000);
  clock.value = Date.parse(answer.now) / 1000;
  part("now").value = answer.now;
  const own = answer.pending.find(waiting => waiting.name === answer.workload);
  const highest = Math.max(1000, ...answer.pending.map(waiting => waiting.priority));
  const priority = part("priority");
  priority.max = highest;
  priority.min = Math.min(0, ...answer.pending.map(waiting => waiting.priority));
  priority.value = state.priority ?? own.priority;
  part("priority-said").value = priority.value;
  const duration = (state.durationOf === answer.clusterQueue && state.duration) || answer.duration;
  part("duration").value = Math.max(0, DURATIONS.indexOf(duration));
  part("duration-said").value = duration || "not set";
}

const KEPT = ["now", "workload", "clusterQueue", "duration", "durationOf"];

// An answer that something else was asked behind leaves the address as it is.
async function remember(turn) {
  const kept = new URLSearchParams();
  if (new Blob([text()]).size > MOST_BYTES) return;
  if (text() === state.original && state.example) kept.set("example", state.example);
  else kept.set("text", await packed(text()));
  for (const name of KEPT) if (state[name]) kept.set(name, state[name]);
  if (state.reading) kept.set("reading", typeof state.reading === "string" ? state.reading : JSON.stringify(state.reading));
  if (state.priority !== null) kept.set("priority", state.priority);
  if (turn === asked) history.replaceState(null, "", `#${kept}`);
}

// The list is of the text that is there, whatever else is wrong with it.
function showPending({ pending, workload }) {
  options(part("workload"), pending.map(({ name }) => [name, name]), workload || state.workload);
  part("workload").disabled = !pending.length;
}

// The picture has a style of its own; a click on a pending job asks about it.
function beginPicture(style) {
  const shown = part("picture");
  bars = shown.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  bars.adoptedStyleSheets = [sheet];
  bars.addEventListener("click", event => {
    const chosen = event.target.closest("[data-job], a");
    if (!chosen) return;
    event.preventDefault();
    const name = nameOf(chosen.dataset.job) ?? chosen.textContent;
    if ([...part("workload").options].some(option => option.value === name)) choose(name);
  });
}

// One flavor-resource at a time, the one in the greatest demand first; the choice stays while the text has it.
function showQuotas() {
  const all = [...bars.querySelectorAll(".bar")], select = part("quota");
  const known = new Map(all.map(bar => [bar.dataset.column, bar.querySelector(".label").textContent]));
  const labels = [...known].sort(([one], [other]) => one - other).map(([, label]) => [label, label]);
  const before = select.options.length ? select.value : undefined;
  const kept = before === "" || labels.some(([label]) => label === before);
  options(select, [...labels, ["", "all"]], kept ? before : labels[0]?.[0] ?? "");
  select.parentElement.hidden = labels.length < 2;
  for (const bar of all) bar.hidden = select.value !== "" && known.get(bar.dataset.column) !== select.value;
}

const nameOf = number => bars.querySelector(`li[data-number="${number}"] a`)?.textContent;

function draw(html) {
  bars.innerHTML = html;
  part("picture").removeAttribute("aria-busy");
  showQuotas();
  for (const job of bars.querySelectorAll("[data-job]")) {
    const name = nameOf(job.dataset.job), isPreempted = answer.preempted.includes(name);
    job.classList.toggle("chosen", name === answer.workload || isPreempted);
    job.classList.toggle("preempted", isPreempted);
    if (isPreempted) job.querySelector("title").textContent += " · preempted";
  }
}

// Where the text is another cluster, nothing is kept of what was chosen for the one before.
function adopt(said) {
  answer = said;
  if (said.isOther) Object.assign(state, { now: "", clusterQueue: "", priority: null, duration: "", durationOf: "" });
  state.workload = said.workload;
}

// The answer about the first example as it is, made with the site, until Python is loaded.
function showFirst() {
  const { example, answer: made, html } = first, given = question(COUNTERFACTUALS), one = examples[example];
  const is = ["now", "reading", "workload"].every(name => given[name] === one[name]) && given.text === one.text;
  if (!is || given.cluster_queue !== one.clusterQueue || given.assigned.length) return;
  showPending(made);
  adopt(made);
  show(given);
  showControls();
  draw(html);
  settle("made");
}

async function decide() {
  const turn = ++asked;
  age();
  try {
    if (!isReady) showFirst();
    await ready;
    if (turn !== asked) return;
    for (const counterfactuals of [0, COUNTERFACTUALS]) {
      const said = await tenure.ask("decide", { question: question(counterfactuals) });
      if (turn !== asked) return;
      showPending(said);
      if (said.problems.length) {
        showProblems(said.problems);
        break;
      }
      adopt(said);
      show(question(counterfactuals));
      if (counterfactuals) continue;
      showControls();
      offerProofs();
      const drawn = await tenure.ask("draw", { question: { ...question(0), now: answer.now } });
      if (turn !== asked) return;
      draw(drawn.html);
    }
    await remember(turn);
  } catch (error) {
    if (turn === asked) showProblems([error.message]);
  }
}

// What is asked now is not what will be asked: its answer comes too late.
function soon() {
  asked += 1;
  age();
  clearTimeout(timer);
  timer = setTimeout(decide, PAUSE_MS);
}

async function opened(name) {
  const held = index.same[name] ?? name;
  if (held in examples) return examples[held];
  const area = index.opened[held];
  if (!area) throw new Error(`${name} cannot be opened here: choose an example above`);
  return (await fetched(`opened/${area}.json`))[held];
}

// What is opened, and what the address says of it, at once: it is decided about once.
function fill(name, given, kept = new URLSearchParams()) {
  Object.assign(state, {
    example: name, original: given.text, priority: kept.has("priority") ? Number(kept.get("priority")) : null,
    reading: kept.has("reading") ? readingOf(kept.get("reading")) : given.reading ?? "",
  });
  for (const key of KEPT) state[key] = kept.get(key) ?? given[key] ?? "";
  filled = true;
  editor.setValue(given.text, -1);
  filled = false;
  clearTimeout(timer);
  showReading();
}

async function open(name, kept) {
  const chosen = await opened(name);
  fill(name, chosen, kept);
  if (![...part("example").options].some(option => option.value === name)) {
    const option = element("option", `${name}: ${chosen.title}`);
    option.value = name;
    part("example").append(option);
  }
  part("example").value = name;
  await decide();
}

function showReading() {
  const select = part("reading");
  if (typeof state.reading === "string") {
    select.value = state.reading || "guaranteed";
    return;
  }
  const written = JSON.stringify(state.reading);
  if (!presets().includes(written)) {
    const option = element("option", "choices of the vector");
    option.value = written;
    select.append(option);
  }
  select.value = written;
}

const readingOf = value => value.startsWith("{") ? JSON.parse(value) : value;

async function restore(address) {
  asked += 1;
  const kept = new URLSearchParams(new URL(address).hash.slice(1));
  try {
    if (!kept.has("text")) return await open(kept.get("example") ?? "two-teams", kept);
    fill("", { text: await unpacked(kept.get("text")) }, kept);
  } catch (error) {
    return showProblems([error.message]);
  }
  part("example").value = "";
  await decide();
}

// Proofs, in a worker of their own that is loaded when the first is asked for.
function offerProofs() {
  table.isOf(question(0));
  if (root.dataset.matrix === "asked" || !part("cancel").hidden) return;
  part("prove").disabled = part("analyze").disabled = false;
  if (prover) claims();
}

async function claims() {
  const offered = await prover.ask("claims", { rules: answer.rules, reading: presetChosen() });
  const before = part("claim").value;
  options(part("claim"), offered.map(claim => [claim.id, `${claim.id}: ${claim.words}`]), before);
  if (part("claim").selectedIndex < 0) part("claim").selectedIndex = 0;
  part("claim").disabled = false;
}

// One thing at a time is asked of the worker that proves; whoever cancels ends it.
function busy(is, cancel) {
  part("prove").disabled = part("analyze").disabled = is;
  part(cancel).hidden = !is;
}

async function proving(said) {
  loading = said;
  if (prover) return;
  prover = new Tenure(true, words => loading(words));
  await prover.ready;
  await claims();
}

const presetChosen = () => (typeof state.reading === "string" && state.reading ? state.reading : "guaranteed");

async function prove() {
  const verdict = part("verdict");
  busy(true, "cancel");
  try {
    await proving(words => { verdict.textContent = `${words} …`; });
    const identifier = part("claim").value, reading = presetChosen();
    verdict.textContent = `Proving ${identifier} …`;
    root.dataset.proof = "asked";
    const said = await prover.ask("prove", { identifier, reading });
    const list = said.story.map(line => element("li", line));
    verdict.replaceChildren(
      element("p", `${said.id} is ${said.verdict} under ${reading}, by Z3 in ${said.seconds} s: ${said.words}`, said.verdict),
      element("p", said.detail));
    if (list.length) {
      const story = document.createElement("ol");
      story.append(...list);
      verdict.append(element("p", "A counterexample, replayed by the reference:"), story);
    }
    root.dataset.proof = said.verdict;
  } catch (error) {
    verdict.textContent = error.message;
    root.dataset.proof = error.message;
  } finally {
    busy(false, "cancel");
  }
}

// The matrix of the queues in the editor.
async function analyze() {
  const said = part("matrix-said"), given = question(0);
  busy(true, "analyze-cancel");
  table.clear(given);
  part("cell").replaceChildren();
  root.dataset.matrix = "asked";
  try {
    await proving(words => { said.textContent = `${words} …`; });
    said.textContent = "The queues are read …";
    const found = await prover.ask("analyze", { question: given }, ({ sides, marks, words }) => {
      if (sides.length) table.begin(sides);
      for (const mark of marks) table.mark(...mark);
      if (words) said.textContent = `${words} …`;
    });
    if (found.problems.length) {
      said.textContent = found.problems.join("; ");
      root.dataset.matrix = "problems";
      return;
    }
    table.finish(found.verdicts);
    const [counted, ...rest] = found.lines;
    said.replaceChildren(element("strong", counted), ...rest.map(line => element("small", line)));
    root.dataset.matrix = "done";
  } catch (error) {
    said.textContent = `${error.message}: what was found until then stays.`;
    root.dataset.matrix = error.message;
  } finally {
    busy(false, "analyze-cancel");
  }
}

async function showCell(row, column) {
  const shown = part("cell");
  if (root.dataset.matrix === "asked") shown.textContent = "This follows when all cells are settled.";
  try {
    if (!prover) throw new Error("It was cancelled: analyze the queues again to see why.");
    const cell = await prover.ask("cell", { row, column });
    const lines = element("pre", "");
    lines.append(...linked(cell.lines.join("\n")));
    lines.tabIndex = 0;
    const offers = cell.examples.filter(({ question }) => question).map(({ reason, question }) => {
      const offer = element("button", `Open the example of ${reason} above`, "md-button");
      offer.addEventListener("click", () => { fill("", question); decide(); root.scrollIntoView(); });
      return offer;
    });
    shown.replaceChildren(lines, ...offers);
  } catch (error) {
    shown.textContent = error.message;
  }
}

function cancel() {
  prover.end();
  prover = null;
  part("claim").disabled = true;
}

const THEMES = ["ace/theme/github_light_default", "ace/theme/github_dark"];
const theme = () => THEMES[Number(document.body.dataset.mdColorScheme === "slate")];

function beginEditor() {
  ace.config.set("basePath", files.href);
  // A reader who switches sees no pale text on white until the other theme is there.
  for (const name of THEMES) ace.config.loadModule(["theme", name], () => {});
  editor = ace.edit(part("editor"), {
    mode: "ace/mode/yaml", theme: theme(), fontSize: 13, tabSize: 2, useWorker: false, showPrintMargin: false,
    useSoftTabs: true,
  });
  editor.textInput.getElement().setAttribute("aria-label", "Manifests, YAML or JSON");
  // Tab leaves the editor, as it leaves every other field.
  editor.commands.bindKey("Tab", null);
  editor.commands.bindKey("Shift-Tab", null);
  const follow = () => {
    editor.setTheme(theme());
    part("picture").classList.toggle("dark", document.body.dataset.mdColorScheme === "slate");
  };
  follow();
  new MutationObserver(follow).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
}

function choose(name) {
  Object.assign(state, { workload: name, priority: null });
  part("workload").value = name;
  soon();
}

const changes = {
  quota: showQuotas,
  example: select => open(select.value),
  workload: select => choose(select.value),
  reading: select => { state.reading = readingOf(select.value); soon(); },
  now: field => { state.now = field.value.trim(); soon(); },
};
const slides = {
  clock: slider => { state.now = new Date(slider.value * 1000).toISOString().replace(".000", ""); part("now").value = state.now; },
  priority: slider => { state.workload = answer.workload; state.priority = Number(slider.value); part("priority-said").value = slider.value; },
  duration: slider => {
    Object.assign(state, { duration: DURATIONS[slider.value], durationOf: answer.clusterQueue });
    part("duration-said").value = state.duration || "as written";
  },
};

async function begin() {
  const script = document.createElement("script");
  script.src = new URL("ace.js", files);
  const loaded = new Promise((resolve, reject) => { script.onload = resolve; script.onerror = reject; });
  document.head.append(script);
  const style = fetch(new URL("bars.css", files)).then(got => got.text());
  const read = ["index.json", "examples.json", "first.json"].map(fetched);
  let rules;
  [index, examples, first, rules] = await Promise.all([...read, style, loaded]);
  beginPicture(rules);
  beginEditor();
  options(part("example"), Object.entries(examples).map(([name, example]) => [name, example.title]), "two-teams");
  const known = document.createElement("optgroup");
  known.label = "Findings";
  known.append(...Object.entries(index.findings).map(([name, title]) => new Option(title, name)));
  part("example").append(known);
  for (const [name, change] of Object.entries(changes)) part(name).addEventListener("change", event => change(event.target));
  for (const [name, slide] of Object.entries(slides)) {
    part(name).addEventListener("input", event => {
      if (!answer) return;
      slide(event.target);
      soon();
    });
  }
  table = new MatrixTable(part("matrix"), showCell);
  for (const [name, act] of Object.entries({ prove, cancel, analyze, "analyze-cancel": cancel })) {
    part(name).addEventListener("click", act);
  }
  part("whole").hidden = false;
  editor.resize();
  editor.session.on("change", () => {
    if (filled) return;
    part("example").value = text() === state.original ? state.example : "";
    soon();
  });
  addEventListener("hashchange", event => restore(event.newURL));
  // What is shown at once comes before the work of loading Python.
  restore(location.href);
  await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
  const kind = root.dataset.state === "made" ? "This answer was made with the site; yours follow. " : "";
  tenure = new Tenure(false, words => { part("status").textContent = `${kind}${words} …`; });
  begun(tenure.ready);
  await ready;
  isReady = true;
  part("status").hidden = true;
}

part("status").hidden = false;
if (!("WebAssembly" in window && "Worker" in window && "CompressionStream" in window)) {
  part("status").textContent = "This browser cannot run Tenure in a page; the commands below do the same.";
} else {
  const asked = await fetch(new URL("index.json", files));
  if (!asked.ok) part("status").textContent = "This copy of the site was built without the playground's files; the commands below do the same.";
  else await begin().catch(error => Object.assign(part("status"), { hidden: false, textContent: error.message }));
}
