// Runs the planners, compiled to WebAssembly, on a thread of its own. Each message is a request
// as text; the answer goes back with the number of the request.
"use strict";

let module = null;
let calls = null;

/** What the module imports of a system: nothing here does anything, and failure is reported. */
function importsFor(compiled, memory) {
  const imports = {};
  const badDescriptor = 8;
  for (const {module: from, name, kind} of WebAssembly.Module.imports(compiled)) {
    if (kind !== "function") throw new Error(`the planners import the ${kind} ${name}`);
    imports[from] = imports[from] || {};
    imports[from][name] = (...values) => {
      if (name === "environ_sizes_get") {
        const words = new DataView(memory().buffer);
        for (const at of values) words.setUint32(at, 0, true);
        return 0;
      }
      if (name === "proc_exit" || name.includes("abort")) throw new Error("the planners stopped");
      return name.startsWith("fd_") ? badDescriptor : 0;
    };
  }
  return imports;
}

function begin() {
  const instance = new WebAssembly.Instance(module, importsFor(module, () => instance.exports.memory));
  calls = instance.exports;
  if (calls._initialize) calls._initialize();
}

function answer(text) {
  if (calls === null) begin();
  const bytes = new TextEncoder().encode(text);
  const at = calls.lab_request(bytes.length);
  if (at === 0) return '{"error": "The request needs more memory than the page has."}';
  new Uint8Array(calls.memory.buffer, at, bytes.length).set(bytes);
  const length = calls.lab_answer();
  return new TextDecoder().decode(new Uint8Array(calls.memory.buffer, calls.lab_answer_at(), length));
}

/** The answer as text; a module that failed is made again for the next request. */
function safeAnswer(text) {
  try {
    return answer(text);
  } catch (problem) {
    calls = null;
    return JSON.stringify({error: `The planners stopped at this request (${problem.message}).`});
  }
}

if (typeof self !== "undefined" && typeof self.postMessage === "function") {
  self.onmessage = ({data}) => {
    if (data.bytes) {
      module = new WebAssembly.Module(data.bytes);
      return;
    }
    self.postMessage({number: data.number, text: safeAnswer(data.text)});
  };
}
