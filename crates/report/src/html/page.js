// Steps through the run. Everything that is shown without it is in the markup.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const last = data.steps.length - 1;
  const [slider, search, hits, state, live] = ["at", "search", "hits", "state", "live"].map(byId);
  let current = -1;
  let found = [];

  const row = (step) => byId("s" + step);
  const make = (name, text, kind) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  };
  const colour = (thread) => "t" + (thread % 8);
  const place = (file, line) => (line ? (data.files.length > 1 ? data.files[file].split("/").pop() + ":" : "line ") + line : "");

  // The state after a step: all changes up to it, in their order.
  const stateAt = (step) => {
    const now = { values: new Map(), calls: new Map(), locks: [] };
    for (let number = 0; number <= step; number++) {
      const change = data.steps[number];
      for (const [variable, value, written] of change.v || []) {
        const before = now.values.get(variable);
        now.values.set(variable, { value, step: number, writer: written ? change.t : before && before.writer });
      }
      now.calls.set(change.t, change.c);
      if (change.k) now.locks = change.k;
    }
    return now;
  };

  const panel = (title, ...content) => {
    const section = make("section");
    section.append(make("h2", title), ...content);
    return section;
  };

  const variables = (now, step) => {
    const table = make("table");
    const head = table.createTHead().insertRow();
    for (const name of ["variable", "value", "written by"]) {
      const cell = make("th", name);
      cell.scope = "col";
      head.append(cell);
    }
    const body = table.createTBody();
    data.places.forEach((name, number) => {
      const known = now.values.get(number);
      if (!known) return;
      const line = body.insertRow();
      line.append(make("td", name), make("td", known.value), make("td", known.writer === undefined ? "" : "T" + known.writer));
      if (known.step === step) {
        line.className = "new";
        line.cells[1].prepend("● ");
      }
    });
    return body.rows.length ? panel("Shared variables", table) : panel("Shared variables", make("p", "none touched yet"));
  };

  const locks = (now) => {
    const list = make("ul");
    for (const [thread, lock] of now.locks) list.append(make("li", "T" + thread + " holds " + lock, colour(thread)));
    return panel("Locks held", now.locks.length ? list : make("p", "none"));
  };

  const calls = (now, thread) => {
    const list = make("ul");
    for (const [number, frames] of [...now.calls].sort((one, other) => one[0] - other[0])) {
      if (!frames.length) continue;
      const text = [...frames].reverse().map(([name, file, line]) => (line ? name + " (" + place(file, line) + ")" : name));
      const item = make("li", "T" + number + (number === thread ? " ▶ " : " ") + text.join(" ← "), colour(number));
      list.append(item);
    }
    return panel("Calls", list);
  };

  const unfold = (element) => {
    const body = element.closest("tbody");
    if (!body || !body.hidden) return;
    body.hidden = false;
    document.querySelector('[aria-controls="' + body.id + '"]').setAttribute("aria-expanded", "true");
  };

  const within = (element, box) => {
    const [own, outer] = [element.getBoundingClientRect(), box.getBoundingClientRect()];
    if (own.top < outer.top || own.bottom > outer.bottom) box.scrollTop += own.top - outer.top - box.clientHeight / 3;
  };

  const show = (step, scroll = true) => {
    step = Math.max(0, Math.min(last, step));
    if (current >= 0) row(current).removeAttribute("aria-current");
    document.querySelectorAll(".listing .here").forEach((line) => line.classList.remove("here"));
    current = step;
    const element = row(step);
    unfold(element);
    element.setAttribute("aria-current", "step");
    if (scroll) element.scrollIntoView({ block: "center" });
    const change = data.steps[step];
    const line = byId("f" + change.f + "l" + change.l);
    if (line) {
      const file = line.closest("details");
      file.open = true;
      line.classList.add("here");
      const box = document.querySelector("aside");
      if (getComputedStyle(box).position === "sticky") within(line, document.querySelector(".source"));
    }
    const now = stateAt(step);
    state.replaceChildren(variables(now, step), locks(now), calls(now, change.t));
    slider.value = step;
    slider.setAttribute("aria-valuetext", "step " + step + " of " + last);
    const own = element.querySelector(".own");
    live.textContent = "step " + step + ", " + data.threads[change.t] + ": " + (own ? own.textContent : "");
  };

  const next = (from, by, wanted) => {
    for (let step = from + by; step >= 0 && step <= last; step += by) if (wanted(step)) return step;
    return current;
  };
  const isSwitch = (step) => step > 0 && data.steps[step].t !== data.steps[step - 1].t;
  const isKey = (step) => row(step).classList.contains("key");

  const fold = () => {
    const buttons = [...document.querySelectorAll("[aria-controls]")];
    const open = buttons.some((button) => button.getAttribute("aria-expanded") === "false");
    buttons.forEach((button) => setFold(button, open));
    document.querySelector("[data-go=fold]").textContent = open ? "fold" : "unfold";
  };
  const setFold = (button, open) => {
    button.setAttribute("aria-expanded", String(open));
    byId(button.getAttribute("aria-controls")).hidden = !open;
  };
  const theme = () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const root = document.documentElement;
    root.dataset.theme = (root.dataset.theme || (dark ? "dark" : "light")) === "dark" ? "light" : "dark";
  };

  const look = () => {
    const text = search.value.trim().toLowerCase();
    document.querySelectorAll(".hit").forEach((hit) => hit.classList.remove("hit"));
    found = [];
    if (text) {
      for (let step = 0; step <= last; step++) if (row(step).textContent.toLowerCase().includes(text)) found.push(step);
    }
    found.forEach((step) => row(step).classList.add("hit"));
    hits.textContent = text ? found.length + (found.length === 1 ? " step" : " steps") : "";
  };
  const follow = (by) => {
    if (!found.length) return;
    const on = by > 0 ? found.find((step) => step > current) : [...found].reverse().find((step) => step < current);
    show(on === undefined ? found[by > 0 ? 0 : found.length - 1] : on);
  };

  const go = {
    first: () => show(0),
    back: () => show(current - 1),
    on: () => show(current + 1),
    last: () => show(last),
    switch: () => show(next(current, 1, isSwitch)),
    before: () => show(next(current, -1, isSwitch)),
    key: () => {
      const on = next(current, 1, isKey);
      show(on === current ? next(-1, 1, isKey) : on);
    },
    search: () => search.focus(),
    fold,
    theme,
  };
  const keys = {
    ArrowDown: "on", j: "on", ArrowUp: "back", k: "back", Home: "first", End: "last", n: "switch", p: "before",
    d: "key", f: "fold", t: "theme", "/": "search",
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target === search) {
      if (event.key === "Enter") follow(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") search.blur();
      else return;
      event.preventDefault();
    } else if (event.target !== slider && keys[event.key]) {
      event.preventDefault();
      go[keys[event.key]]();
    }
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    const step = event.target.closest("tr.step");
    const link = event.target.closest("a[href^='#s']");
    if (link) {
      event.preventDefault();
      show(Number(link.hash.slice(2)));
    } else if (button && button.dataset.go) go[button.dataset.go]();
    else if (button && button.hasAttribute("aria-controls")) setFold(button, button.getAttribute("aria-expanded") === "false");
    else if (step) show(Number(step.id.slice(1)), false);
  });
  slider.addEventListener("input", () => show(Number(slider.value)));
  search.addEventListener("input", look);
  addEventListener("beforeprint", () => document.querySelectorAll("[aria-controls]").forEach((button) => setFold(button, true)));

  if (last >= 0) {
    const named = /^#s(\d+)$/.exec(location.hash);
    show(named ? Number(named[1]) : last, Boolean(named));
  }
})();
