/** A draft: a report that is made and not sent. The device keeps what it is drawn from, so it stays the same. */

import { areEqual, hex } from "./bytes.js";
import { importSecret, osBytes } from "./coins.js";
import { parseEpsilon, writeEpsilon } from "./decimals.js";
import { AlreadyAnswered, InvitationError, ParticipationEnded } from "./errors.js";
import { checkBudget, entriesOf, epsilonOfReport, receiptOf, today } from "./ledger.js";
import { SECRET_BYTES } from "./permanent.js";
import { REPORT_ID_BYTES, batchBody, blanksAfter, wireReport } from "./report.js";

/** @typedef {import("./ledger.js").Receipt} Receipt */
/** @typedef {import("./ledger.js").Entry} Entry */
/** @typedef {import("./survey.js").Survey} Survey */
/** @typedef {import("./state.js").Transaction} Transaction */
/**
 * What one wave's report is drawn from: `key` the survey's secret, for permanent responses, `seed` this wave's, for the
 * instantaneous stage, `id` the report's.
 * @typedef {{key: CryptoKey, seed: CryptoKey, id: Uint8Array}} Drawn
 */
/** @typedef {{fingerprint: string, surveyId: string, key: CryptoKey, drafts: {[wave: number]: {seed: CryptoKey, id: Uint8Array}}}} Secret */

/** A report that is not sent yet, for the respondent to look at. */
export class Draft {
  #send;
  /** @type {Promise<Receipt> | null} */
  #sent = null;

  /**
   * @param {Survey} survey @param {(Uint8Array | null)[]} columns every question's part, packed; null where it was not
   * drawn @param {Uint8Array} id
   * @param {Entry} entry what the ledger will have of it @param {() => Promise<Receipt>} send
   * @param {import("./report.js").Admission} [admission]
   */
  constructor(survey, columns, id, { wave, epsilon, invitation }, send, admission) {
    this.#send = send;
    /** The epsilon that it takes, in nats; an exact decimal. */
    this.epsilon = writeEpsilon(epsilon);
    /** The report as it is sent. The invitation to an invited survey is not in it. */
    this.sent = wireReport(survey, id, columns, wave, admission);
    /** The receipt that it will have. */
    this.receipt = this.sent.id;
    /** An English sentence for respondents if their answers are protected little, or else "". */
    this.protectedLittle = survey.protectedLittle;
    /** The text that is posted, with all its blanks. */
    this.body = batchBody(survey.fingerprint, this.sent, blanksAfter(survey, this.sent), invitation);
    /**
     * What it says about each question that is answered, by question id. For yes-no that is a boolean, for a text
     * question its cohort and the numbers of the bits that are set, for others the options that it supports.
     * @type {{[id: string]: any}}
     */
    this.reported = Object.fromEntries(
      survey.questions.flatMap((question, index) => {
        const column = columns[index];
        return column === null ? [] : [[question.id, question.reported(column)]];
      }),
    );
    Object.freeze(this);
  }

  /** Charge the budget and deliver the report, once, however often this is called. @returns {Promise<Receipt>} */
  send() {
    this.#sent ??= this.#send().catch((fault) => {
      this.#sent = null; // nothing was charged: it may be sent another time
      throw fault;
    });
    return this.#sent;
  }
}

/** Draw what a report could be drawn from. @param {Uint8Array} [id] that its token gives it @returns {Promise<Drawn>} */
export async function drawAnew(id) {
  const [secret, seed] = [await osBytes(SECRET_BYTES), await osBytes(SECRET_BYTES)];
  return {
    key: await importSecret(secret),
    seed: await importSecret(seed),
    id: id ?? (await osBytes(REPORT_ID_BYTES)),
  };
}

/**
 * Return what this wave's report is drawn from: what was kept before, or else `fresh`, which is kept now. Throws
 * AlreadyAnswered, ParticipationEnded.
 * @param {Transaction} transaction @param {Survey} survey @param {number} wave @param {Drawn} fresh
 * @returns {Promise<Drawn>}
 */
