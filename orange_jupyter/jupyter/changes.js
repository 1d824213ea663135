// The review of changes: draws pieces of HTML that Python made and escaped (changes/*.py), keeps what is ticked, and
// sends each decision with the digests of what was shown. Everything that a person types stays text.

const EARLY = 400; // ms in which buttons are deaf after what they act on was drawn anew
const PATIENCE = 1500; // ms after which an unanswered press is said to wait

class Review {
  constructor(model, el) {
    this.model = model;
    this.look = model.get("look");
    this.words = this.look.words;
    this.operations = {};
    this.chosen = new Map();
    this.slots = new Map();
    this.drawnAt = performance.now();
    this.gone = this.busy = false;
    this.wanted = this.target = "";
    this.build(el);
  }

  word(key, values) {
    return Object.entries(values || {}).reduce((words, [name, value]) => words.replaceAll(`{${name}}`, value), this.words[key] || key);
  }

  icon(name) {
    return drawIcon(this.look.icons[name]);
  }

  build(el) {
    const id = `oj-review-${Math.random().toString(36).slice(2)}`;
    this.header = h("header", {});
    this.all = h("input", { type: "checkbox", "aria-labelledby": `${id}-n`, onchange: () => this.tickAll() });
    this.count = h("span", { id: `${id}-n` });
    this.forms = ["unified", "split"].map((form) => h("input", { type: "radio", name: `${id}-v`, onchange: () => this.send({ type: "form", split: form === "split" }) }));
    const [unified, split] = ["unified", "split"].map((form, at) => h("label", { class: at ? "oj-hide-s" : "" }, this.forms[at], this.word(form)));
    const seg = h("fieldset", { class: "oj-seg" }, h("legend", { class: "oj-vh" }, this.word("view")), unified, split);
    const bar = h("div", { class: "oj-bar" }, h("label", {}, h("span", { class: "oj-check" }, this.all), this.count), h("span", { class: "oj-grow" }), seg);
    this.rows = h("ul", { class: "oj-files", "aria-label": this.word("list") });
    this.texts = h("div", { class: "oj-texts" });
    this.buttons = this.buildButtons();
    const { apply, reject, applyAll, rejectAll } = this.buttons;
    const actions = h("div", { class: "oj-actions" }, apply, reject, h("span", { class: "oj-grow oj-hide-s" }), applyAll, rejectAll);
    this.card = h("section", { class: "oj-card is-wait", role: "group", "aria-labelledby": id }, this.header, bar, this.rows, this.texts, actions);
    this.titleId = id;
    this.heard = h("p", { class: "oj-heard", role: "status", "aria-live": "polite" });
    this.cards = h("div", {});
    this.lost = h("p", { class: "oj-sub", role: "alert" });
    this.hiding = h("style", {});
    this.body = h("div", {}, this.card, this.heard, this.cards);
    this.card.hidden = true;
    this.root = h("div", { class: "oj", "data-lm-suppress-shortcuts": "true", lang: this.look.language }, this.hiding, this.body, this.lost);
    this.root.addEventListener("click", (event) => this.press(event));
    this.root.addEventListener("change", (event) => this.tick(event));
    el.append(this.root);
  }

  buildButtons() {
    const button = (look, call) => h("button", { type: "button", class: `oj-btn ${look}`, onclick: call });
    return {
      apply: button("is-primary", () => this.decide("apply", this.selected())),
      reject: button("", () => this.decide("reject", this.selected())),
      applyAll: button("is-quiet", () => this.decide("apply", this.waiting())),
      rejectAll: button("is-quiet", () => this.decide("reject", this.waiting())),
    };
  }

  send(message) {
    if (this.gone) return false;
    try {
      this.model.send(message);
    } catch (error) {
      this.lose();
      return false;
    }
    return true;
  }

  hear(message) {
    if (message.type === "draw") this.draw(message);
    if (message.type === "editing") this.openEditor(message);
    if (message.type === "hunk") this.drawHunk(message);
    if (message.type === "say") this.heard.textContent = message.text;
    if (message.type === "free") this.free();
  }

  // Drawing

