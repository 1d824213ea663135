// A citation of the running answer opens its passage below its paragraph (screen 6). Python looks the passage up when
// it is asked for; its HTML is escaped text in tags of our own. Part of the controls' module: follows controls.js.

Object.assign(Board.prototype, {
  pressCitation(event) {
    const link = event.target.closest?.('a.oj-cite[href^="#"]');
    if (!link) return;
    event.preventDefault(); // its target stands in the record, which comes later
    if (this.passage?.link === link && this.passage.node) this.closePassage();
    else this.askPassage(link);
  },

  askPassage(link) {
    const href = link.getAttribute("href");
    if (!this.send({ type: "open_passage", citation: href.slice(href.lastIndexOf("-") + 1) })) return;
    this.dropPassage();
    this.passage = { link, href, citation: href.slice(href.lastIndexOf("-") + 1), node: null };
  },

  drawPassage({ citation, title, side, missing, html }) {
    const open = this.passage;
    if (!open || open.citation !== citation || open.node) return;
    const id = `oj-pass-${Math.random().toString(36).slice(2)}`;
    const heading = h("h4", { id, tabindex: "-1" }, `${open.link.textContent.replace("?", "")} ${title}`);
    const state = missing ? h("span", { class: "oj-state is-warn" }, this.icon("warning"), missing) : h("span", { class: "oj-sub" }, side);
    const close = h("button", { type: "button", class: "oj-btn is-quiet", "aria-label": this.word("passage.close"), title: this.word("passage.close"), onclick: () => this.closePassage() }, this.icon("cross"));
    const body = h("div", { class: "oj-body" });
    body.innerHTML = html; // escaped by Python
    const turn = (key, link) => h("button", { type: "button", class: "oj-btn is-quiet", disabled: !link, onclick: () => this.askPassage(link) }, this.word(key));
    const actions = h("div", { class: "oj-actions" }, turn("passage.previous", this.otherCitation(-1)), turn("passage.next", this.otherCitation(1)));
    open.node = h("section", { class: "oj-card oj-live-pass", role: "group", "aria-labelledby": id }, h("header", {}, this.icon("file"), heading, state, close), body, actions);
    open.node.addEventListener("keydown", (event) => this.escapePassage(event));
    this.placePassage();
    heading.focus({ preventScroll: true });
    open.node.scrollIntoView({ block: "nearest" });
  },

  escapePassage(event) {
    if (event.key !== "Escape" || !this.passage?.node) return;
    event.stopPropagation();
    event.preventDefault();
    this.closePassage();
  },

  // The first citation of the source before or after the open one, in the order of the text.
  otherCitation(step) {
    const links = [...this.flow.querySelectorAll('a.oj-cite[href^="#"]')];
    const sources = [...new Set(links.map((link) => link.getAttribute("href")))];
    const wanted = sources[sources.indexOf(this.passage.href) + step];
    return links.find((link) => link.getAttribute("href") === wanted);
  },

  // A cited page of a document: the same panel as an inspector, with the passage marked on the page (inspector.js).
  hearInspector(message, buffers) {
    const open = this.passage;
    if (!open) return;
    if (message.what === "leaf" && !open.node && message.citation === open.citation) this.openInspector(open);
    if (!open.inspector || (open.inspector.nonce && open.inspector.nonce !== message.look)) return;
    open.inspector.hear(message, buffers);
    if (open.fresh) {
      open.fresh = false;
      open.inspector.title.focus({ preventScroll: true });
      open.node.scrollIntoView({ block: "nearest" });
    }
  },

  openInspector(open) {
    const send = (message) => this.send(message);
    open.inspector = new Inspector({ look: this.look.inspector, send, onclose: () => this.closePassage(), number: `${open.link.textContent.replace("?", "")} ` });
    const turn = (key, link) => h("button", { type: "button", class: "oj-btn is-quiet", disabled: !link, onclick: () => this.askPassage(link) }, this.word(key));
    open.inspector.node.append(h("div", { class: "oj-actions" }, turn("passage.previous", this.otherCitation(-1)), turn("passage.next", this.otherCitation(1))));
    open.node = open.inspector.node;
    open.node.classList.add("oj-live-pass");
    open.node.addEventListener("keydown", (event) => this.escapePassage(event));
    open.fresh = true;
    this.placePassage();
  },

  // Below the citation's paragraph; below the growing text while that paragraph still grows.
  placePassage() {
    const { link, node } = this.passage;
    link.setAttribute("aria-expanded", "true");
    const prose = link.closest(".oj-prose");
    let block = link;
    while (block.parentElement.parentElement !== prose && block.parentElement !== prose) block = block.parentElement;
    const growing = block.parentElement === prose || block.parentElement === prose.lastElementChild || block.parentElement.nextElementSibling === node;
    const before = growing ? block.closest(".oj-prose > *") : block;
    if (before.nextElementSibling !== node) {
      before.after(node);
    }
  },

  // Text that was drawn again holds a new link: the passage follows it, and what had the focus keeps it.
  keepPassage(reading) {
    if (!this.passage?.node) return;
    if (!this.passage.link.isConnected) {
      const links = [...this.flow.querySelectorAll("a.oj-cite")];
      this.passage.link = links.find((link) => link.getAttribute("href") === this.passage.href);
    }
    if (this.passage.link) this.placePassage();
    else this.dropPassage();
    if (this.passage?.node.contains(reading) && reading !== document.activeElement) reading.focus({ preventScroll: true });
  },

  dropPassage() {
    const inspector = this.passage?.inspector;
    if (inspector) {
      this.send({ type: "inspect", look: inspector.nonce, do: "shut" });
      inspector.end();
    }
    this.passage?.node?.remove();
    this.passage?.link?.removeAttribute("aria-expanded");
    this.passage = null;
  },

  closePassage() {
    const link = this.passage?.link;
    this.dropPassage();
    link?.focus({ preventScroll: true });
  },
});
