// Many requests of one step as one panel: a head that denies all, and the cards, each with its own buttons (A17).
// Part of the controls' module: this text follows controls.js.

Object.assign(Board.prototype, {
  draw_asks(entry, slot) {
    const id = `oj-asks-${Math.random().toString(36).slice(2)}`;
    slot.cards = entry.cards;
    slot.node.style.setProperty("--oj-under-head", `${this.head.offsetHeight}px`);
    const state = h("span", { class: "oj-state is-wait" }, this.icon("ask"), entry.state);
    const deny = h("button", { type: "button", class: "oj-btn", onclick: () => this.denyAll(slot) }, this.icon("cross"), entry.deny);
    const header = h("header", {}, h("h3", { id, tabindex: "-1" }, entry.title), state, deny);
    const card = h("div", { class: "oj-card is-wait", role: "group", "aria-labelledby": id }, header, h("p", { class: "oj-sub" }, entry.hint));
    card.stateNode = state;
    return card;
  },

  // Denying is safe, so it needs no pause before it: also a card that has just come is denied.
  denyAll(slot) {
    for (const name of slot.cards) {
      const card = this.nodes.get(name);
      if (card?.kind !== "card" || card.answered) continue;
      card.shownAt = -EARLY;
      this.decide(card, { type: "deny", ...card.binding, reason: "" });
    }
    this.disable(slot.node, this.word("card.sent"));
  },

  // The cards that stand in a panel look like its rows.
  markAsked() {
    const asked = new Set([...this.nodes.values()].flatMap((slot) => (slot.kind === "asks" ? slot.cards : [])));
    for (const [name, slot] of this.nodes) {
      slot.node.classList.toggle("is-asked", asked.has(name));
      slot.node.classList.toggle("is-asks", slot.kind === "asks");
    }
  },
});