  draw(message) {
    if (this.gone && message.whole) this.revive();
    const place = this.focused();
    if (message.whole) this.clear();
    const first = this.slots.size === 0;
    for (const [name, piece] of Object.entries(message.pieces)) this.drawPiece(name, piece);
    this.arrange(message.order);
    this.operations = message.operations;
    this.adopt(message.selected || {});
    this.forms[message.split ? 1 : 0].checked = true;
    if (Object.keys(message.pieces).length) this.drawnAt = performance.now();
    this.card.hidden = this.waiting().length === 0;
    this.hiding.textContent = `#${CSS.escape(this.look.record)} { display: none; }`;
    this.sync();
    this.refocus(place);
    if (first && this.waiting().length) this.heard.textContent = "";
    this.go();
  }

  clear() {
    for (const node of this.slots.values()) if (node !== this.header) node.remove();
    this.slots.clear();
  }

  drawPiece(name, piece) {
    if (name === "head") {
      this.header.innerHTML = piece; // made and escaped by Python, as all below
      this.header.querySelector("h3")?.setAttribute("id", this.titleId);
      return;
    }
    const fresh = h("template", {});
    fresh.innerHTML = piece;
    const node = fresh.content.firstElementChild;
    const old = this.slots.get(name);
    this.slots.set(name, node);
    if (!old) return;
    const editor = old.querySelector(".oj-editor");
    old.replaceWith(node);
    if (editor) this.placeEditor(editor); // what is half written stays
  }

  arrange(order) {
    for (const [name, node] of this.slots) {
      if (order.includes(name)) continue;
      node.remove();
      this.slots.delete(name);
    }
    const homes = { row: this.rows, file: this.texts, card: this.cards };
    const last = { row: null, file: null, card: null };
    for (const name of order) {
      const kind = name.split(":", 1)[0];
      const node = this.slots.get(name);
      if (!node || !homes[kind]) continue;
      const wanted = last[kind] ? last[kind].nextSibling : homes[kind].firstChild;
      if (node !== wanted) homes[kind].insertBefore(node, wanted);
      last[kind] = node;
    }
  }

  // What is ticked: by operation, and which hunks are left out or written anew. Another digest is another proposal.
  adopt(kept) {
    for (const id of [...this.chosen.keys()]) if (!this.operations[id]?.waits) this.chosen.delete(id);
    for (const [id, operation] of Object.entries(this.operations)) {
      if (!operation.waits) continue;
      const before = this.chosen.get(id);
      const text = new Map(Object.entries(operation.edits).map(([number, words]) => [Number(number), words]));
      if (before && before.digest === operation.digest) {
        before.text = text;
        continue;
      }
      const known = kept[id]?.digest === operation.digest ? kept[id] : null;
      this.chosen.set(id, { digest: operation.digest, on: known ? known.on : operation.on, off: new Set(known ? known.off : []), text });
    }
    for (const id of this.selected()) this.operations[id].needs.forEach((needed) => this.select(needed, true));
  }

  waiting() {
    return Object.keys(this.operations).filter((id) => this.operations[id].waits);
  }

  selected() {
    return this.waiting().filter((id) => this.chosen.get(id)?.on);
  }

  sync() {
    const waiting = this.waiting();
    const count = this.selected().length;
    for (const id of waiting) this.syncRow(id);
    for (const part of this.texts.querySelectorAll(".oj-part")) this.syncPart(part);
    this.all.checked = count > 0 && count === waiting.length;
    this.all.indeterminate = count > 0 && count < waiting.length;
    this.count.textContent = this.word("selected", { n: count, all: waiting.length });
    const { apply, reject, applyAll, rejectAll } = this.buttons;
    apply.replaceChildren(...(this.busy ? [this.word("applying")] : [this.icon("tick"), this.word("apply", { n: count })]));
    reject.replaceChildren(this.icon("cross"), this.word("reject", { n: count }));
    applyAll.textContent = this.word("apply.all", { n: waiting.length });
    rejectAll.textContent = this.word("reject.all", { n: waiting.length });
    for (const control of this.root.querySelectorAll("button, input, textarea")) control.disabled = this.busy || this.gone;
    if (!count) apply.disabled = reject.disabled = true;
  }

  syncRow(id) {
    const row = this.slots.get(`row:${id}`);
    if (!row) return;
    const mine = this.chosen.get(id);
    const { hunks, counts } = this.operations[id];
    row.querySelector("[data-tick]").checked = mine.on;
    const says = [];
    const off = [...mine.off];
    if (off.length) says.push(this.word("hunks", { n: hunks - off.length, all: hunks }));
    if (mine.text.size) says.push(this.word("edited", { n: mine.text.size }));
    const line = row.querySelector('[data-say="hunks"]');
    line.hidden = says.length === 0;
    line.textContent = says.join(", ");
    this.syncCounts(id, row.querySelector('[data-say="counts"]'), counts);
  }

