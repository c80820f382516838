// A table of verdicts that fills while cells are settled: preemptors are rows, victims columns.
export class MatrixTable {
  // What is chosen is told by row and column.
  constructor(place, choose) {
    this.place = place;
    this.choose = choose;
    this.clear(null);
  }

  // Nothing is known yet of what is asked.
  clear(question) {
    this.question = question;
    this.cells = [];
    this.place.replaceChildren();
    this.isOf(question);
  }

  // Whether the table is of the queues that the editor has now.
  isOf(question) {
    const asked = given => given && JSON.stringify([given.text, given.reading, given.assigned]);
    this.place.classList.toggle("of-another", asked(question) !== asked(this.question));
  }

  begin(sides) {
    const table = document.createElement("table");
    const caption = table.createCaption();
    caption.textContent = "Rows: ClusterQueue and priority of the preemptor. Columns: of the victim. Choose a cell.";
    const queues = table.createTHead().insertRow(), classes = table.tHead.insertRow();
    this.corner(queues);
    const first = sides.map((side, at) => at === 0 || sides[at - 1].clusterQueue !== side.clusterQueue);
    const many = at => sides.filter(side => side.clusterQueue === sides[at].clusterQueue).length;
    sides.forEach((side, at) => {
      if (first[at]) this.head(queues, side.clusterQueue, "colgroup", many(at));
      this.head(classes, side.priorityClass, "col", 1);
    });
    const body = table.createTBody();
    this.cells = sides.map((side, row) => {
      const line = body.insertRow();
      if (first[row]) this.head(line, side.clusterQueue, "rowgroup", 1).rowSpan = many(row);
      this.head(line, side.priorityClass, "row", 1);
      return sides.map((victim, column) => this.cell(line, side, victim, row, column));
    });
    this.place.replaceChildren(table);
  }

  corner(line) {
    const corner = line.insertCell();
    corner.colSpan = corner.rowSpan = 2;
  }

  head(line, words, scope, columns) {
    const head = document.createElement("th");
    head.textContent = words;
    Object.assign(head, { scope, colSpan: columns });
    line.append(head);
    return head;
  }

  cell(line, side, victim, row, column) {
    const button = document.createElement("button");
    button.textContent = "…";
    button.dataset.names = `${side.clusterQueue}/${side.priorityClass} preempts ${victim.clusterQueue}/${victim.priorityClass}`;
    button.setAttribute("aria-label", `${button.dataset.names}: not known yet`);
    button.addEventListener("click", () => {
      this.place.querySelector("[aria-pressed]")?.removeAttribute("aria-pressed");
      button.setAttribute("aria-pressed", "true");
      this.choose(row, column);
    });
    line.insertCell().append(button);
    return button;
  }

  mark(row, column, verdict) {
    const button = this.cells[row][column];
    if (button.textContent === "can") return;
    button.textContent = verdict;
    button.dataset.verdict = verdict;
    button.setAttribute("aria-label", `${button.dataset.names}: ${verdict}`);
    button.title = button.dataset.names;
  }

  finish(verdicts) {
    verdicts.forEach((row, at) => row.forEach((verdict, column) => this.mark(at, column, verdict)));
  }
}
