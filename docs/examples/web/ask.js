// Asks a survey through a form: its fields are named after the questions. What would be sent is shown before it is.

import { AlreadyAnswered, SottoError, keepOffDisk, keepToItself } from "./sottovoce.min.js";

const REVIEW = `
  <dialog aria-labelledby="review">
    <form method="dialog">
      <h2 id="review">This is all that leaves this device</h2>
      <p class="little"></p>
      <table>
        <thead><tr><th>question</th><th>you answered</th><th>is sent</th></tr></thead>
        <tbody></tbody>
      </table>
      <details><summary>The very message</summary><pre></pre></details>
      <button value="send">Send</button>
      <button value="change">Change answers</button>
    </form>
  </dialog>`;

keepOffDisk(document.body); // the browser writes nothing that is answered here to the disk, and has nobody spell it
keepToItself(document.querySelector("[role=status]")); // a receipt stands there: no service translates or records it

/** Ask until a report was sent, or was sent before: return its receipt; null if the respondent stops. */
export async function ask(form, client) {
  const survey = await client.survey();
  warn(form, survey);
  form.hidden = false;
  for (;;) {
    const button = await pressed(form);
    if (button?.value === "stop") return end(form, null);
    try {
      const answers = read(form, survey);
      const draft = await client.prepare(answers); // nothing is sent yet; the same answers get the same noise
      if (await isConfirmed(survey, answers, draft)) return end(form, await draft.send());
    } catch (fault) {
      if (fault instanceof AlreadyAnswered) return end(form, fault.receipt);
      if (!(fault instanceof SottoError)) throw fault;
      tell(fault.message); // no answer is in it; what was answered stays in the form
    }
  }
}

/** Say in a part of the page that answers are protected little, where they are. */
function warn(part, { protectedLittle }) {
  part.querySelector(".little").textContent = protectedLittle;
}

export function tell(text) {
  document.querySelector("[role=status]").textContent = text;
}

/** The button of the form that is pressed next. */
function pressed(form) {
  return new Promise((resolve) => {
    const submit = (event) => {
      event.preventDefault();
      resolve(event.submitter);
    };
    form.addEventListener("submit", submit, { once: true });
  });
}

/** By question id what was answered, as the client takes it; null where it was left out. */
function read(form, { questions }) {
  const given = new FormData(form);
  const readOne = ({ id, type }) => {
    if (type === "any-of") return given.getAll(id);
    const value = String(given.get(id) ?? "").trim() || null;
    return type === "yes-no" && value !== null ? value === "yes" : value;
  };
  return Object.fromEntries(questions.map((question) => [question.id, readOne(question)]));
}

/** Show what would be sent beside what was answered; return whether it may be. */
async function isConfirmed(survey, answers, draft) {
  document.body.insertAdjacentHTML("beforeend", REVIEW);
  const dialog = /** @type {HTMLDialogElement} */ (document.body.lastElementChild);
  keepToItself(dialog); // no service is given the answers, nor what is made of them
  warn(dialog, survey);
  for (const { id, text } of survey.questions) {
    const row = dialog.querySelector("tbody").insertRow();
    for (const cell of [text, inWords(answers[id]), inWords(draft.reported[id])]) row.insertCell().textContent = cell;
  }
  dialog.querySelector("pre").textContent = draft.body;
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  dialog.remove(); // and with it what was answered
  return dialog.returnValue === "send";
}

function inWords(value) {
  if (value === null) return "left out";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.join(", ") || "none";
  return typeof value === "string" ? value : `number ${value.value} of group ${value.cohort}`;
}

/** Nothing that was answered stays in the page. */
function end(form, receipt) {
  form.reset();
  return receipt;
}
