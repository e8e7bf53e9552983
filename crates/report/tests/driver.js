// Presses keys and looks. KIND: what run the page shows.
"use strict";
addEventListener("load", async () => {
  const complaints = [];
  const check = (what, holds) => holds || complaints.push(what);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const key = (name, target = document.body) =>
    target.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
  const current = () => Number(document.querySelector("[aria-current]").id.slice(1));
  const shown = (element) => element.getClientRects().length > 0;

  // Colours of text against what lies behind it.
  const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = channels(colour).slice(0, 3).map((c) => {
      const share = c / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if ((channels(colour)[3] ?? 1) > 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const legible = (theme) => {
    for (const element of all("body *:not(script):not(style)")) {
      const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
      if (!text || !shown(element) || element.closest("svg")) continue;
      const [one, other] = [luminance(getComputedStyle(element).color), luminance(behind(element))];
      const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
      check(`${theme}: contrast ${contrast.toFixed(1)} of ${element.tagName}.${element.className} ${element.textContent.slice(0, 20)}`, contrast >= 4.5);
    }
  };

  try {
    check("a language", document.documentElement.lang === "en");
    check("one heading", all("h1").length === 1);
    const named = (control) => control.textContent.trim() || control.getAttribute("aria-label") || control.closest("label");
    all("button, input").forEach((control) => check("a name for " + control.outerHTML, named(control)));
    const ids = all("[id]").map((element) => element.id);
    check("ids are unique", new Set(ids).size === ids.length);
    check("no text is taken for markup", !window.alerted && all("td b:not([title])").length === 0);

    if (KIND !== "safe") {
      const last = all("tr.step").length - 1;
      check("it starts at the end", current() === last);
      key("Home");
      check("Home goes to the first step", current() === 0);
      check("one step is current", all("[aria-current]").length === 1);
      key("j");
      key("ArrowDown");
      check("j and down go on", current() === Math.min(2, last));
      key("k");
      check("k goes back", current() === Math.min(2, last) - 1);
      key("Home");
      key("n");
      check("n goes to a switch", all(".between").includes(document.querySelector("[aria-current]").previousElementSibling) || KIND === "long");
      key("End");
      check("End goes to the last step", current() === last);
      check("the step is said", document.getElementById("live").textContent.startsWith("step " + last));
      const line = document.querySelector(".listing .here");
      check("the line is marked", line && line.closest("details").open);
      check("the step can be seen", shown(document.querySelector("[aria-current]")));
      const state = document.getElementById("state").textContent;
      if (KIND === "assertion") {
        check("values: " + state, /count● 1T1/.test(state));
        key("d");
        check("d goes to a step of the summary", document.querySelector("[aria-current]").classList.contains("key"));
        check("the failing line", all(".listing .fails").length === 1);
        check("executed lines say who ran them", /1 2/.test(document.getElementById("f0l4").textContent));
      }
      if (KIND === "deadlock") {
        check("locks: " + state, state.includes("T0 holds a") && state.includes("T1 holds b"));
        check("calls: " + state, state.includes("pthread_mutex_lock"));
        check("a drawing", all("svg.waits rect").length === 4 && all("svg.waits line").length === 4);
        check("the drawing is named", document.querySelector("svg.waits").getAttribute("aria-label").includes("cycle"));
      }
      if (KIND === "long") {
        const hidden = () => all("tr.step").filter((row) => !shown(row)).length;
        check("loops and set-up are folded: " + hidden(), hidden() > 100);
        check("what is folded is said", /set-up: 9 lines/.test(document.body.textContent) && /58 more rounds/.test(document.body.textContent));
        key("f");
        check("f unfolds", hidden() === 0);
        key("f");
        check("and folds", hidden() > 100);
        check("many events of a line are folded", all("td.own details").length === 1);
        key("Home");
        check("a step in a fold unfolds it", shown(document.getElementById("s0")));
      }
      key("/");
      const search = document.getElementById("search");
      check("/ goes to the search", document.activeElement === search);
      search.value = KIND === "deadlock" ? "mutex" : KIND === "long" ? "total = 31" : "count";
      search.dispatchEvent(new Event("input", { bubbles: true }));
      const hits = all(".step.hit").length;
      check("hits: " + hits, hits > 0 && document.getElementById("hits").textContent.startsWith(hits + " step"));
      search.blur();
      key("Home");
      search.focus();
      const before = current();
      key("Enter", search);
      check("Enter goes to a hit", document.querySelector("[aria-current]").classList.contains("hit") && (current() !== before || hits === 1));
      check("a hit in a fold is unfolded", shown(document.querySelector("[aria-current]")));
      search.blur();
      const button = document.querySelector("tr.step:not([aria-current]) td.own");
      button.click();
      check("a click chooses a step", button.closest("tr").hasAttribute("aria-current"));
      all("[aria-controls]").forEach((fold) => check("folds are buttons", fold.tagName === "BUTTON" && document.getElementById(fold.getAttribute("aria-controls"))));
      for (const theme of ["light", "dark"]) {
        document.documentElement.dataset.theme = theme;
        legible(theme);
      }
      const colour = getComputedStyle(document.body).backgroundColor;
      key("t");
      check("t changes dark and light", getComputedStyle(document.body).backgroundColor !== colour);
    }

    // The same page on a telephone.
    const frame = document.createElement("iframe");
    frame.style.cssText = "width:400px;height:800px;border:0";
    frame.src = "page.html";
    const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
    document.body.append(frame);
    await loaded;
    const small = frame.contentDocument;
    check("it fits into 400 pixels: " + small.documentElement.scrollWidth, small.documentElement.scrollWidth <= 400);
    if (KIND !== "safe") {
      const row = small.querySelector("[aria-current]");
      check("the step names its thread", shown(row.querySelector(".tag")));
      check("text is not tiny", parseFloat(frame.contentWindow.getComputedStyle(row.querySelector("code, .in")).fontSize) >= 11);
    }
  } catch (error) {
    complaints.push(String(error.stack || error));
  }
  const result = document.createElement("pre");
  result.id = "complaints";
  result.textContent = complaints.length ? complaints.join("\n") : "done";
  document.body.append(result);
});
