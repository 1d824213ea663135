// What a command writes while it runs: one text that is replaced a few times a second, never parsed (R-EXEC-11).
// Part of the controls' module: this text follows controls.js.

Object.assign(Board.prototype, {
  draw_output(entry, slot) {
    if (!slot.pre?.isConnected) {
      slot.before = h("p", { class: "oj-sub" });
      slot.pre = h("pre", { class: "oj-pre oj-live", tabindex: "0", role: "group", "aria-label": entry.label });
      slot.fresh = h("div", { class: "oj-unfold" }, slot.before, slot.pre);
    }
    const { pre } = slot;
    const follows = pre.scrollTop + pre.clientHeight >= pre.scrollHeight - 8; // a reader who scrolled back stays there
    slot.before.textContent = entry.before;
    slot.before.hidden = !entry.before;
    pre.textContent = entry.text;
    if (follows) requestAnimationFrame(() => { pre.scrollTop = pre.scrollHeight; });
    return pre.isConnected ? null : slot.fresh;
  },
});
