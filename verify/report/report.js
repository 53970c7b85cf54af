// What the pages do beside being read: filters, the graph that lights up, sliders, copying. Without it nothing is missing.
"use strict";

const byId = (id) => document.getElementById(id);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

function filters() {
  const form = byId("filters");
  if (!form) return;
  form.hidden = false;
  const cards = all(".card"), buttons = all("button[data-key]", form), search = byId("search");
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = {};
    for (const button of buttons)
      if (button.getAttribute("aria-pressed") === "true") (chosen[button.dataset.key] ??= []).push(button.dataset.value);
    let count = 0;
    for (const card of cards) {
      const fits = Object.entries(chosen).every(([key, values]) => values.includes(card.dataset[key]));
      card.hidden = !(fits && words.every((word) => card.dataset.text.includes(word)));
      count += !card.hidden;
    }
    byId("count").textContent = `${count} of ${cards.length}`;
  };
  for (const button of buttons)
    button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
      show();
    });
  search.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
}

function graph() {
  const drawing = document.querySelector("svg.graph");
  if (!drawing) return;
  const nodes = all(".node", drawing), edges = all(".edge", drawing), below = {}, above = {};
  for (const { dataset: { a, b } } of edges) {
    (below[a] ??= []).push(b);
    (above[b] ??= []).push(a);
  }
  const reached = (start, next) => {
    const seen = new Set([start]), open = [start];
    while (open.length) for (const one of next[open.pop()] ?? []) if (!seen.has(one)) seen.add(one) && open.push(one);
    return seen;
  };
  const light = (node) => {
    const down = reached(node.dataset.n, below), up = reached(node.dataset.n, above);
    drawing.classList.add("lit");
    for (const one of nodes) one.classList.toggle("hot", down.has(one.dataset.n) || up.has(one.dataset.n));
    for (const one of edges) {
      const { a, b } = one.dataset;
      one.classList.toggle("hot", (down.has(a) && down.has(b)) || (up.has(a) && up.has(b)));
    }
  };
  const dark = () => drawing.classList.remove("lit");
  for (const node of nodes) {
    node.addEventListener("pointerenter", () => light(node));
    node.addEventListener("focusin", () => light(node));
    node.addEventListener("pointerleave", dark);
    node.addEventListener("focusout", dark);
  }
}

// The complementary error function: a series near 0, a continued fraction beyond.
function erfc(x) {
  if (x < 0) return 2 - erfc(-x);
  const scale = Math.exp(-x * x) / Math.sqrt(Math.PI);
  if (x < 2.5) {
    let term = 2 * x, sum = term;
    for (let n = 1; term > 1e-17 * sum; n++) sum += term *= (2 * x * x) / (2 * n + 1);
    return 1 - scale * sum;
  }
  let fraction = x;
  for (let n = 80; n > 0; n--) fraction = x + n / 2 / fraction;
  return scale / fraction;
}

