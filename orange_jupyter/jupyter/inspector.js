// The page inspector: a page's picture with marks, its text, what the model saw (screens 6 and 13). Used by its own
// widget (inspector_alone.js) and by the controls of a turn (passages.js). Texts come from Python as escaped HTML or
// enter as text nodes; pictures come as binary buffers and are shown from memory, so nothing is ever requested.

const LOOK_SLOW = 300; // ms after which a part that has not come is said to be opening
const LOOK_PATIENCE = 1500; // ms after which an unanswered press is said to wait for the kernel
const LOOK_ZOOMS = [50, 75, 100, 125, 150, 200, 300, 400]; // per cent; 100 fits the width

class Inspector {
  // `send(message)` says whether it went; `record` is the HTML id of the figure that stays; `onclose` is given where
  // the inspector can be closed; `number` stands before the title of a citation.
  constructor({ look, send, record, onclose, number, language }) {
    Object.assign(this, { words: look.words, icons: look.icons, send, record, onclose, number: number || "", language });
    this.leaf = null;
    this.nonce = "";
    this.zoom = 100;
    this.tab = "text";
    this.saw = null;
    this.urls = [];
    this.full = null;
    this.asked = 0;
    this.gone = false;
    this.build();
  }

  word(key, values) {
    return Object.entries(values || {}).reduce((words, [name, value]) => words.replaceAll(`{${name}}`, value), this.words[key] || key);
  }

  icon(name) {
    return drawIcon(this.icons[name]);
  }

  build() {
    const id = `oj-look-${Math.random().toString(36).slice(2)}`;
    this.id = id;
    this.title = h("h3", { id, tabindex: "-1" });
    this.state = h("span", { class: "oj-state" });
    this.side = h("span", { class: "oj-sub" });
    const close = this.onclose ? this.button("close", "cross", () => this.onclose(), "oj-btn is-icon is-quiet") : null;
    const header = h("header", {}, this.icon("document"), this.title, this.state, this.side, close);
    this.wrong = h("div", { class: "oj-wrong", role: "alert" });
    this.notes = h("div", { class: "oj-notes" });
    this.polite = h("p", { class: "oj-vh", role: "status", "aria-live": "polite" });
    this.node = h("section", { class: "oj-card oj-inspector", role: "group", "aria-labelledby": id }, header, this.buildBar(), this.buildWait(), this.wrong, this.notes, this.buildView(), this.polite);
  }

  button(key, icon, call, look) {
    return h("button", { type: "button", class: look || "oj-btn is-icon", "aria-label": this.word(key), title: this.word(key), onclick: call }, this.icon(icon));
  }

  buildBar() {
    this.previous = this.button("previous.page", "previous", () => this.step(-1));
    this.next = this.button("next.page", "chevron", () => this.step(1));
    this.field = h("input", { class: "oj-input oj-pageno", inputmode: "numeric", autocomplete: "off", onkeydown: (event) => this.keyInField(event), onchange: () => this.typed() });
    this.count = h("span", {});
    this.turning = h("span", { class: "oj-row" }, this.previous, this.field, this.count, this.next);
    this.smaller = this.button("out", "out", () => this.zoomBy(-1));
    this.larger = this.button("in", "in", () => this.zoomBy(1));
    this.percent = h("span", { class: "oj-num" });
    this.fit = h("button", { type: "button", class: "oj-btn is-quiet", onclick: () => this.zoomTo(100) }, this.word("fit"));
    this.apart = h("span", { class: "oj-sep" });
    this.zooming = h("span", { class: "oj-row" }, this.apart, this.smaller, this.percent, this.larger, this.fit);
    this.lab = h("button", { type: "button", class: "oj-btn is-quiet", onclick: () => this.openInLab() }, this.icon("open"), this.word("lab"));
    return h("div", { class: "oj-bar", role: "toolbar", "aria-label": this.word("bar") }, this.turning, this.zooming, h("span", { class: "oj-grow" }), this.lab);
  }

