{
  const program = document.currentScript.text;
  const age = Object.assign(document.createElement("p"), { id: "age", className: "note" });
  const trouble = Object.assign(document.createElement("p"), { id: "trouble" });
  trouble.setAttribute("role", "alert");
  const place = () => document.querySelector(".counts").after(age, trouble);

  let picture = Number(document.querySelector("main").dataset.picture), every = 1;
  let readAt = 0, failedAt = 0, error = "", isNewer = false;
  const ago = at => {
    const seconds = Math.max(0, Math.round((performance.now() - at) / 1000)), minutes = Math.floor(seconds / 60);
    if (seconds < 120) return `${seconds} s ago`;
    return minutes < 120 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ${minutes % 60} min ago`;
  };
  const showAge = () => {
    // When the picture was read is known only once the server has answered while it is still the newest.
    const known = [
      readAt ? `read ${ago(readAt)}` : "",
      error ? `reading failed ${ago(failedAt)}` : "",
      isNewer ? "a newer picture follows when nothing is selected" : "",
    ].filter(Boolean).join(" · ");
    age.textContent = known.slice(0, 1).toUpperCase() + known.slice(1);
    if (trouble.textContent !== error) trouble.textContent = error;
  };

  // What would be lost if the page changed now: half a click, a word that is being typed, a selection.
  let isHeld = false, typedAt = -Infinity;
  addEventListener("pointerdown", () => { isHeld = true; }, true);
  for (const each of ["pointerup", "pointercancel", "blur"]) addEventListener(each, () => { isHeld = false; }, true);
  addEventListener("input", () => { typedAt = performance.now(); }, true);
  const isBusy = () => isHeld || performance.now() - typedAt < 1000 || !getSelection().isCollapsed;

  const get = id => document.getElementById(id);
  const folds = () => document.querySelectorAll("header > details, #coming, #loops, .cohort, .queue > details");
  const nameOf = fold => fold.id
    || (fold.matches(".cohort") ? `cohort/${fold.querySelector("summary").textContent}` : `queue/${fold.closest(".queue")?.dataset.name}`);
  const focused = () => {
    const element = document.activeElement, fold = element.closest("summary")?.parentElement;
    if (element.id) return () => get(element.id);
    if (element.closest("#chosen")) return () => document.querySelector("#chosen button");
    if (fold) return () => [...folds()].find(each => nameOf(each) === nameOf(fold))?.querySelector("summary");
    const address = element.getAttribute("href");
    return () => address && document.querySelector(`main a[href="${CSS.escape(address)}"]`);
  };
  const seen = () => {
    // The first job or name of a ClusterQueue in sight stays where it is; between two jobs there is neither.
    const left = document.querySelector("main").getBoundingClientRect().left + 24;
    let last = null;
    for (let y = 64; scrollY > 0 && y < innerHeight; y += 8) {
      const found = document.elementFromPoint(left, y)?.closest("main li[id], main .queue");
      const named = found?.matches(".queue") ? found.querySelector("h3") : found;
      if (named) last = { id: named.id, top: named.getBoundingClientRect().top };
      if (last?.top >= 0) break;
    }
    return last;
  };
  const selected = list => list?.selectedOptions[0]?.textContent;
  const select = (list, text) => {
    const option = [...list?.options ?? []].find(each => each.textContent === text);
    if (option) option.selected = true;
  };
  const pressed = () => document.querySelector('#coming [aria-pressed="true"]')?.parentElement.textContent;

  /** Shows another picture with all that the reader has set. */
  const show = fresh => {
    const search = get("search"), range = [search.selectionStart, search.selectionEnd];
    const column = selected(get("column")), colour = selected(get("colour")), fold = get("fold").textContent;
    const open = new Map([...folds()].map(each => [nameOf(each), each.open]));
    const step = pressed(), focus = focused(), spot = seen(), top = get("chosen").scrollTop, y = scrollY;
    end();
    document.body.replaceChildren(...[...fresh.body.childNodes].filter(each => each.nodeName !== "SCRIPT"));
    place();
    get("search").value = search.value;
    select(get("column"), column);
    select(get("colour"), colour);
    get("fold").textContent = fold;
    end = begin();
    for (const each of folds()) each.open = open.get(nameOf(each)) ?? each.open;
    if (step !== pressed()) {
      const entries = [...document.querySelectorAll("#coming ol > li")];
      entries.find(each => each.textContent === step)?.querySelector("button")?.click();
    }
    focus()?.focus({ preventScroll: true });
    if (document.activeElement.id === "search") get("search").setSelectionRange(...range);
    get("chosen").scrollTop = top;
    const named = spot && get(spot.id);
    if (named) scrollBy(0, named.getBoundingClientRect().top - spot.top); else scrollTo(scrollX, y);
  };

  const ask = async path => {
    const answer = await fetch(path, { cache: "no-store" });
    if (!answer.ok) throw new Error(await answer.text());
    return answer;
  };
  const follow = async () => {
    const state = await (await ask("/state")).json();
    every = state.every;
    error = state.error ?? "";
    failedAt = performance.now() - 1000 * (state.errorAge ?? 0);
    if (state.picture !== picture) {
      isNewer = isBusy();
      if (isNewer) return;
      const fresh = new DOMParser().parseFromString(await (await ask("/")).text(), "text/html");
      if (fresh.scripts[0].text !== program) { location.reload(); return; }
      if (isBusy()) return;
      show(fresh);
      picture = Number(document.querySelector("main").dataset.picture);
    }
    readAt = performance.now() - 1000 * state.age;
  };
  const keepFollowing = async () => {
    if (!document.hidden) {
      try {
        await follow();
      } catch {
        if (!error) failedAt = performance.now();
        error = "The server does not answer. `tenure report --serve` starts it.";
      }
      showAge();
    }
    setTimeout(keepFollowing, Math.min(3000, Math.max(100, 100 * every)));
  };
  place();
  setInterval(showAge, 1000);
  keepFollowing();
}