  syncCounts(id, node, [added, removed]) {
    if (!node) return;
    for (const part of this.texts.querySelectorAll(`.oj-part[data-op="${CSS.escape(id)}"]`)) {
      const mine = this.chosen.get(id);
      const [was, were] = (part.dataset.was || `${part.dataset.add},${part.dataset.del}`).split(",").map(Number);
      const out = mine.off.has(Number(part.dataset.hunk));
      added += (out ? 0 : Number(part.dataset.add)) - was;
      removed += (out ? 0 : Number(part.dataset.del)) - were;
    }
    node.querySelector(".oj-add").textContent = `+${added.toLocaleString("en")}`;
    node.querySelector(".oj-del").textContent = `−${removed.toLocaleString("en")}`;
  }

  syncPart(part) {
    const mine = this.chosen.get(part.dataset.op);
    if (!mine) return;
    const taken = mine.on && !mine.off.has(Number(part.dataset.hunk));
    const box = part.querySelector('[data-tick="hunk"]');
    if (box) box.checked = taken;
    const said = part.querySelector('[data-say="taken"]');
    if (said) said.textContent = this.word(taken ? "hunk.on" : "hunk.off");
    part.classList.toggle("is-off", !taken);
  }

  // Ticking

  tick(event) {
    const kind = event.target.dataset?.tick;
    if (!kind) return;
    const part = event.target.closest("[data-op]");
    const id = part.dataset.op;
    const mine = this.chosen.get(id);
    if (!mine) return;
    this.heard.textContent = "";
    if (kind === "op") this.tickOne(id, event.target.checked);
    else this.tickHunk(id, Number(part.dataset.hunk), event.target.checked);
    this.remember();
  }

  tickOne(id, on) {
    const mine = this.chosen.get(id);
    if (on && mine.off.size >= this.operations[id].hunks) mine.off.clear();
    this.tie(id, on);
  }

  tickHunk(id, number, on) {
    const mine = this.chosen.get(id);
    const count = this.operations[id].hunks;
    if (on && !mine.on) {
      for (let other = 1; other <= count; other += 1) if (other !== number) mine.off.add(other);
    }
    if (on) mine.off.delete(number);
    else mine.off.add(number);
    this.tie(id, mine.off.size < count);
  }

  tickAll() {
    const on = this.all.checked;
    for (const id of this.waiting()) {
      const mine = this.chosen.get(id);
      mine.on = on;
      if (on && mine.off.size >= this.operations[id].hunks) mine.off.clear();
    }
    this.heard.textContent = "";
    this.remember();
  }

  tie(id, on) {
    const also = this.select(id, on).filter((other) => other !== id);
    if (!also.length) return;
    const names = also.map((other) => this.operations[other].label).join(", ");
    this.heard.textContent = this.word(on ? "also" : "also.off", { name: names });
  }

  select(id, on) {
    const mine = this.chosen.get(id);
    if (!mine) return [];
    const moved = mine.on === on ? [] : [id];
    mine.on = on;
    const others = on ? this.operations[id].needs : this.waiting().filter((other) => this.operations[other].needs.includes(id));
    return [...moved, ...others.filter((other) => this.chosen.get(other)?.on !== on).flatMap((other) => this.select(other, on))];
  }

  remember() {
    this.sync();
    const state = {};
    for (const [id, mine] of this.chosen) state[id] = { digest: mine.digest, on: mine.on, off: [...mine.off] };
    this.send({ type: "selected", state });
  }

  // Pressing

  press(event) {
    const button = event.target.closest("[data-act]");
    if (!button || button.disabled) return;
    const id = button.closest("[data-op]")?.dataset.op || "";
    const { act, how, way } = button.dataset;
    if (act === "unfold") this.send({ type: "unfold", op: id, how });
    if (act === "open") this.open(id);
    if (act === "file") this.openFile(button);
    if (act === "edit") this.edit(button, id);
    if (act === "undo") this.decide("undo", button.dataset.op.split(" "));
    if (act === "way") this.wayOut(id, way, button);
  }

  open(id) {
    this.target = id;
    if (this.slots.get(`file:${id}`)?.querySelector(".oj-part")) this.go();
    else this.send({ type: "unfold", op: id, how: "open" });
  }