function sliders() {
  const island = byId("tried");
  if (!island) return;
  const { parameters, inputs, code, op, climbs } = JSON.parse(island.textContent);
  const closed = code ? new Function("p", "erfc", code) : null;
  const ranges = all("[data-parameter]"), back = byId("back"), rows = all("tr[id^=h]");
  const at = parameters.map((one) => one.start);
  const together = (i) => closed !== null && inputs.includes(parameters[i].name);
  const raised = (digits) => [...String(+digits)].map((sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]).join("");
  const printed = (x, digits = 4) => {
    if (!Number.isFinite(x)) return "–";
    const [mantissa, power] = String(+x.toPrecision(digits)).replace(/^-/, "−").split("e");
    return power === undefined ? mantissa : mantissa === "1" ? `10${raised(power)}` : `${mantissa}·10${raised(power)}`;
  };

  // Of a factor beside 1 so many digits that it is not 1.
  const near = (x) => printed(x, [4, 6, 9, 12].find((digits) => +x.toPrecision(digits) !== 1));

  const found = () => {
    const moved = at.map((value, i) => i).filter((i) => at[i] !== parameters[i].start);
    if (moved.length < 2) {
      const i = moved[0] ?? 0;
      const one = parameters[i].found[at[i]];
      return one && { ...one, unknown: [] };
    }
    const values = Object.fromEntries(parameters.map((one, i) => [one.name, one.numbers[at[i]]]));
    const result = closed(values, erfc);
    if (!result || !Number.isFinite(result[0]) || !Number.isFinite(result[1])) return undefined;
    const [left, right, corrected, holds] = result;
    const close = 1e-9 * Math.max(Math.abs(left), Math.abs(right));
    const wrong = { "<=": left > right + close, ">=": left < right - close, "<": left >= right, ">": left <= right };
    const numbers = (fits) => holds.map((one, i) => (fits(one) ? i : -1)).filter((i) => i >= 0);
    return {
      left, right, corrected, violated: wrong[op] ?? Math.abs(left - right) > close,
      failed: numbers((one) => one === false), unknown: numbers((one) => one === null),
    };
  };

  const draw = () => {
    parameters.forEach((one, i) => {
      ranges[i].value = at[i];
      document.querySelector(`output[data-of="${i}"]`).textContent = one.values[at[i]];
    });
    back.hidden = parameters.every((one, i) => at[i] === one.start);
    const now = found(), sides = ["left", "right", "corrected"];
    const largest = Math.max(...sides.map((side) => Math.abs(now?.[side] ?? 0))) || 1;
    for (const side of sides) {
      const bar = document.querySelector(`[data-bar="${side}"]`);
      if (!bar) continue;
      bar.style.width = `${(100 * Math.abs(now?.[side] ?? 0)) / largest}%`;
      document.querySelector(`[data-number="${side}"]`).textContent = printed(now?.[side]);
    }
    const failed = new Set(now?.failed ?? []), unknown = new Set(now?.unknown ?? []);
    rows.forEach((row, i) => {
      const mark = row.querySelector(".mark");
      mark.dataset.before ??= mark.innerHTML;
      if (back.hidden || /added|dropped/.test(mark.dataset.before)) mark.innerHTML = mark.dataset.before;
      else if (!now || unknown.has(i)) mark.textContent = "?";
      else mark.innerHTML = failed.has(i) ? '<b class="no">✗</b>' : '<b class="ok">✓</b>';
    });
    const says = byId("says");
    says.replaceChildren();
    if (!now) {
      says.textContent = now === null ? "These values make no instance." : "Not known at these values together.";
      return;
    }
    const sign = document.createElement("b");
    sign.className = climbs ? "" : now.violated ? "no" : "ok";
    sign.textContent = now.left === null ? "– not defined"
      : climbs ? `ratio ${printed(now.left / now.right)}` : now.violated ? "✗ violated" : "✓ holds";
    const factor = climbs ? ", with the hidden constant 1" : now.violated && now.left > 0 && now.right > 0 ? ` by a factor ${near(Math.max(now.left / now.right, now.right / now.left))}` : "";
    const names = (numbers) => numbers.map((i) => rows[i]?.querySelector(".says").textContent ?? "").join("; ");
    const hypotheses = failed.size
      ? `; not in force: ${names([...failed])}`
      : unknown.size ? `; not known: ${names([...unknown])}` : "; all hypotheses hold";
    says.append(sign, `${factor}${hypotheses}.`);
  };

  ranges.forEach((range, i) => {
    range.disabled = false;
    range.addEventListener("input", () => {
      at[i] = +range.value;
      parameters.forEach((one, k) => {
        if (k !== i && at[i] !== parameters[i].start && !(together(i) && together(k))) at[k] = one.start;
      });
      draw();
    });
  });
  back.addEventListener("click", () => {
    parameters.forEach((one, i) => (at[i] = one.start));
    draw();
  });
  draw();
}

function copying() {
  if (!navigator.clipboard) return;
  for (const button of all("button.copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.nextElementSibling.textContent);
      button.textContent = "copied";
      setTimeout(() => (button.textContent = "copy"), 900);
    });
  }
}

filters();
graph();
sliders();
copying();
