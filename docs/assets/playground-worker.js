// Tenure in a worker: one for decisions, and one for proofs, which is ended when a proof is cancelled.
import { loadPyodide } from "./playground/pyodide.mjs";

const files = new URL("./playground/", import.meta.url);
const modules = "/lib/python3.14/site-packages";
let python;

const say = (kind, fields) => postMessage({ kind, ...fields });

async function unpack(name) {
  const got = await fetch(new URL(name, files));
  if (!got.ok) throw new Error(`${name}: ${got.status}`);
  python.unpackArchive(await got.arrayBuffer(), "zip", { extractDir: modules });
}

async function begin(proofs) {
  say("progress", { text: "Loading Python" });
  python = await loadPyodide({ indexURL: files.href });
  say("progress", { text: "Loading Tenure" });
  await unpack("decide.zip");
  if (proofs) {
    say("progress", { text: "Loading Z3, 7 MB" });
    await unpack("prove.zip");
  }
  say("progress", { text: proofs ? "Starting Z3" : "Starting Tenure" });
  python.runPython(proofs
    ? "from tenure_proofs.playground import claimed, judged"
    : "from tenure.playground import answered");
}

const called = (name, ...given) => {
  const asked = python.globals.get(name);
  const converted = given.map(value => Array.isArray(value) ? python.toPy(value) : value);
  return JSON.parse(asked(...converted));
};

// What draws is loaded when the first answer is there.
async function beginToDraw() {
  await unpack("draw.zip");
  python.runPython("from tenure_play.playground import pictured");
}
let drawing;

const answers = {
  begin: async ({ proofs }) => { await begin(proofs); return null; },
  decide: async ({ question }) => called("answered", JSON.stringify(question)),
  draw: async ({ question }) => {
    await (drawing ??= beginToDraw());
    return called("pictured", JSON.stringify(question));
  },
  claims: async ({ rules, reading }) => called("claimed", rules, reading),
  analyze: async ({ number, question }) => {
    python.runPython("from tenure_check.playground import analyzed, shown_cell");
    return called("analyzed", JSON.stringify(question), text => say("part", { number, value: JSON.parse(text) }));
  },
  cell: async ({ row, column }) => called("shown_cell", row, column),
  prove: async ({ identifier, reading }) => called("judged", identifier, reading),
};

onmessage = async ({ data }) => {
  try {
    say("answer", { number: data.number, value: await answers[data.kind](data) });
  } catch (error) {
    say("answer", { number: data.number, error: String(error.message ?? error) });
  }
};