  buildWait() {
    this.waiting = h("span", {});
    const leave = h("button", { type: "button", class: "oj-btn is-quiet", onclick: () => this.leave() }, this.word("leave"));
    this.wait = h("div", { class: "oj-wait", role: "status" }, h("span", { class: "oj-spin", "aria-hidden": "true" }), this.waiting, leave);
    this.wait.hidden = true;
    return this.wait;
  }

  buildView() {
    this.sheet = h("div", { class: "oj-sheet", tabindex: "0", role: "region", onkeydown: (event) => this.keyOnSheet(event) });
    const tab = (name) => h("button", { type: "button", role: "tab", id: `${this.id}-${name}`, "aria-controls": `${this.id}-p`, onclick: () => this.choose(name), onkeydown: (event) => this.keyOnTab(event) }, this.word(`tab.${name}`));
    this.tabs = { text: tab("text"), saw: tab("saw") };
    const list = h("div", { class: "oj-tabs", role: "tablist", "aria-label": this.word("tabs") }, this.tabs.text, this.tabs.saw);
    this.text = h("div", {});
    this.text.addEventListener("copy", (event) => event.stopPropagation()); // Lab would copy the cell
    this.copyIt = h("button", { type: "button", class: "oj-btn", onclick: () => this.copy() });
    this.copied = h("span", { class: "oj-sub", role: "status" });
    this.seen = h("div", { class: "oj-seen", onclick: (event) => event.target.closest("[data-full]") && this.askPixels() });
    this.copying = h("div", { class: "oj-row oj-copy" }, this.copyIt, this.copied);
    this.panel = h("div", { role: "tabpanel", id: `${this.id}-p`, class: "oj-panel", tabindex: "0" }, this.text, this.seen);
    return h("div", { class: "oj-view" }, this.sheet, h("div", { class: "oj-side" }, list, this.panel, this.copying));
  }

  // What Python says

  hear(message, buffers) {
    if (message.what === "leaf") this.draw(message, buffers || []);
    if (message.what === "wrong") this.fail(message.html);
    if (message.what === "saw" && this.leaf && message.part === this.leaf.part) this.drawSaw(message);
    if (message.what === "pixels") this.drawPixels(message, buffers || []);
  }

  draw(leaf, buffers) {
    const before = this.leaf;
    const other = !before || before.part !== leaf.part;
    this.nonce = leaf.look;
    this.leaf = leaf;
    this.full = null;
    this.settle();
    this.wrong.replaceChildren();
    this.title.textContent = `${this.number}${leaf.title}`;
    this.side.textContent = leaf.side;
    this.state.hidden = !leaf.state;
    if (leaf.state) {
      this.state.className = `oj-state ${leaf.state.look}`;
      this.state.replaceChildren(this.icon(leaf.state.icon), leaf.state.word);
    }
    this.notes.innerHTML = leaf.notes;
    this.drawBar();
    this.free();
    this.urls = leaf.pictures.map((one, at) => URL.createObjectURL(new Blob([buffers[at]], { type: one.media })));
    this.drawSheet();
    this.text.innerHTML = leaf.text;
    this.copyIt.replaceChildren(this.icon("quote"), this.word(leaf.quotation ? "copy" : "copy.text"));
    this.copied.textContent = "";
    if (other) {
      this.saw = null;
      this.seen.replaceChildren();
      this.sheet.scrollTo(0, 0);
      if (before) this.polite.textContent = this.word(leaf.unit === "block" ? "said.block" : "said.page", { n: leaf.part, all: leaf.count });
    }
    this.show(this.tab);
    requestAnimationFrame(() => this.bringMark());
  }

