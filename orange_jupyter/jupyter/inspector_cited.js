// The citations of a finished record open the inspector in the record, in place of the passage that it holds. The
// widget shows nothing at its own place: it finds the record by its id and hears what is pressed there. While no kernel
// answers it leaves the links alone, and they open the passage. Follows inspector.js.

function render({ model, el }) {
  const look = model.get("look");
  const record = `#${CSS.escape(look.record)}`;
  el.append(h("div", { class: "oj-ear" }));
  let alive = false; // whether Python has answered this view
  let passing = false; // whether a press is given on to the browser
  let open = null; // the citation that was asked for, and its page once it came

  const send = (message) => {
    try {
      model.send(message);
      return true;
    } catch (error) {
      alive = false;
      return false;
    }
  };

  const fragment = (link) => decodeURIComponent(link.hash);
  const citationOf = (link) => {
    const start = `#${look.prefix}-s`;
    return fragment(link).startsWith(start) ? look.cited[parseInt(fragment(link).slice(start.length), 10)] : undefined;
  };
  const same = (link) => [...document.querySelectorAll(`${record} .oj-prose a.oj-cite`)].filter((one) => one.hash === link.hash);

  const press = (event) => {
    if (passing || !alive || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest?.(`${record} .oj-prose a.oj-cite`);
    const citation = link && citationOf(link);
    if (!citation || event.defaultPrevented) return;
    if (open?.link === link && open.inspector) close();
    else if (!ask(link, citation)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  const ask = (link, citation) => {
    drop();
    if (!send({ type: "inspect", do: "open", citation })) return false;
    open = { link, citation, nth: same(link).indexOf(link), timer: setTimeout(fall, LOOK_PATIENCE) };
    return true;
  };

  // The record's own passage, as without this widget.
  const fall = () => {
    const { link } = open;
    drop();
    passing = true;
    link.click();
    passing = false;
  };

  const hear = (message, buffers) => {
    if (message.type !== "inspect") return;
    if (message.what === "ready") alive = true;
    if (!open) return;
    const mine = message.citation === open.citation;
    if (message.what === "opening" && mine) clearTimeout(open.timer);
    else if (message.what === "static" && mine && !open.inspector) fall();
    else if (message.what === "leaf" && mine) draw(message, buffers);
    else if (open.inspector?.nonce === message.look) open.inspector.hear(message, buffers);
    else if (message.what === "leaf" && open.inspector) drop(); // another view of this record has it now
  };

  const draw = (message, buffers) => {
    const fresh = !open.inspector;
    clearTimeout(open.timer);
    if (fresh) {
      const number = `${open.link.textContent.replace("?", "")} `;
      open.inspector = new Inspector({ look, send, record: fragment(open.link).slice(1), onclose: close, number, language: look.language });
      open.inspector.node.addEventListener("keydown", escape);
      place();
      watch.observe(el.closest(".jp-OutputArea") || document.body, { childList: true, subtree: true });
    }
    open.inspector.hear(message, buffers);
    if (!fresh) return;
    open.inspector.title.focus({ preventScroll: true });
    open.inspector.node.scrollIntoView({ block: "nearest" });
  };

  const place = () => {
    const { link, inspector } = open;
    const prose = link.closest(".oj-prose");
    let block = link;
    while (block.parentElement !== prose) block = block.parentElement;
    open.passage = document.getElementById(fragment(link).slice(1))?.closest(".oj-pass");
    if (open.passage) open.passage.hidden = true;
    link.setAttribute("aria-expanded", "true");
    block.after(inspector.node);
  };

  // A record that was written anew has a new link: the page follows it.
  const watch = new MutationObserver(() => {
    if (!open || open.link.isConnected) return;
    const link = same(open.link)[open.nth];
    if (!link) return;
    open.link = link;
    if (open.inspector) place();
  });

  const escape = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    event.preventDefault();
    close();
  };

  const drop = () => {
    if (!open) return;
    const { link, passage, inspector, timer } = open;
    open = null;
    clearTimeout(timer);
    watch.disconnect();
    link.removeAttribute("aria-expanded");
    if (passage) passage.hidden = false;
    if (!inspector) return;
    send({ type: "inspect", look: inspector.nonce, do: "shut" });
    inspector.end();
  };

  const close = () => {
    const link = open?.link;
    drop();
    link?.focus({ preventScroll: true });
    link?.scrollIntoView({ block: "nearest" });
  };

  const lose = () => {
    alive = false;
    if (open && (!open.inspector || open.inspector.node.contains(document.activeElement))) fall();
    else drop();
  };
  const probe = () => {
    lose();
    send({ type: "rendered" });
  };

  const heard = [["msg:custom", hear], ["comm_live_update", probe], ["comm:close", probe]];
  for (const [event, call] of heard) model.on(event, call);
  document.addEventListener("click", press, true);
  send({ type: "rendered" });
  return () => {
    for (const [event, call] of heard) model.off?.(event, call);
    document.removeEventListener("click", press, true);
    drop();
    el.replaceChildren();
  };
}

export default { render };
