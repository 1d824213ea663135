// The front end of the controls: draws what Python sends and sends back what the person does.
// Text from models and files enters the page as text nodes. The only HTML is `open` and `closed`, which Python
// has parsed without raw HTML and cleaned by an allow list (markdown.py).

const EARLY = 400; // ms in which a new card's buttons are deaf, so that a click meant for something else is none
const PATIENCE = 1500; // ms after which an unanswered press is said to wait: an idle kernel answers in 100
const QUIET = 4000; // ms between two paragraphs that are said to a screen reader

class Board {
  constructor(model, el) {
    this.model = model;
    this.look = model.get("look");
    this.words = this.look.words;
    this.nodes = new Map();
    this.timers = new Map();
    this.born = performance.now();
    this.base = null;
    this.gone = false;
    this.live = true;
    this.stopping = this.late = this.heard = false;
    this.rights = { tier: "", plan: false };
    this.saidAt = 0;
    this.build(el);
    this.drawHead(model.get("first"));
    this.ticker = setInterval(() => this.tick(), 500);
  }

  word(key, n) {
    const text = this.words[key] || key;
    return n === undefined ? text : text.replace("{n}", n);
  }

  icon(name, kind) {
    return drawIcon(this.look.icons[name], kind);
  }

  parts(segments) {
    return (segments || []).map(([text, look]) => {
      if (look === "esc") return h("span", { class: "oj-esc" }, text);
      if (look === "gap") return h("span", { class: "oj-gap" }, text);
      if (look === "b") return h("b", {}, text);
      if (look === "code") return h("code", {}, text);
      return text;
    });
  }

  build(el) {
    const id = `oj-live-${Math.random().toString(36).slice(2)}`;
    this.number = h("span", { class: "oj-vh" });
    this.state = h("span", { class: "oj-state" });
    this.meta = h("span", { class: "oj-meta" });
    this.time = h("span", { class: "oj-meta oj-num", role: "timer", "aria-label": this.word("elapsed") });
    this.tokens = h("span", { class: "oj-meta oj-num oj-hide-s" });
    this.switches = this.buildRights();
    this.stop = h("button", { type: "button", class: "oj-btn is-danger", onclick: () => this.pressStop() }, this.icon("stop"), this.word("stop"));
    const left = h("div", { class: "oj-headl" }, h("h3", { id }, this.number, this.state), this.meta, this.time, this.tokens);
    this.head = h("header", { class: "oj-head is-live" }, left, this.switches, this.stop);
    this.head.hidden = true;
    this.flow = h("ol", { class: "oj-flow", "aria-label": this.word("tools") });
    this.flow.hidden = true;
    this.flow.addEventListener("click", (event) => this.pressCitation(event));
    this.flow.addEventListener("keydown", (event) => this.escapePassage(event));
    this.polite = h("p", { class: "oj-vh", role: "status", "aria-live": "polite" });
    this.loud = h("p", { class: "oj-vh", role: "alert", "aria-live": "assertive" });
    this.article = h("article", { class: "oj-turn", "aria-labelledby": id, "aria-busy": "true" }, this.head, this.flow, this.polite, this.loud);
    // the record of the same turn waits below: it is shown when the controls are gone
    const hide = h("style", {}, `#${CSS.escape(this.look.record)} { display: none; }`);
    this.root = h("div", { class: "oj", "data-lm-suppress-shortcuts": "true", lang: this.look.language }, hide, this.article);
    el.append(this.root);
  }