  drawBar() {
    const { part, count, unit } = this.leaf;
    const kind = unit === "block" ? "block" : "page";
    this.turning.hidden = this.apart.hidden = unit === "picture";
    this.zooming.hidden = unit === "block";
    for (const [button, key, off] of [[this.previous, "previous", part <= 1], [this.next, "next", part >= count]]) {
      button.setAttribute("aria-label", this.word(`${key}.${kind}`));
      button.title = this.word(`${key}.${kind}`);
      button.disabled = this.gone || off;
      // the last page's own button goes dead: who pressed it stays in the toolbar
      if (button.disabled && document.activeElement === button) (part <= 1 ? this.next : this.previous).focus({ preventScroll: true });
    }
    this.field.setAttribute("aria-label", this.word(`field.${kind}`, { n: count }));
    this.field.value = String(part);
    this.count.textContent = this.word("of", { n: count });
    this.sheet.setAttribute("aria-label", this.word(`sheet.${unit}`));
    this.linkToLab();
    this.zoomTo(this.zoom);
  }

  drawSheet() {
    const { leaf } = this;
    if (leaf.own) {
      const image = h("img", { alt: leaf.alt, src: this.urls[0], width: leaf.pictures[0].width, height: leaf.pictures[0].height });
      const boxes = (some, look) => some.map(([x0, y0, x1, y1]) => {
        const box = h("span", { class: look, "aria-hidden": "true" });
        Object.assign(box.style, { left: `${x0 * 100}%`, top: `${y0 * 100}%`, width: `${(x1 - x0) * 100}%`, height: `${(y1 - y0) * 100}%` });
        return box;
      });
      const marks = [boxes(leaf.marks, "oj-mark"), boxes(leaf.frames, "oj-frame")];
      this.page = h("div", { class: `oj-paper is-${leaf.unit}` }, image, marks);
      this.page.style.setProperty("--oj-own", `${leaf.pictures[0].width}px`);
      this.sheet.replaceChildren(this.page);
    } else {
      this.page = h("div", { class: "oj-blocks" });
      this.page.innerHTML = leaf.blocks;
      this.page.querySelectorAll("img[data-picture]").forEach((image, at) => { image.src = this.urls[at] || ""; });
      this.sheet.replaceChildren(this.page);
    }
    this.sheet.classList.toggle("is-text", !leaf.own);
    this.zoomTo(this.zoom);
  }

  // The passage comes into sight, in the text and on the page, without moving the notebook.
  bringMark() {
    for (const [box, mark] of [[this.panel, this.text.querySelector("mark")], [this.sheet, this.sheet.querySelector(".oj-mark, .is-here")]]) {
      if (!mark || !mark.getClientRects().length) continue;
      const [outer, inner] = [box.getBoundingClientRect(), mark.getBoundingClientRect()];
      const fits = inner.height < outer.height;
      if (inner.top < outer.top || inner.top > outer.bottom - 24 || (fits && inner.bottom > outer.bottom)) box.scrollTop += inner.top - outer.top - 24;
    }
  }

  free() {
    for (const url of this.urls) URL.revokeObjectURL(url);
    this.urls = [];
  }

  fail(html) {
    this.settle();
    this.wrong.innerHTML = html;
    if (this.leaf) this.field.value = String(this.leaf.part);
  }

  // Turning

  step(by) {
    const from = this.wanted || this.leaf.part;
    const part = Math.min(this.leaf.count, Math.max(1, from + by));
    if (part !== from) this.turn(part);
  }

  keyInField(event) {
    event.stopPropagation();
    if (event.key === "Enter" && !event.isComposing) { event.preventDefault(); this.typed(); }
    if (event.key === "Escape" && this.leaf && this.field.value !== String(this.leaf.part)) {
      this.field.value = String(this.leaf.part);
      return;
    }
    if (event.key === "Escape") this.onclose?.();
  }

  typed() {
    const words = this.field.value.trim();
    if (!/^\d{1,6}$/.test(words) || Number(words) < 1) {
      this.field.value = String(this.leaf.part);
      this.polite.textContent = this.word("wrong.number", { n: this.leaf.count });
      return;
    }
    if (Number(words) !== (this.wanted || this.leaf.part)) this.turn(Number(words));
  }

