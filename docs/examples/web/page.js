// A page that asks one respondent, on their own device.

import { ask, tell } from "./ask.js";
import { SurveyClient } from "./sottovoce.min.js";

const form = document.querySelector("form");
const { collector, survey, fingerprint } = form.dataset;
let client;

async function start() {
  client = new SurveyClient(collector, survey, { fingerprint, maxEpsilon: 6 }); // throws where a page is not https
  const [before] = await client.answered(); // on this device
  const receipt = before ?? (await ask(form, client));
  form.hidden = true;
  tell(`Your receipt: ${receipt.id}. ${await sayOutcome(receipt)}`);
}

async function sayOutcome(receipt) {
  if (!(await client.flush(10_000))) {
    const isKept = await client.isDurable();
    return isKept ? "It waits here until you are online." : "Keep this window open: it waits, and nothing is kept.";
  }
  const refused = (await client.rejected()).find((report) => report.receipt === receipt.id);
  return refused ? `It was refused: ${refused.problem.detail}` : "It was delivered.";
}

start().catch((fault) => tell(fault.message));
