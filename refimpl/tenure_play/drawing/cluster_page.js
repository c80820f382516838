"use strict";
{
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
    get("found").textContent = words ? `${jobs} jobs in ${shown} queues` : "";
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
    const job = /^#j(\d+)$/.exec(location.hash);
    if (job) for (const each of main.querySelectorAll(`[data-job="${job[1]}"]`)) each.classList.add("chosen");
  };

  const quoted = word => /^[\w.\/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
  const add = (kind, text) => chosen.appendChild(Object.assign(document.createElement(kind), { textContent: text }));
  const command = (what, words) => { add("p", what); add("pre", `${main.dataset.program} ${words}`); };
  const showChosen = () => {
    const target = get(location.hash.slice(1));
    mark();
    chosen.hidden = !target || !main.contains(target);
    if (chosen.hidden) return;
    chosen.replaceChildren();
    chosen.scrollTop = 0;
    const name = target.querySelector("a").textContent, given = main.dataset.arguments;
    add("h2", name);
    if (target.id[0] === "j") {
      target.closest("details")?.setAttribute("open", "");
      const queue = target.closest(".queue").dataset.name;
      add("p", `${queue ? `ClusterQueue ${queue} · ` : ""}${target.lastElementChild.textContent}`);
      const answer = get(`a${target.id.slice(1)}`);
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
      const answer = get(`q${target.id.slice(1)}`);
      if (answer) chosen.append(answer.content.cloneNode(true));
      command(`Whether also within its nominal quota${late("matrix")}`, `analyze matrix ${files} --victim ${quoted(name)}`);
      command(`What it can count on${late("guarantees")}`, `analyze guarantees ${files} --of ${quoted(name)}`);
      command("Fields without effect", `analyze sanity ${files}`);
    }
    const close = add("button", "Close");
    close.type = "button";
    close.addEventListener("click", () => { history.replaceState(null, "", " "); showChosen(); target.querySelector("a").focus(); });
  };
  addEventListener("hashchange", showChosen);
  addEventListener("keydown", event => { if (event.key === "Escape" && !chosen.hidden) chosen.querySelector("button").click(); });
  main.addEventListener("click", event => {
    const piece = event.target.closest("[data-job]");
    if (piece) location.hash = `j${piece.dataset.job}`;
  });
  showChosen();
}
