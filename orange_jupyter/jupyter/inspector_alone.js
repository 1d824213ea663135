
// The inspector as a widget of its own, below the figure that stays: it hides the figure while it lives.

function render({ model, el }) {
  const look = model.get("look");
  const hiding = document.createElement("style");
  const lost = h("p", { class: "oj-sub", role: "alert" });
  const root = h("div", { class: "oj", "data-lm-suppress-shortcuts": "true", lang: look.language }, hiding);
  const send = (message) => {
    try {
      model.send(message);
      return true;
    } catch (error) {
      lose();
      return false;
    }
  };
  const inspector = new Inspector({ look, send, record: look.record, language: look.language });
  inspector.node.hidden = true;
  root.append(inspector.node, lost);
  el.append(root);

  const lose = () => {
    inspector.lose();
    inspector.node.hidden = true; // the figure above shows the page, and nothing here can be pressed
    hiding.textContent = "";
    lost.textContent = inspector.word("gone");
  };
  const hear = (message, buffers) => {
    if (message.type !== "inspect") return;
    inspector.gone = false;
    for (const control of inspector.node.querySelectorAll("button, input")) control.disabled = false;
    lost.textContent = "";
    inspector.node.hidden = false;
    hiding.textContent = `#${CSS.escape(look.record)} { display: none; }`;
    inspector.hear(message, buffers);
  };
  const probe = () => {
    lose();
    send({ type: "rendered" });
  };
  const heard = [["msg:custom", hear], ["comm_live_update", probe], ["comm:close", probe]];
  for (const [event, call] of heard) model.on(event, call);
  send({ type: "rendered" });
  return () => {
    for (const [event, call] of heard) model.off?.(event, call);
    inspector.end();
    root.remove();
  };
}

export default { render };
