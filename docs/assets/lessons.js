// Examples on rules' pages: what is shown for a choice is looked up in the table of the page, which the rules made.
"use strict";

const WIDE = 440, GAP = 2, CAPTION = 16;

function mark(parent, name, attributes, words = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = words;
  parent.append(made);
  return made;
}

function made(parent, name, attributes = {}, words = "") {
  const element = Object.assign(document.createElement(name), attributes);
  if (words) element.textContent = words;
  parent.append(element);
  return element;
}

for (const table of document.querySelectorAll(".lesson-table")) {
  const {controls, tracks, kinds, cells, numbers, series, said, tall, heights, line} = JSON.parse(table.textContent);
  const last = controls.length - 1;
  const chosen = controls.map(control => control.start);
  const place = (values, count) => controls.slice(0, count)
    .reduce((at, control, number) => at * control.values.length + values[number], 0);
  const paint = letter => `light-dark(${kinds[letter][1]}, ${kinds[letter][2]})`;

  const box = made(document.createDocumentFragment(), "div", {className: "lesson-live"});
  const form = made(box, "form", {className: "choices"});
  form.addEventListener("submit", event => event.preventDefault());
  controls.forEach((control, number) => {
    const label = made(form, "label", {}, `${control.label} `);
    if (number < last) {
      const select = made(label, "select", {name: control.name});
      control.values.forEach((value, at) => select.add(new Option(value, at)));
    } else {
      made(label, "output", {name: "position"});
      made(label, "input", {type: "range", name: control.name, min: 0, max: control.values.length - 1});
    }
    form.elements[control.name].value = control.start;
  });
  const svg = mark(box, "svg", {role: "img", class: "picture"});
  const key = made(box, "p", {className: "lesson-key"});
  for (const letter of Object.keys(kinds)) {
    const sign = made(key, "i");
    sign.style.cssText = `background: ${paint(letter)}; height: ${0.6 * kinds[letter][3]}rem`;
    key.append(` ${kinds[letter][0]} `);
  }
  const words = made(box, "div", {role: "status"});

  const show = () => {
    controls.forEach((control, number) => { chosen[number] = Number(form.elements[control.name].value); });
    const position = controls[last].values[chosen[last]];
    form.elements.position.value = position;
    form.elements[controls[last].name].setAttribute("aria-valuetext", position);
    const strips = cells[place(chosen, series ? last : last + 1)];
    const named = Object.fromEntries(controls.map((control, number) => [control.name, control.values[chosen[number]]]));
    for (const [name, values] of Object.entries(numbers)) named[name] = values[place(chosen, last + 1)];
    if (series) tracks.forEach((track, number) => { named[track] = kinds[strips[number][chosen[last]]][0]; });
    const sentences = said.map(sentence => sentence.replace(/\{([^}]+)\}/g, (_, name) => named[name]));
    words.replaceChildren();
    for (const sentence of sentences) made(words, "p", {}, sentence);
    svg.setAttribute("aria-label", sentences.join(" "));
    svg.replaceChildren();
    const wide = WIDE / Math.max(...strips.map(strip => strip.length));
    let top = 4;
    strips.forEach((strip, number) => {
      mark(svg, "text", {x: 0, y: top + 11, class: "name"}, tracks[number]);
      top += CAPTION;
      [...strip].forEach((letter, at) => {
        const part = heights
          ? numbers[heights[0]][place([...chosen.slice(0, last), at], last + 1)] / heights[1] : kinds[letter][3];
        const size = {width: wide - GAP, height: tall * part};
        mark(svg, "rect", {x: at * wide, y: top + tall - size.height, ...size, "data-kind": letter}).style.fill = paint(letter);
      });
      if (series) {
        mark(svg, "rect", {x: chosen[last] * wide - 1, y: top - 1, width: wide, height: tall + 2, class: "here"});
      }
      if (line) {
        const level = top + tall * (1 - line[0] / heights[1]);
        mark(svg, "line", {x1: 0, x2: WIDE, y1: level, y2: level});
        mark(svg, "text", {x: WIDE, y: level - 4, "text-anchor": "end"}, line[1]);
      }
      top += tall + 8;
    });
    if (series) {
      const {values} = controls[last];
      mark(svg, "text", {x: 0, y: top + 6}, values[0]);
      mark(svg, "text", {x: WIDE, y: top + 6, "text-anchor": "end"}, values[values.length - 1]);
      top += 14;
    }
    svg.setAttribute("viewBox", `-1 0 ${WIDE + 2} ${top}`);
  };
  form.addEventListener("input", show);
  show();
  document.querySelector(".lesson").replaceWith(box);
}
