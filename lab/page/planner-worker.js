// Runs the planners, compiled to WebAssembly, on a thread of its own. Each message is a request as text, or a file with a
// recording; the answer goes back with the number of the message.
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

/** Gives the module the parts of a request or recording of `length` bytes, and returns the answer of `call` as text. */
function answerTo(call, parts, length) {
  if (calls === null) begin();
  let at = calls.lab_request(length);
  if (at === 0) return refusal("This needs more memory than the page has.");
  for (const part of parts) {
    new Uint8Array(calls.memory.buffer, at, part.length).set(part);
    at += part.length;
  }
  const size = calls[call]();
  return new TextDecoder().decode(new Uint8Array(calls.memory.buffer, calls.lab_answer_at(), size));
}

function refusal(sentence) {
  return JSON.stringify({error: sentence});
}

/** The answer as text; a module that failed is made again for the next request. */
function safely(what, call, parts, length) {
  try {
    return answerTo(call, parts, length);
  } catch (problem) {
    calls = null;
    return refusal(`The planners stopped at this ${what} (${problem.message}).`);
  }
}

function safeAnswer(text) {
  const bytes = new TextEncoder().encode(text);
  return safely("request", "lab_answer", [bytes], bytes.length);
}

const mebibytes = (bytes) => `${Math.ceil(bytes / 1048576)} MiB`;

/** The unpacked content of a file that gzip has packed, piece by piece. Throws an Error with a sentence. */
async function unpacked(file, limits) {
  if (typeof DecompressionStream === "undefined") throw new Error("This browser cannot unpack files. Unpack the file with gunzip.");
  const most = Math.min(limits.recording_bytes, limits.unfolding * file.size + 1048576);
  const reader = file.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const {done, value} = await reader.read().catch((problem) => {
      throw new Error(`The file is packed, but it is damaged or cut (${problem.message}).`);
    });
    if (done) return {parts, length};
    parts.push(value);
    length += value.length;
    if (length > most) {
      reader.cancel().catch(() => {});
      throw new Error(`The file unpacks to more than ${mebibytes(most)}, which is too much for ${file.size.toLocaleString("en")} bytes.`);
    }
  }
}

/** Opens a recording, a file as it was written or packed with gzip. Gives the answer as text. */
async function openRecording(file, limits) {
  try {
    const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
    const packed = start[0] === 0x1f && start[1] === 0x8b;
    const most = packed ? limits.packed_bytes : limits.recording_bytes;
    if (file.size > most) {
      return refusal(`The file has ${mebibytes(file.size)}, but the lab reads at most ${mebibytes(most)}${packed ? " of a packed file" : ""}.`);
    }
    const {parts, length} = packed ? await unpacked(file, limits) : {parts: [new Uint8Array(await file.arrayBuffer())], length: file.size};
    return safely("recording", "lab_recording", parts, length);
  } catch (problem) {
    return refusal(problem.message);
  }
}

if (typeof self !== "undefined" && typeof self.postMessage === "function") {
  self.onmessage = async ({data}) => {
    if (data.bytes) {
      module = new WebAssembly.Module(data.bytes);
      return;
    }
    const text = data.file ? await openRecording(data.file, data.limits) : safeAnswer(data.text);
    self.postMessage({number: data.number, text});
  };
}
