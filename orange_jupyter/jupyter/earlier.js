// What a long turn leaves out of the page: the bar over earlier lines, and content that is made when it is unfolded.
// Part of the controls' module: this text follows controls.js.

Object.assign(Board.prototype, {
  // A fold whose inside is made when it is opened for the first time: thousands of lines stay light.
  lazily(details, make) {
    details.fill = () => {
      details.fill = null;
      details.append(make());
    };
    details.addEventListener("toggle", () => details.open && details.fill?.());
    return details;
  },

  draw_fold(entry) {
    const bar = h("div", { class: "oj-fold", role: "group", "aria-label": entry.text, tabindex: "-1" }, h("span", { class: "oj-sub oj-num" }, entry.text));
    for (const [words, page] of entry.buttons) {
      bar.append(h("button", { type: "button", class: "oj-btn is-quiet", "aria-label": `${words}: ${entry.text}`, onclick: () => this.send({ type: "unfold", name: entry.name, page }) }, words));
    }
    if (entry.part) bar.append(h("span", { class: "oj-sub oj-num" }, entry.part));
    return bar;
  },

  // The bar over the earlier part of one text, and the page of it that is unfolded. The focus stays on the bar.
  drawEarlier(slot, fold) {
    const known = fold && JSON.stringify(fold);
    if (known === slot.fold) return;
    slot.fold = known;
    const inside = slot.bar.contains(document.activeElement);
    slot.bar.replaceChildren();
    if (!fold) return;
    const bar = this.draw_fold(fold);
    slot.bar.append(bar);
    if (fold.blocks) {
      const page = h("div", { class: "oj-prose oj-page", "aria-live": "off" });
      page.innerHTML = fold.blocks; // cleaned by Python
      slot.bar.append(page);
    }
    if (inside) (bar.querySelector("button") || bar).focus({ preventScroll: true });
  },

  addBlocks(slot, blocks) {
    for (const block of blocks) {
      const count = slot.closed.childElementCount;
      slot.closed.insertAdjacentHTML("beforeend", block); // cleaned by Python
      slot.blocks.push([...slot.closed.children].slice(count));
    }
  },

  dropBlocks(slot, first) {
    for (; slot.first < first; slot.first++) for (const node of slot.blocks.shift() || []) node.remove();
  },
});
