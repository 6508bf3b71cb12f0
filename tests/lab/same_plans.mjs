// Answers requests by the planners of the page, in node, and compares with the native answers.
//
// usage: node same_plans.mjs PAGE.html CASES      CASES: a request and its answer in turn, a line each; a request
//                                                 {"open": NAME} opens the recording with that name next to CASES
import {readFileSync} from "node:fs";
import {dirname, join} from "node:path";

const [page, cases] = process.argv.slice(2);
const html = readFileSync(page, "utf8");
const part = (id) => html.match(new RegExp(`<script type="text/plain" id="${id}">([\\s\\S]*?)</script>`))[1];
const make = new Function("bytes", `${part("planner-worker")}; module = new WebAssembly.Module(bytes); return {safeAnswer, openRecording};`);
const {safeAnswer, openRecording} = make(Buffer.from(part("planners"), "base64"));
const {limits} = JSON.parse(safeAnswer('{"ask": "catalogue"}'));

const lines = readFileSync(cases, "utf8").trimEnd().split("\n");
let different = 0;
let refused = 0;
let opened = 0;
for (let i = 0; i < lines.length; i += 2) {
  const {open} = JSON.parse(lines[i]);
  const found = open ? await openRecording(new Blob([readFileSync(join(dirname(cases), open))]), limits) : safeAnswer(lines[i]);
  if (open && !found.startsWith('{"error"')) ++opened;
  if (found.startsWith('{"error"')) ++refused;
  if (found === lines[i + 1]) continue;
  if (++different <= 5) {
    let at = 0;
    while (found[at] === lines[i + 1][at]) ++at;
    const from = Math.max(0, at - 60);
    console.log(`request  ${lines[i].slice(0, 2000)}\nnative   ...${lines[i + 1].slice(from, at + 80)}\npage     ...${found.slice(from, at + 80)}\n`);
  }
}
console.log(`${lines.length / 2} requests, ${refused} of them refused, ${opened} recordings opened, ${different} answered differently`);
process.exit(different ? 1 : 0);
