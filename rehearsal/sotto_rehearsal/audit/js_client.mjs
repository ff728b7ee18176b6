// The installed JavaScript client as a program that is audited: node js_client.mjs sottovoce.min.js
//
// Each device is a SurveyClient of its own, as a page has it, with its state in memory. Its collector is this program:
// it serves the survey that stands in the first line, and prints what is posted.

import { readSync, writeSync } from "node:fs";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";

const COLLECTOR = "https://audit.invalid";
const INVITATION = "a".repeat(26);
const AT_ONCE = 32;
const LIMITS = { state: ":memory:", maxEpsilon: 1e6, maxPeriodEpsilon: 1e6 };

const [given, ...lines] = readAll().split("\n").slice(0, -1);
// Nobody here signs tokens: invitations are sent plainly. What makes the noise is the same.
const canonical = given
  .replace('"invitations":"blind",', "")
  .replace(/"token_keys":\[[^\]]*\],?/, "")
  .replace(/,}$/, "}");
const survey = JSON.parse(canonical);
const invited = survey.invited ? { invitation: INVITATION } : {};
/** @type {Map<string, {answers: unknown}>} what was posted and not yet printed, by receipt */
const posted = new Map();

globalThis.fetch = async (_, request = {}) => {
  if (request.method !== "POST") return new Response(canonical, { headers: { "Content-Type": "application/json" } });
  const { reports } = JSON.parse(request.body);
  for (const report of reports) posted.set(report.id, report);
  return Response.json({ counted: reports.length, duplicates: 0 });
};
const { SurveyClient } = await import(pathToFileURL(argv[2]).href);

const devices = groupByDevice(lines.map((line) => JSON.parse(line)));
for (let start = 0; start < devices.length; start += AT_ONCE) {
  const reports = await Promise.all(devices.slice(start, start + AT_ONCE).map(answerAll));
  writeAll(
    reports
      .flat()
      .map((report) => JSON.stringify(report) + "\n")
      .join(""),
  );
}

async function answerAll(asked) {
  const device = new SurveyClient(COLLECTOR, survey.id, { ...LIMITS, ...invited });
  const receipts = [];
  for (const { answers, wave } of asked) {
    // It is asked as if it had drawn this wave: it answers in its own, and the report is printed as of this one.
    const waves = survey.asked_in ? await device.waves() : [wave];
    const { id } = await device.answer(answers, waves[0]);
    receipts.push([id, wave, waves]);
  }
  if (!(await device.flush(60_000))) throw new Error("a report was not delivered.");
  device.close();
  return receipts.map(take);
}

function take([receipt, wave, waves]) {
  const report = posted.get(receipt);
  posted.delete(receipt);
  if (given !== canonical) delete report.invitation;
  return survey.asked_in ? { ...report, wave, waves } : report;
}

function groupByDevice(asked) {
  const devices = [];
  for (const each of asked) {
    if (devices.at(-1)?.[0].device === each.device) devices.at(-1).push(each);
    else devices.push([each]);
  }
  return devices;
}

function readAll() {
  const [chunks, buffer] = [[], Buffer.alloc(2 ** 20)];
  for (let nBytes; (nBytes = readSync(0, buffer)) > 0;) chunks.push(Buffer.from(buffer.subarray(0, nBytes)));
  return Buffer.concat(chunks).toString();
}

function writeAll(text) {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length;) start += writeSync(1, bytes, start);
}
