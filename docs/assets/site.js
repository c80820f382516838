// Small helps for pages that can be read without them: commands are copied alone, long tables are searched through.
"use strict";

// Of a console block the commands are copied, without their prompts and without what they print.
for (const block of document.querySelectorAll(".language-console")) {
  const commands = [];
  for (const line of block.querySelector("code").textContent.split("\n")) {
    if (/^[$>] /.test(line)) commands.push(line.slice(2));
  }
  if (commands.length) block.dataset.copy = commands.join("\n");
}

// What is wider than its box is scrolled by keys too. The theme lets keys reach code only where something hovers,
// and tables never; yet a tablet may have a keyboard.
const reach = wide => {
  const box = wide.closest(".md-typeset__scrollwrap") ?? wide;
  if (box.scrollWidth > box.clientWidth && !wide.hasAttribute("tabindex")) wide.tabIndex = 0;
};
const resized = new ResizeObserver(seen => seen.forEach(({target}) => reach(target)));
const taken = new MutationObserver(seen => seen.forEach(({target}) => reach(target)));
for (const wide of document.querySelectorAll("pre > code, .md-typeset table:not([class])")) {
  resized.observe(wide);
  taken.observe(wide, {attributeFilter: ["tabindex"]});
}

const words = cell => cell.textContent.trim();

function choice(label, options, changed) {
  const select = document.createElement("select");
  for (const [value, text] of options) select.add(new Option(text, value));
  select.addEventListener("change", changed);
  const named = document.createElement("label");
  named.append(`${label} `, select);
  return [named, select];
}

// data-by: columns of which a reader may choose one value. data-verdicts: the first column of verdicts.
for (const box of document.querySelectorAll(".chosen")) {
  const table = box.querySelector("table");
  const heads = [...table.tHead.rows[0].cells].map(words);
  const rows = [...table.tBodies[0].rows];
  const shown = document.createElement("p");
  shown.setAttribute("aria-live", "polite");
  const tests = [];
  const apply = () => {
    for (const row of rows) row.hidden = !tests.every(test => test(row));
    shown.textContent = `${rows.filter(row => !row.hidden).length} of ${rows.length}`;
  };
  const bar = document.createElement("form");
  bar.className = "choices";
  for (const column of (box.dataset.by || "").split(",").filter(Boolean).map(Number)) {
    const values = [...new Set(rows.map(row => words(row.cells[column])))].filter(Boolean);
    const [label, select] = choice(heads[column], [["", "all"], ...values.map(value => [value, value])], apply);
    tests.push(row => !select.value || words(row.cells[column]) === select.value);
    bar.append(label);
  }
  if (box.dataset.verdicts) {
    const first = Number(box.dataset.verdicts);
    const presets = heads.slice(first).map((head, place) => [String(first + place), head]);
    const [one, outcome] = choice("Verdict", [["", "all"], ["proved", "proved"], ["refuted", "refuted"]], apply);
    const [other, preset] = choice("under", [["", "any preset"], ...presets], apply);
    tests.push(row => !outcome.value || [...row.cells].slice(first).some((cell, place) =>
      (!preset.value || Number(preset.value) === first + place) && words(cell) === outcome.value));
    bar.append(one, other);
  }
  bar.append(shown);
  box.prepend(bar);
  apply();
  if (box.dataset.sorted === undefined) continue;
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head;
    button.addEventListener("click", () => {
      const cell = table.tHead.rows[0].cells[column];
      const down = cell.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = row => row.cells[column].querySelector("[data-rank]")?.dataset.rank || words(row.cells[column]);
      rows.sort((one, other) => key(one).localeCompare(key(other), "en", {numeric: true}) * (down ? -1 : 1));
      table.tBodies[0].append(...rows);
    });
    table.tHead.rows[0].cells[column].replaceChildren(button);
  });
}

// On a phone a table that is wider than the screen becomes a list: a block for each row, each cell with its column.
const phone = matchMedia("(max-width: 44rem)");
const tables = document.querySelectorAll("article table:not([class])");
function stack() {
  for (const table of tables) {
    delete table.dataset.stacked;
    const room = table.closest("article").clientWidth;
    const wide = Math.max(table.scrollWidth, table.getBoundingClientRect().width) > room + 1;
    if (!phone.matches || !wide) continue;
    table.dataset.stacked = "";
    const heads = [...table.tHead.rows[0].cells].map(words);
    // Laid out as blocks they would be read out as no table.
    table.setAttribute("role", "table");
    for (const row of table.tBodies[0].rows) {
      row.setAttribute("role", "row");
      [...row.cells].forEach((cell, column) => {
        cell.setAttribute("role", "cell");
        cell.dataset.head = heads[column];
      });
    }
  }
}
addEventListener("load", stack);
phone.addEventListener("change", stack);
