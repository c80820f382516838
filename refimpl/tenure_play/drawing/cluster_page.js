"use strict";
/** Lets the page that there is answer its reader; what is returned ends that. */
const begin = () => {
  const ended = new AbortController(), whileShown = { signal: ended.signal };
  const get = id => document.getElementById(id);
  const main = document.querySelector("main"), chosen = get("chosen"), search = get("search");
  const queues = [...main.querySelectorAll(".queue")], cohorts = [...main.querySelectorAll(".cohort")];
  const bars = [...main.querySelectorAll(".bar")];
  get("controls").hidden = false;
  get("controls").addEventListener("submit", event => event.preventDefault());

  const column = get("column");
  const showColumn = () => {
    for (const bar of bars) bar.hidden = column.value !== "" && bar.dataset.column !== column.value;
  };
  if (column) { column.addEventListener("change", showColumn); showColumn(); }

  get("colour").addEventListener("change", event => { document.body.dataset.colour = event.target.value; });

  get("fold").addEventListener("click", event => {
    const fold = event.target.textContent === "Fold all";
    for (const each of cohorts) each.open = !fold;
    event.target.textContent = fold ? "Unfold all" : "Fold all";
  });

  const find = () => {
    const words = search.value.trim().toLowerCase();
    let jobs = 0, shown = 0;
    for (const queue of queues) {
      const named = queue.dataset.name.toLowerCase().includes(words);
      let met = 0;
      for (const row of queue.querySelectorAll("li")) {
        const is = row.firstElementChild.textContent.toLowerCase().includes(words);
        row.hidden = !is && !named;
        met += is;
      }
      queue.hidden = !named && met === 0;
      const list = queue.querySelector("details");
      if (list) list.open = words !== "" && met > 0;
      jobs += met;
      shown += !queue.hidden;
    }
    for (const cohort of cohorts.toReversed()) {
      const any = cohort.querySelector(".queue:not([hidden])") !== null;
      cohort.hidden = !any;
      if (words && any) cohort.open = true;
    }
    const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
    get("found").textContent = words ? `${count(jobs, "job")} in ${count(shown, "queue")}` : "";
  };
  let waits = 0;
  search.addEventListener("input", () => { clearTimeout(waits); waits = setTimeout(find, 150); });

  const drawn = new Map();
  for (const each of document.querySelectorAll("template[data-step]")) {
    const bar = get(each.dataset.bar);
    if (!drawn.has(bar)) drawn.set(bar, [[0, bar.innerHTML]]);
    drawn.get(bar).push([Number(each.dataset.step), each.innerHTML]);
  }
  const steps = [...document.querySelectorAll("button[data-step]")];
  const showStep = event => {
    const step = Number(event.currentTarget.dataset.step);
    for (const each of steps) each.setAttribute("aria-pressed", String(each === event.currentTarget));
    for (const [bar, shown] of drawn) bar.innerHTML = shown.findLast(([at]) => at <= step)[1];
    mark();
  };
  for (const each of steps) each.addEventListener("click", showStep);

  const mark = () => {
    for (const each of main.querySelectorAll(".chosen")) each.classList.remove("chosen");
    const target = get(location.hash.slice(1));
    target?.classList.add("chosen");
    if (target?.matches("li")) for (const each of main.querySelectorAll(`[data-job="${target.dataset.number}"]`)) each.classList.add("chosen");
  };

  const quoted = word => /^[\w.\/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
  const add = (kind, text) => chosen.appendChild(Object.assign(document.createElement(kind), { textContent: text }));
  const command = (what, words) => { add("p", what); add("pre", `${main.dataset.program} ${words}`); };
  const addClose = next => {
    const close = add("button", "Close");
    close.type = "button";
    close.addEventListener("click", () => { history.replaceState(null, "", " "); showChosen(); next.focus(); });
  };
  const showChosen = () => {
    const id = location.hash.slice(1), target = get(id), isNamed = /^(job|queue)\//.test(id);
    mark();
    chosen.hidden = !isNamed;
    if (chosen.hidden) return;
    chosen.replaceChildren();
    chosen.scrollTop = 0;
    if (!target) {
      add("h2", id.replace("/", " "));
      add("p", "Not in this picture.");
      addClose(search);
      return;
    }
    const name = target.querySelector("a").textContent, given = main.dataset.arguments;
    add("h2", name);
    if (target.matches("li")) {
      target.closest("details")?.setAttribute("open", "");
      const queue = target.closest(".queue").dataset.name;
      add("p", `${queue ? `ClusterQueue ${queue} · ` : ""}${target.lastElementChild.textContent}`);
      const answer = get(`a${target.dataset.number}`);
      if (answer) {
        chosen.append(answer.content.cloneNode(true));
      } else {
        add("p", "Not answered within the budget. Run:");
      }
      if (target.classList.contains("pending")) {
        command("Why it waits, and what would change that", `why-not ${quoted(name)} ${given}`);
        command("When it starts", `next ${quoted(name)} ${given}`);
      } else {
        command("Who could preempt it", `why ${quoted(name)} ${given}`);
      }
    } else {
      const files = given.replace(/ ?--now \S+$/, ""), open = main.dataset.open.split(" ");
      const late = asked => open.includes(asked) ? " (not answered within the budget)" : "";
      add("p", "ClusterQueue");
      const answer = get(`q${target.dataset.number}`);
      if (answer) chosen.append(answer.content.cloneNode(true));
      command(`Whether also within its nominal quota${late("matrix")}`, `analyze matrix ${files} --victim ${quoted(name)}`);
      command(`What it can count on${late("guarantees")}`, `analyze guarantees ${files} --of ${quoted(name)}`);
      command("Fields without effect", `analyze sanity ${files}`);
    }
    addClose(target.querySelector("a"));
  };
  addEventListener("hashchange", showChosen, whileShown);
  addEventListener("keydown", event => { if (event.key === "Escape" && !chosen.hidden) chosen.querySelector("button").click(); }, whileShown);
  main.addEventListener("click", event => {
    const piece = event.target.closest("[data-job]");
    if (piece) location.hash = main.querySelector(`li[data-number="${piece.dataset.job}"]`).id;
  });
  if (search.value) find();
  showChosen();
  return () => ended.abort();
};
let end = begin();