export async function keepDrawn(transaction, survey, wave, fresh) {
  const { fingerprint, id: surveyId } = survey;
  const earlier = await entriesOf(transaction, fingerprint);
  checkUnanswered(survey, wave, earlier);
  const kept = /** @type {Secret | undefined} */ (await transaction.get("secrets", fingerprint));
  if (kept === undefined && earlier.length > 0) throw ended(survey);
  const { key = fresh.key, drafts = {} } = kept ?? {};
  const draft = drafts[wave] ?? { seed: fresh.seed, id: fresh.id };
  if (drafts[wave] === undefined) {
    await transaction.put("secrets", { fingerprint, surveyId, key, drafts: { ...drafts, [wave]: draft } });
  }
  return { key, ...draft };
}

/**
 * Forget what a report was drawn from that is sent now, but for the survey's secret. Throws ParticipationEnded where it
 * is forgotten already.
 * @param {Transaction} transaction @param {Survey} survey @param {number} wave @param {Drawn} drawn
 */
export async function endDraft(transaction, survey, wave, drawn) {
  const kept = /** @type {Secret | undefined} */ (await transaction.get("secrets", survey.fingerprint));
  if (kept === undefined || !areEqual(kept.drafts[wave]?.id ?? [], drawn.id)) throw ended(survey);
  const { [wave]: _, ...drafts } = kept.drafts;
  await transaction.put("secrets", { ...kept, drafts });
}

/**
 * Return the ledger's entry of one more report. Throws where it must not be made: AlreadyAnswered, BudgetExceeded,
 * InvitationError.
 * @param {Transaction} transaction @param {Survey} survey @param {number} wave @param {Uint8Array} marks
 * @param {Uint8Array} id @param {string | null} invitation @param {import("./ledger.js").Limits} limits
 * @param {readonly boolean[]} drawn which questions are answered @param {number} lastWave the device's
 * @returns {Promise<Entry>}
 */
export async function makeEntry(transaction, survey, wave, marks, id, invitation, limits, drawn, lastWave) {
  const all = /** @type {Entry[]} */ (await transaction.all("ledger"));
  const earlier = await entriesOf(transaction, survey.fingerprint);
  checkUnanswered(survey, wave, earlier);
  const entry = {
    fingerprint: survey.fingerprint,
    wave,
    waves: lastWave,
    surveyId: survey.id,
    epsilon: epsilonOfReport(survey, marks, earlier, drawn),
    day: today(),
    receipt: hex(id),
    marks,
    invitation: invitationOf(survey, earlier, invitation),
    isSummed: false,
  };
  checkBudget(all, entry, limits, earlier.length > 0 ? 0n : (parseEpsilon(survey.epsilon) ?? 0n));
  return entry;
}

function checkUnanswered(/** @type {Survey} */ survey, /** @type {number} */ wave, /** @type {Entry[]} */ earlier) {
  const entry = earlier.find((candidate) => candidate.wave === wave);
  if (entry !== undefined) throw new AlreadyAnswered(receiptOf(entry), survey);
}

/** The fault of a device that has forgotten what it would draw a survey's report from. @param {Survey} survey */
export function ended(survey) {
  return new ParticipationEnded(
    `this device takes part in survey ${survey.id} no longer: it has forgotten the secret of its noise.`,
  );
}

/** Return the invitation of an invited survey: the one that was given, or else that of the report before. */
function invitationOf(
  /** @type {Survey} */ survey,
  /** @type {Entry[]} */ earlier,
  /** @type {string | null} */ given,
) {
  if (survey.blind) return null; // its token has admitted it
  if (!survey.invited) {
    if (given === null) return null;
    throw new InvitationError(`survey ${survey.id} is open to all; invitation must not be given.`);
  }
  const known = given ?? earlier.flatMap((entry) => entry.invitation || []).pop();
  if (known) return known;
  throw new InvitationError(`survey ${survey.id} is for invited people; invitation must be given.`);
}