  turn(part) {
    if (this.gone || !this.send({ type: "inspect", look: this.nonce, do: "turn", part })) return;
    this.wanted = part;
    this.field.value = String(part);
    this.patience();
  }

  patience() {
    const now = (this.asked += 1);
    const say = (key, after) => setTimeout(() => {
      if (now !== this.asked || !this.wanted || !this.node.isConnected) return;
      this.wait.hidden = false;
      this.waiting.textContent = this.word(key);
      this.sheet.setAttribute("aria-busy", "true");
    }, after);
    say("working", LOOK_SLOW);
    say("waits", LOOK_PATIENCE * 4);
  }

  settle() {
    this.asked += 1;
    const inside = this.wait.contains(document.activeElement);
    this.wanted = 0;
    this.wait.hidden = true;
    this.sheet.removeAttribute("aria-busy");
    if (inside) this.sheet.focus({ preventScroll: true });
  }

  leave() {
    this.send({ type: "inspect", look: this.nonce, do: "leave" });
    this.settle();
    this.field.value = String(this.leaf.part);
  }

  // Keys count only while the picture has the focus

  keyOnSheet(event) {
    if (event.target !== this.sheet || event.ctrlKey || event.metaKey || event.altKey || !this.leaf) return;
    const does = { PageDown: () => this.step(1), PageUp: () => this.step(-1), "+": () => this.zoomBy(1), "=": () => this.zoomBy(1), "-": () => this.zoomBy(-1), "−": () => this.zoomBy(-1) }[event.key];
    if (does) {
      event.preventDefault();
      event.stopPropagation();
      does();
    } else if (event.key.startsWith("Arrow")) event.stopPropagation(); // they scroll, and mean nothing to the notebook
  }

  keyOnTab(event) {
    const way = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1, Home: 0, End: 0 }[event.key];
    if (way === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const name = event.key === "Home" ? "text" : event.key === "End" ? "saw" : this.tab === "text" ? "saw" : "text";
    this.choose(name);
    this.tabs[name].focus();
  }

  zoomBy(way) {
    const at = LOOK_ZOOMS.indexOf(this.zoom);
    const next = LOOK_ZOOMS[Math.min(LOOK_ZOOMS.length - 1, Math.max(0, at + way))];
    this.zoomTo(next);
    this.polite.textContent = this.word("percent", { n: next });
  }

  zoomTo(percent) {
    const { sheet } = this;
    const wide = sheet.scrollWidth || 1;
    const middle = [(sheet.scrollLeft + sheet.clientWidth / 2) / wide, sheet.scrollTop / (sheet.scrollHeight || 1)];
    const moved = percent !== this.zoom;
    this.zoom = percent;
    this.percent.textContent = this.word("percent", { n: percent });
    this.smaller.disabled = percent <= LOOK_ZOOMS[0];
    this.larger.disabled = percent >= LOOK_ZOOMS[LOOK_ZOOMS.length - 1];
    this.page?.style.setProperty("--oj-zoom", percent / 100);
    if (moved) sheet.scrollTo(middle[0] * sheet.scrollWidth - sheet.clientWidth / 2, middle[1] * sheet.scrollHeight);
  }

  // Beside the picture

  choose(name) {
    this.tab = name;
    this.show(name);
  }

  show(name) {
    for (const [key, tab] of Object.entries(this.tabs)) {
      tab.setAttribute("aria-selected", String(key === name));
      tab.tabIndex = key === name ? 0 : -1;
    }
    this.panel.setAttribute("aria-labelledby", `${this.id}-${name}`);
    this.text.hidden = name !== "text";
    this.seen.hidden = name !== "saw";
    this.copying.hidden = name !== "text" || !this.leaf?.copy;
    if (name === "saw" && this.leaf && this.saw?.part !== this.leaf.part) {
      this.saw = { part: this.leaf.part, pictures: [] };
      this.send({ type: "inspect", look: this.nonce, do: "saw", part: this.leaf.part });
    }
  }

