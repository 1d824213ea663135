// What a page that was loaded again does at the end of a turn. Part of the controls' module: follows controls.js.
// Such a page knows no display ids, so the kernel's updates do not reach its cells: the last ones come by this comm too.

const TURN = "application/vnd.orange.turn+json";
const VIEW = "application/vnd.jupyter.widget-view+json";

function settle(model, message) {
  const cells = model.widget_manager?.context?.model?.cells; // JupyterLab and Notebook; elsewhere the page alone is mended
  if (!cells) return mend(message);
  for (let at = 0; at < cells.length; at += 1) {
    const outputs = cells.get(at).outputs;
    for (let place = 0; place < (outputs?.length || 0); place += 1) {
      if (outputs.get(place).data[VIEW]?.model_id !== message.view) continue;
      put(outputs, place, { "text/plain": "" }); // a widget that closes hides its place: it is emptied first
      if (message.controls) put(outputs, place, message.controls);
      if (message.bundle && place > 0 && isRecord(outputs.get(place - 1).data)) put(outputs, place - 1, message.bundle);
    }
  }
}

function put(outputs, place, data) {
  outputs.set(place, { output_type: "display_data", data, metadata: {} });
}

// The record's place is the one before the controls: a record, or nothing yet.
function isRecord(data) {
  return TURN in data || (Object.keys(data).length === 1 && data["text/plain"] === "");
}

function mend({ record, bundle }) {
  const shown = record && document.getElementById(record);
  if (!shown || !bundle?.["text/html"]) return;
  const fresh = document.createElement("template");
  fresh.innerHTML = bundle["text/html"]; // written by Python, as the record is
  shown.replaceWith(fresh.content);
}
