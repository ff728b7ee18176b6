// A tablet that is handed from respondent to respondent: each has a database of their own.

import { ask, tell } from "./ask.js";
import { SurveyClient } from "./sottovoce.min.js";

const [next, questions] = document.querySelectorAll("form");
const { collector, survey, fingerprint } = questions.dataset;
const PLACE = `${survey}-respondent-`;

/** The device of one respondent: what it keeps has their number as its name. */
const open = (number) => new SurveyClient(collector, survey, { state: PLACE + number, fingerprint, maxEpsilon: 6 });

/** With a network: keep the survey in a database for each respondent, so that no interview needs one. */
async function makeReady(nRespondents) {
  for (let number = 1; number <= nRespondents; number += 1) {
    const client = open(number);
    await client.survey();
    if (!(await client.isDurable())) throw new Error("This window keeps nothing: it cannot be used.");
    client.close();
  }
  return `Ready for respondents 1 to ${nRespondents}.`;
}

async function interview(number) {
  const client = open(number);
  try {
    if ((await client.answered()).length > 0) return `Number ${number} was used.`;
    next.hidden = true;
    const receipt = await ask(questions, client);
    if (receipt === null) return "Stopped: nothing was sent.";
    await client.flush(2000); // or later: it waits
    return `Respondent ${number}, please note your receipt: ${receipt.id}`;
  } finally {
    next.reset();
    [next.hidden, questions.hidden] = [false, true];
    client.close();
  }
}

/** With a network, when the interviews are over: deliver all reports, and then delete all databases. */
async function deliver() {
  const places = (await indexedDB.databases()).map(({ name }) => name).filter((name) => name.startsWith(PLACE));
  const left = [];
  for (const place of places) {
    const client = open(place.slice(PLACE.length));
    const isDone = (await client.flush(5000)) && (await client.rejected()).length === 0;
    client.close();
    if (!isDone) left.push(place);
  }
  if (left.length > 0) return `Nothing was deleted; not delivered: ${left.join(", ")}`;
  for (const place of places) await remove(place);
  return "All is delivered and deleted.";
}

function remove(place) {
  const request = indexedDB.deleteDatabase(place);
  return new Promise((resolve, reject) => {
    request.onsuccess = resolve;
    request.onerror = () => reject(request.error);
  });
}

function run(work) {
  tell("..");
  work.then(tell, (fault) => tell(fault.message));
}

next.addEventListener("submit", () => run(interview(Number(new FormData(next).get("number")))));
document.querySelector("#ready").addEventListener("click", () => run(makeReady(20)));
document.querySelector("#deliver").addEventListener("click", () => run(deliver()));