  drawSaw(message) {
    this.saw = message;
    this.seen.innerHTML = message.html;
  }

  askPixels() {
    const one = this.saw?.pictures[0];
    if (one) this.send({ type: "inspect", look: this.nonce, do: "pixels", sha256: one.sha256 });
  }

  drawPixels({ sha256 }, buffers) {
    const one = this.saw?.pictures.find((picture) => picture.sha256 === sha256);
    if (!one || !buffers.length) return;
    this.urls.push(URL.createObjectURL(new Blob([buffers[0]], { type: one.media })));
    const image = h("img", { alt: `${this.word("tab.saw")}: ${this.leaf.title}`, src: this.urls[this.urls.length - 1], width: one.width, height: one.height });
    const back = h("button", { type: "button", class: "oj-btn", onclick: () => this.backToPage() }, this.icon("previous"), this.word("saw.back"));
    this.full = h("div", { class: "oj-full" }, h("div", { class: "oj-row oj-back" }, back), image);
    this.page = null;
    this.zooming.hidden = true;
    this.sheet.replaceChildren(this.full);
    this.sheet.classList.add("is-text");
    this.sheet.scrollTo(0, 0);
    back.focus({ preventScroll: true });
  }

  backToPage() {
    this.full = null;
    this.drawBar();
    this.drawSheet();
    this.sheet.focus({ preventScroll: true });
  }

  async copy() {
    const words = this.leaf.copy;
    try {
      await navigator.clipboard.writeText(words);
      this.copied.textContent = this.word("copied");
    } catch (error) {
      const range = document.createRange(); // no clipboard here: select it, so that Ctrl C does it
      range.selectNodeContents(this.text.querySelector("mark") || this.text);
      window.getSelection().removeAllRanges();
      window.getSelection().addRange(range);
      this.copied.textContent = this.word("copy.failed");
    }
  }

  // Lab opens a file by a command of its own. The link of the figure below does it for the page of the figure; for
  // another page, and in a running turn, which has no figure yet, this button carries the command, and Lab itself asks
  // first in a notebook that is not trusted. Where the file's path on the server is not known there is no button.
  figureLink() {
    return (this.record && document.getElementById(this.record)?.querySelector('a[href*="/files/"]')) || null;
  }

  serverPath() {
    const file = /\/files\/([^?#]+)/.exec(this.figureLink()?.href || "");
    if (file) return decodeURIComponent(file[1]);
    const notebook = /\/(?:tree|notebooks)\/(.+)$/.exec(window.location.pathname);
    if (!notebook || !this.leaf.link) return "";
    return [...decodeURIComponent(notebook[1]).split("/").slice(0, -1), this.leaf.link].join("/");
  }

  linkToLab() {
    this.lab.hidden = !this.leaf.link || !(this.record || this.serverPath());
  }

  openInLab() {
    const id = this.leaf.unit === "page" ? `#page=${this.leaf.part}` : "";
    const link = this.figureLink();
    for (const name of ["command", "args"]) this.lab.removeAttribute(`data-commandlinker-${name}`);
    if (link && (!id || link.href.endsWith(id))) return link.click();
    const path = this.serverPath();
    if (!path) return;
    this.lab.setAttribute("data-commandlinker-command", "rendermime:handle-local-link"); // Lab hears this very click
    this.lab.setAttribute("data-commandlinker-args", JSON.stringify({ path, id }));
  }

  // The kernel is away

  lose() {
    this.gone = true;
    this.settle();
    for (const control of this.node.querySelectorAll("button, input")) control.disabled = true;
  }

  end() {
    this.free();
    this.node.remove();
  }
}