  // Lab opens a file by a command of its own: the record's link to it does that, also while the record is hidden. Where
  // the record has no such link this button carries the command (as in the page inspector), where the path is known.
  openFile(button) {
    const path = button.dataset.link;
    const links = [...(document.getElementById(this.look.record)?.querySelectorAll('a[href*="/files/"]') || [])];
    const served = (link) => decodeURIComponent(/\/files\/([^?#]+)/.exec(link.href)[1]);
    const link = links.find((one) => `/${served(one)}`.endsWith(`/${path}`));
    if (link) return link.click();
    const notebook = /\/(?:tree|notebooks)\/(.+)$/.exec(window.location.pathname);
    if (!notebook) return;
    const whole = [...decodeURIComponent(notebook[1]).split("/").slice(0, -1), path].join("/");
    button.setAttribute("data-commandlinker-command", "rendermime:handle-local-link"); // Lab hears this very click
    button.setAttribute("data-commandlinker-args", JSON.stringify({ path: whole, id: "" }));
  }

  go() {
    const file = this.target && this.slots.get(`file:${this.target}`);
    if (!file) return;
    this.target = "";
    file.scrollIntoView({ block: "nearest" });
    file.querySelector("header .oj-path").focus({ preventScroll: true });
  }

  choice(id) {
    const { digest, off, text, on } = this.chosen.get(id) || { digest: this.operations[id]?.digest, off: new Set(), text: new Map() };
    const none = !on && off.size >= (this.operations[id]?.hunks || 0); // nothing of it was chosen, and now all is
    const out = none ? [] : [...off];
    const hunks = out.map((number) => ({ number, taken: false }));
    for (const [number, words] of text) if (!out.includes(number)) hunks.push({ number, taken: true, text: words });
    return { op: id, digest, hunks };
  }

  ready() {
    return !this.busy && !this.gone && performance.now() - this.drawnAt >= EARLY;
  }

  decide(type, ids) {
    if (!ids.length || !this.ready()) return;
    const operations = ids.map((id) => (type === "apply" ? this.choice(id) : { op: id, digest: this.operations[id]?.digest || "", hunks: [] }));
    if (this.send({ type, operations })) this.wait(type === "apply");
  }

  wayOut(id, way, button) {
    if (!this.ready()) return;
    const field = button.closest("section").querySelector("[data-field]");
    if (this.send({ type: "way", op: id, digest: this.operations[id].digest, way, name: field ? field.value : "" })) this.wait(false);
  }

  wait(applying) {
    this.busy = true;
    this.inside = this.root.contains(document.activeElement);
    this.heard.textContent = this.word(applying ? "applying" : "working");
    this.sync();
    const now = (this.asked = (this.asked || 0) + 1);
    setTimeout(() => {
      if (this.busy && this.asked === now && this.root.isConnected) this.heard.textContent = this.word("kernel");
    }, PATIENCE);
  }

  free() {
    const said = [this.word("applying"), this.word("working"), this.word("kernel")];
    this.busy = false;
    this.drawnAt = performance.now();
    if (said.includes(this.heard.textContent)) this.heard.textContent = "";
    this.sync();
    if (this.inside && !this.root.contains(document.activeElement)) this.body.querySelector("h3")?.focus({ preventScroll: true });
    this.inside = false;
  }

  // Editing a hunk in place

  edit(button, id) {
    const part = button.closest(".oj-part");
    this.wanted = `${id} ${part.dataset.hunk}`;
    this.send({ type: "edit", op: id, digest: this.operations[id].digest, hunk: Number(part.dataset.hunk) });
  }

  openEditor({ op, hunk, words, title, where, hidden }) {
    if (this.wanted !== `${op} ${hunk}`) return; // another view asked
    this.wanted = "";
    const id = `oj-edit-${Math.random().toString(36).slice(2)}`;
    const field = h("textarea", { class: "oj-input", id, rows: String(Math.min(24, Math.max(3, words.split("\n").length + 1))), spellcheck: "false" });
    field.value = words;
    const digest = this.operations[op].digest;
    const keep = (text) => this.send({ type: "keep", op, digest, hunk, text });
    const primary = h("button", { type: "button", class: "oj-btn is-primary", onclick: () => keep(field.value) }, this.icon("tick"), this.word("keep"));
    const back = h("button", { type: "button", class: "oj-btn", onclick: () => keep(null) }, this.icon("undo"), this.word("back"));
    const keys = h("span", { class: "oj-sub" }, h("kbd", {}, "Ctrl"), " ", h("kbd", {}, "Enter"), ` ${this.word("keys")}, `, h("kbd", {}, "Esc"), ` ${this.word("keys.leave")}`);
    const hint = hidden ? h("p", { class: "oj-why is-warn" }, hidden) : null;
    const editor = h("div", { class: "oj-editor", role: "group", "aria-label": title }, h("div", { class: "oj-hunk" }, h("span", {}, h("b", {}, title), `, ${where}`)), h("div", { class: "oj-body" }, h("label", { class: "oj-label", for: id }, this.word("told")), field, hint), h("div", { class: "oj-actions" }, primary, back, h("span", { class: "oj-grow oj-hide-s" }), keys));
    editor.dataset.op = op;
    editor.dataset.hunk = hunk;
    editor.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape" && !event.isComposing) this.closeEditor(editor);
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); keep(field.value); }
    });
    this.placeEditor(editor);
    field.focus();
  }

  part(op, hunk) {
    return this.texts.querySelector(`.oj-part[data-op="${CSS.escape(op)}"][data-hunk="${hunk}"]`);
  }

  placeEditor(editor) {
    const part = this.part(editor.dataset.op, editor.dataset.hunk);
    if (!part) return;
    part.querySelector(".oj-editor")?.remove();
    for (const node of part.children) node.hidden = true;
    part.append(editor);
  }

  closeEditor(editor) {
    const part = editor.closest(".oj-part");
    editor.remove();
    for (const node of part.children) node.hidden = false;
    part.querySelector('[data-act="edit"]')?.focus();
  }

  drawHunk({ op, hunk, html, text }) {
    const part = this.part(op, hunk);
    const mine = this.chosen.get(op);
    if (!part || !mine) return;
    const inside = part.contains(document.activeElement);
    const fresh = h("template", {});
    fresh.innerHTML = html;
    const node = fresh.content.firstElementChild;
    node.dataset.was = part.dataset.was || `${part.dataset.add},${part.dataset.del}`;
    part.replaceWith(node);
    if (text === null) mine.text.delete(hunk);
    else {
      mine.text.set(hunk, text);
      mine.off.delete(hunk);
      this.tie(op, true);
    }
    this.operations[op].edits = Object.fromEntries(mine.text);
    this.drawnAt = performance.now();
    this.remember();
    if (inside) node.querySelector('[data-act="edit"]')?.focus();
  }

  // Keeping the focus where it was, although what had it was drawn anew

  focused() {
    const node = document.activeElement;
    if (!node || !this.root.contains(node)) return null;
    if (node.closest(".oj-editor")) return { node };
    const { act, tick, how, way } = node.dataset;
    const owner = node.closest("[data-op]")?.dataset || {};
    return { node, keys: { act, tick, how, way }, op: owner.op, hunk: owner.hunk };
  }

  refocus(place) {
    if (!place || (place.node.isConnected && !place.node.hidden)) {
      if (place && document.activeElement !== place.node) place.node.focus({ preventScroll: true });
      return;
    }
    const named = Object.entries(place.keys || {}).filter(([, value]) => value).map(([key, value]) => `[data-${key}="${CSS.escape(value)}"]`).join("");
    const owner = place.op ? `[data-op="${CSS.escape(place.op)}"]${place.hunk ? `[data-hunk="${place.hunk}"]` : ""}` : "";
    const found = named && this.body.querySelector(`${owner} ${named}`);
    const heading = owner && this.body.querySelector(`.oj-file${owner} header .oj-path`);
    (found || heading || this.body.querySelector("h3"))?.focus({ preventScroll: true });
  }

  // The kernel is away: the record shows what was decided, and nothing here can be pressed

  lose() {
    this.gone = true;
    this.body.hidden = true;
    this.hiding.textContent = "";
    this.lost.textContent = this.word("gone");
  }

  revive() {
    this.gone = this.busy = false;
    this.body.hidden = false;
    this.lost.textContent = "";
  }

  probe() {
    this.lose();
    try {
      this.model.send({ type: "rendered" });
    } catch (error) {
      // the comm is closed: it stays lost
    }
  }
}

function render({ model, el }) {
  const review = new Review(model, el);
  const hear = (message) => review.hear(message);
  const probe = () => review.probe();
  const heard = [["msg:custom", hear], ["comm_live_update", probe], ["comm:close", probe]];
  for (const [event, call] of heard) model.on(event, call);
  review.send({ type: "rendered" });
  return () => {
    for (const [event, call] of heard) model.off?.(event, call);
    review.root.remove();
  };
}

export default { render };