  buildRights() {
    this.tag = h("span", { class: "oj-tag" });
    const group = `oj-tier-${Math.random().toString(36).slice(2)}`;
    this.radios = this.look.tiers.map((tier) => {
      const input = h("input", { type: "radio", name: group, value: tier });
      input.addEventListener("change", () => this.send({ type: "tier", tier }));
      return input;
    });
    this.planBox = h("input", { type: "checkbox" });
    this.planBox.addEventListener("change", () => this.send({ type: "plan", on: this.planBox.checked }));
    const tiers = this.radios.map((input) => h("label", {}, input, h("code", {}, input.value)));
    const menu = h("div", { class: "oj-menu" }, h("fieldset", {}, h("legend", {}, this.word("tier")), tiers), h("label", {}, this.planBox, this.word("plan")), h("span", { class: "oj-sub" }, this.word("rights.hint")));
    this.rightsName = h("summary", { "aria-label": this.word("tier") }, this.tag);
    const switches = h("details", { class: "oj-rights" }, this.rightsName, menu);
    switches.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !switches.open) return;
      switches.open = false;
      this.rightsName.focus();
      event.stopPropagation();
    });
    return switches;
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

  pressStop() {
    if (this.stopping || !this.send({ type: "stop" })) return;
    this.stopping = true;
    this.drawStop();
    this.unanswered(() => this.stopping && !this.heard, () => { this.late = true; this.drawStop(); });
  }

  // A press without an answer: a cell of another kind blocks the kernel, which takes the press when that cell ends.
  unanswered(still, say) {
    setTimeout(() => {
      if (this.gone || !this.root.isConnected || !still()) return;
      say();
      this.loud.textContent = this.word("kernel.waits");
    }, PATIENCE);
  }

  drawStop() {
    this.stop.hidden = !this.live;
    this.stop.disabled = this.stopping || this.gone;
    this.stop.className = this.stop.disabled ? "oj-btn" : "oj-btn is-danger";
    this.stop.replaceChildren(...(this.stopping ? [this.word(this.late && !this.heard ? "kernel.waits" : "stopping")] : [this.icon("stop"), this.word("stop")]));
  }

  drawHead(head) {
    if (!head || !head.word) return;
    this.live = head.live;
    this.heard = head.state === "stopping";
    this.stopping = this.heard || (this.stopping && head.live);
    this.number.textContent = head.number ? `${head.number}: ` : "";
    this.state.className = `oj-state ${head.look}`;
    const mark = head.icon ? this.icon(head.icon) : h("span", { class: "oj-spin", "aria-hidden": "true" });
    this.state.replaceChildren(mark, head.word);
    this.meta.textContent = head.meta;
    this.tokens.textContent = head.tokens;
    this.switches.hidden = !head.tier; // before the turn has begun there is nothing to switch
    if (head.tier) this.drawRights(head);
    this.base = performance.now() - head.elapsed * 1000;
    this.article.setAttribute("aria-busy", String(head.live));
    this.drawStop();
    this.tick();
  }

  drawRights({ tier, plan }) {
    this.rights = { tier, plan };
    this.tag.replaceChildren(plan ? `${tier}, ${this.word("plan")}` : tier, this.icon("chevron", "oj-chev"));
    this.rightsName.setAttribute("aria-label", `${this.word("tier")}: ${tier}`);
    for (const input of this.radios) input.checked = input.value === tier;
    this.planBox.checked = plan;
  }

  tick() {
    if (this.base !== null && this.live && !this.gone) this.time.textContent = this.seconds(this.base);
    for (const [node, base] of this.timers) {
      if (node.isConnected) node.textContent = this.seconds(base);
      else this.timers.delete(node);
    }
  }

  seconds(base) {
    const all = Math.max(0, Math.floor((performance.now() - base) / 1000));
    if (all < 100) return this.word("seconds", all);
    return `${Math.floor(all / 60)}:${String(all % 60).padStart(2, "0")}`;
  }

  hear(message, buffers) {
    if (message.type === "inspect") this.hearInspector(message, buffers); // passages.js
    if (message.type === "rights") this.drawRights(message);
    if (message.type === "stale") this.drawStale(message);
    if (message.type === "passage") this.drawPassage(message);
    if (message.type !== "draw") return;
    if (this.gone) this.revive();
    const reading = document.activeElement;
    if (message.head) {
      this.head.hidden = false;
      this.drawHead(message.head);
    }
    for (const [name, entry] of Object.entries(message.items)) this.drawEntry(name, entry);
    if (message.order) this.arrange(message.order);
    this.markAsked(); // asking.js
    this.keepPassage(reading); // passages.js
  }

  arrange(order) {
    for (const [name, slot] of this.nodes) {
      if (order.includes(name)) continue;
      slot.node.remove();
      this.nodes.delete(name);
    }
    let last = null;
    for (const name of order) {
      const slot = this.nodes.get(name);
      if (!slot) continue;
      const wanted = last ? last.nextSibling : this.flow.firstChild;
      if (slot.node !== wanted) this.flow.insertBefore(slot.node, wanted);
      last = slot.node;
    }
    this.flow.hidden = order.length === 0;
  }

  drawEntry(name, entry) {
    let slot = this.nodes.get(name);
    const fresh = !slot || slot.kind !== entry.kind;
    if (!slot) {
      slot = { node: h("li") };
      this.nodes.set(name, slot);
      this.flow.append(slot.node);
      this.flow.hidden = false;
    }
    slot.kind = entry.kind;
    const inside = slot.node.contains(document.activeElement);
    if (entry.kind === "said") return this.drawSaid(slot, entry, fresh);
    const open = slot.node.querySelector("details")?.open;
    const drawn = this[`draw_${entry.kind}`](entry, slot);
    slot.node.className = ["tool", "reasoning", "fold", "output"].includes(entry.kind) ? "" : "is-card";
    if (!drawn) return;
    if (open) {
      drawn.fill?.();
      drawn.open = true;
    }
    slot.node.replaceChildren(drawn);
    // what had the focus is gone: stay at this place instead of at the page's top
    if (inside) (drawn.querySelector("summary, h3, button") || drawn).focus({ preventScroll: true });
    if (fresh && entry.announce) this.loud.textContent = entry.announce;
  }

  drawSaid(slot, entry, fresh) {
    if (fresh || entry.fresh) this.beginSaid(slot);
    this.drawEarlier(slot, entry.fold); // earlier.js
    if (entry.closed.length) {
      this.addBlocks(slot, entry.closed);
      this.sayParagraph(slot.closed.lastElementChild);
    }
    this.dropBlocks(slot, entry.first);
    slot.open.innerHTML = entry.open; // cleaned by Python
    if (!entry.live || !this.live) return;
    let end = slot.open.lastElementChild || slot.closed.lastElementChild;
    while (end && end.lastElementChild && /^(UL|OL|LI|BLOCKQUOTE|P)$/.test(end.lastElementChild.tagName)) end = end.lastElementChild;
    if (end) (/^(P|LI|H4|H5|H6)$/.test(end.tagName) ? end : slot.open).append(h("span", { class: "oj-caret", "aria-hidden": "true" }));
  }

  beginSaid(slot) {
    slot.closed = h("div");
    slot.open = h("div");
    slot.blocks = [];
    slot.first = 0;
    slot.bar = slot.bar || h("div");
    slot.node.className = "is-prose";
    slot.node.replaceChildren(slot.bar, h("div", { class: "oj-prose", "aria-live": "off" }, slot.closed, slot.open));
  }

  sayParagraph(node) {
    if (!node || performance.now() - this.saidAt < QUIET) return;
    this.saidAt = performance.now();
    this.polite.textContent = `${this.word("answer")}: ${node.textContent.trim().slice(0, 300)}`;
  }

  pre(segments, label) {
    return h("pre", { class: "oj-pre", tabindex: "0", role: "group", "aria-label": label }, this.parts(segments));
  }

  bounded(title, part) {
    return [h("h4", {}, title), this.pre(part.text, title), part.rest ? h("p", { class: "oj-sub" }, part.rest) : null];
  }

  draw_tool(entry) {
    const time = h("span", { class: "oj-t oj-num" }, entry.time);
    if (entry.elapsed !== null) {
      this.timers.set(time, performance.now() - entry.elapsed * 1000);
      time.textContent = this.seconds(performance.now() - entry.elapsed * 1000);
    }
    const mark = entry.state === "running" ? h("span", { class: "oj-spin", "aria-hidden": "true" }) : this.icon(entry.icon);
    const state = h("span", { class: "oj-vh" }, `, ${entry.word}`);
    const summary = h("summary", {}, mark, h("span", { class: "oj-what" }, `${entry.verb} `, entry.path ? h("span", { class: "oj-path" }, this.parts(entry.target)) : h("b", {}, this.parts(entry.target)), state), h("span", { class: "oj-got" }, this.parts(entry.got)), time, this.icon("chevron", "oj-chev"));
    return this.lazily(h("details", { class: `oj-tool is-${entry.state}` }, summary), () => this.unfolded(entry));
  }

  unfolded(entry) {
    const rows = entry.rows.map(([path, place, text]) => h("tr", {}, h("td", {}, h("span", { class: "oj-path" }, this.parts(path))), h("td", {}, place), h("td", {}, this.parts(text))));
    const found = rows.length ? [h("h4", {}, this.word("result")), h("table", { class: "oj-table" }, h("tbody", {}, rows))] : null;
    const result = entry.result ? this.bounded(entry.result.title, entry.result) : null;
    return h("div", { class: "oj-unfold" }, this.bounded(this.word("arguments"), entry.arguments), result, found);
  }

  draw_reasoning(entry) {
    const summary = h("summary", {}, this.icon("list"), h("span", { class: "oj-what" }, this.word("thinking")), h("span", { class: "oj-got" }), h("span", {}), this.icon("chevron", "oj-chev"));
    return h("details", { class: "oj-tool" }, summary, h("div", { class: "oj-unfold" }, this.pre(entry.text, this.word("thinking"))));
  }

  draw_notice(entry) {
    const [look, icon] = { info: ["", "info"], warning: ["is-warn", "warning"], error: ["is-bad", "cross"] }[entry.level];
    const words = this.parts(entry.text);
    return h("div", { class: `oj-note ${look}` }, this.icon(icon), h("div", {}, entry.level === "info" ? words : h("b", {}, words), " ", this.parts(entry.hint)));
  }

  draw_progress(entry, slot) {
    if (!slot.bar?.isConnected) {
      slot.bar = h("progress", {});
      slot.count = h("span", { class: "oj-sub oj-num" });
      slot.detail = h("p", { class: "oj-sub" });
      const running = h("span", { class: "oj-state is-run" }, h("span", { class: "oj-spin", "aria-hidden": "true" }), entry.state);
      const stop = entry.stop ? h("button", { type: "button", class: "oj-btn is-danger", onclick: (event) => { event.currentTarget.disabled = this.send({ type: "stop" }); } }, this.icon("stop"), this.word("stop")) : null;
      const header = h("header", {}, this.icon("book"), h("h3", {}, entry.title), running, slot.count, stop);
      slot.fresh = h("div", { class: "oj-card", role: "group", "aria-label": entry.title }, header, h("div", { class: "oj-body" }, slot.bar, slot.detail));
    }
    slot.bar.setAttribute("aria-label", entry.title);
    if (entry.total) { slot.bar.max = entry.total; slot.bar.value = entry.done; } else slot.bar.removeAttribute("value");
    slot.count.textContent = entry.count;
    slot.detail.textContent = entry.detail;
    return slot.bar.isConnected ? null : slot.fresh; // the same bar moves, so that Stop keeps the focus
  }

  draw_busy(entry) {
    const state = h("span", { class: "oj-state is-wait" }, this.icon("ask"), entry.state);
    const leave = h("button", { type: "button", class: "oj-btn is-quiet", onclick: () => this.send({ type: "leave" }) }, this.icon("cross"), this.word("busy.leave"));
    return h("div", { class: "oj-card is-slim is-void", role: "group", "aria-label": entry.text }, h("header", {}, state, h("h3", {}, entry.text), leave));
  }

  draw_receipt(entry) {
    const state = h("span", { class: `oj-state ${entry.look}` }, this.icon(entry.icon), entry.state);
    const body = entry.text.some(([text]) => text) ? h("div", { class: "oj-body" }, this.parts(entry.text)) : null;
    const header = h("header", {}, state, h("h3", { tabindex: "-1" }, this.parts(entry.title)), h("span", { class: "oj-sub oj-num" }, entry.time));
    return h("div", { class: `oj-card is-slim ${entry.void ? "is-void" : ""}`, role: "group", "aria-label": entry.state }, header, body);
  }

  cardFrame(entry, look, body, actions) {
    const id = `oj-card-${Math.random().toString(36).slice(2)}`;
    const state = h("span", { class: "oj-state is-wait" }, this.icon("ask"), entry.state);
    const since = entry.since ? h("span", { class: "oj-sub oj-num" }, entry.since) : null;
    const header = h("header", {}, this.icon(entry.icon), h("h3", { id, tabindex: "-1" }, entry.title), state, since);
    const card = h("div", { class: `oj-card is-wait ${look}`, role: "group", "aria-labelledby": id }, header, h("div", { class: "oj-body" }, body), h("div", { class: "oj-actions" }, actions));
    card.stateNode = state;
    return card;
  }

  note(look, icon, words) {
    return h("div", { class: `oj-note ${look}` }, this.icon(icon), h("div", {}, words));
  }

  draw_tier(entry, slot) {
    const opens = entry.opens.map(([icon, words]) => h("li", {}, this.icon(icon), h("span", {}, this.parts(words))));
    const note = this.note(entry.bad ? "is-bad" : "", entry.bad ? "warning" : "info", this.parts(entry.note));
    const answer = (type) => this.decide(slot, { type, operation_id: entry.operation, nonce: entry.nonce });
    const stay = h("button", { type: "button", class: "oj-btn", onclick: () => answer("stay") }, entry.stay);
    const enter = h("button", { type: "button", class: "oj-btn is-danger", onclick: () => answer("enter_tier") }, this.icon(entry.icon), entry.enter);
    slot.shownAt = performance.now();
    slot.answered = false;
    return this.cardFrame(entry, entry.bad ? "is-bad" : "", [h("p", {}, entry.intro), h("ul", { class: "oj-opens" }, opens), note], [stay, enter]);
  }

  draw_card(entry, slot) {
    if (slot.nonce === entry.nonce && slot.node.firstChild) return null; // drawn, and perhaps a reason half written
    slot.nonce = entry.nonce;
    slot.shownAt = performance.now();
    slot.answered = false;
    const binding = (slot.binding = { operation_id: entry.operation, digest: entry.digest, nonce: entry.nonce });
    const rows = entry.rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, this.parts(value))]);
    const blocks = entry.blocks.map((block) => this.pre(block.text, block.label));
    const texts = blocks.map((block, at) => [block, entry.blocks[at].length ? h("p", { class: "oj-sub oj-length" }, entry.blocks[at].length) : null]);
    const warnings = entry.warnings.map((words) => this.note("is-warn", "warning", this.parts(words)));
    const hint = h("p", { class: "oj-sub" });
    const real = entry.note ? h("p", { class: "oj-sub" }, entry.note) : null;
    const approve = h("button", { type: "button", class: "oj-btn is-primary", onclick: () => approve.disabled || this.decide(slot, { type: "approve", ...binding }) }, this.icon("tick"), this.word("card.approve"));
    const reason = this.reason(slot, binding);
    const end = h("button", { type: "button", class: "oj-btn is-quiet", onclick: () => this.pressStop() }, this.icon("stop"), this.word("card.stop"));
    const card = this.cardFrame(entry, "", [texts, warnings, h("dl", { class: "oj-kv" }, rows), reason.field, real, hint], [approve, reason.deny, reason.fold, h("span", { class: "oj-grow" }), end]);
    this.untilRead(slot, approve, hint, entry.blocks, blocks);
    return card;
  }

  reason(slot, binding) {
    const input = h("input", { class: "oj-input", id: `oj-why-${Math.random().toString(36).slice(2)}`, maxlength: "4000" });
    const field = h("div", {}, h("label", { class: "oj-label", for: input.id }, this.word("card.reason")), input);
    const fold = h("button", { type: "button", class: "oj-btn is-quiet" }, this.word("card.deny.fold"));
    const deny = h("button", { type: "button", class: "oj-btn", "aria-expanded": "false" });
    const show = (open) => {
      field.hidden = fold.hidden = !open;
      deny.setAttribute("aria-expanded", String(open));
      deny.replaceChildren(this.icon("cross"), this.word(open ? "card.deny.send" : "card.deny"));
      if (open) input.focus();
    };
    const send = () => this.decide(slot, { type: "deny", ...binding, reason: input.value });
    deny.addEventListener("click", () => (field.hidden ? show(true) : send()));
    fold.addEventListener("click", () => { show(false); deny.focus(); });
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") { show(false); deny.focus(); }
      if (event.key === "Enter" && !event.isComposing) { event.preventDefault(); send(); }
    });
    show(false);
    return { field, fold, deny };
  }

  // Approve waits until the end of every long text was on the screen: it cannot be approved unread by accident.
  untilRead(slot, approve, hint, entries, blocks) {
    const unread = new Set();
    const update = () => {
      approve.disabled = unread.size > 0 || slot.answered || this.gone;
      hint.textContent = unread.size ? [...unread][0].scroll : "";
      hint.hidden = unread.size === 0;
    };
    const look = () => {
      blocks.forEach((block, at) => {
        if (block.clientHeight === 0) return;
        if (block.scrollTop + block.clientHeight >= block.scrollHeight - 4) unread.delete(entries[at]);
        else if (!block.seen) unread.add(entries[at]);
        block.seen = true;
      });
      update();
    };
    for (const block of blocks) block.addEventListener("scroll", look);
    if (blocks.length) {
      const watch = new ResizeObserver(() => { blocks.forEach((block) => (block.seen = block.seen && unread.size === 0)); look(); });
      blocks.forEach((block) => watch.observe(block));
    }
    update();
  }

  decide(slot, message) {
    if (slot.answered || performance.now() - slot.shownAt < EARLY) return;
    slot.answered = true; // a double click sends once
    if (!this.send(message)) return;
    this.disable(slot.node, this.word("card.sent"), "is-off");
    const card = slot.node.querySelector(".oj-card");
    const still = () => card.isConnected && !card.querySelector(".oj-stale");
    this.unanswered(still, () => card.stateNode.replaceChildren(this.icon("void"), this.word("kernel.waits")));
  }

  disable(node, word) {
    const card = node.querySelector(".oj-card");
    if (!card || !card.classList.contains("is-wait")) return;
    for (const control of node.querySelectorAll("button, input")) control.disabled = true;
    for (const primary of node.querySelectorAll(".is-primary")) primary.classList.remove("is-primary");
    card.classList.replace("is-wait", "is-void");
    card.stateNode.className = "oj-state";
    card.stateNode.replaceChildren(this.icon("void"), word);
  }

  // A click on a card whose question is over: it says why nothing happened. A receipt says so by itself.
  drawStale({ operation, text }) {
    const slot = this.nodes.get(`card-${operation}`) || this.nodes.get(`tier-${operation}`);
    const card = slot?.node.querySelector(".oj-card:not(.is-slim)");
    if (!card || card.querySelector(".oj-stale")) return;
    this.disable(slot.node, this.word("gone.state"));
    card.stateNode.replaceChildren(this.icon("void"), this.word("gone.state"));
    const said = this.note("", "info", text);
    said.classList.add("oj-stale");
    card.querySelector(".oj-body").append(said);
    this.loud.textContent = text;
  }

  lose() {
    if (this.gone) return;
    this.gone = true;
    this.drawStop();
    for (const control of this.root.querySelectorAll(".oj-rights input, .oj-flow button")) control.disabled = true;
    for (const spin of this.root.querySelectorAll(".oj-spin")) spin.style.animation = "none";
    this.state.className = "oj-state";
    this.state.replaceChildren(this.icon("void"), this.word("gone.state"));
    this.timers.clear();
    const asked = this.root.querySelector(".oj-card.is-wait") !== null;
    for (const slot of this.nodes.values()) this.disable(slot.node, this.word("gone.state"));
    // "nothing ran" is true of what waited for an answer only; the line is said as it comes
    this.lost = this.note("", "info", this.word(asked ? "gone" : this.number.textContent ? "life.gone.turn" : "life.gone.line"));
    this.lost.setAttribute("role", "alert");
    this.article.append(this.lost);
  }

  revive() {
    this.gone = false;
    this.lost?.remove();
    for (const control of this.root.querySelectorAll(".oj-rights input")) control.disabled = false;
    for (const slot of this.nodes.values()) slot.nonce = undefined;
    for (const spin of this.root.querySelectorAll(".oj-spin")) spin.style.animation = "";
  }

  // The kernel is away, or back: a live one answers `rendered` with a whole drawing, which revives the cards.
  probe() {
    this.lose();
    try {
      this.model.send({ type: "rendered" });
    } catch (error) {
      // the comm is closed: it stays lost
    }
  }

  close() {
    clearInterval(this.ticker);
    this.timers.clear();
    this.nodes.clear();
    this.root.remove();
  }
}

function render({ model, el }) {
  const board = new Board(model, el);
  const hear = (message, buffers) => board.hear(message, buffers);
  const probe = () => board.probe();
  model.on("msg:custom", hear);
  model.on("comm_live_update", probe);
  model.on("comm:close", probe);
  board.send({ type: "rendered" });
  return () => {
    for (const [event, call] of [["msg:custom", hear], ["comm_live_update", probe], ["comm:close", probe]]) model.off?.(event, call);
    board.close();
  };
}

// Once for each page, whether or not the cell is in sight.
function initialize({ model }) {
  model.on("msg:custom", (message) => {
    if (message.type === "ended") settle(model, message); // settling.js
  });
}

export default { initialize, render };
