/**
 * Return what a survey has of this file, where it says that its invitations are blind. Throws SurveyError.
 * @param {import("../src/documents.js").Fields} fields @param {Survey} survey that is not read to its end @returns {OfSurvey}
 */
export function of(fields: import("../src/documents.js").Fields, survey: Survey): OfSurvey;
/**
 * Return the message of a token.
 * @param {Uint8Array} random @param {string} fingerprint @param {number} wave @returns {Uint8Array}
 */
export function messageOf(random: Uint8Array, fingerprint: string, wave: number): Uint8Array;
/**
 * Return what the collector is to sign: RFC 9474, 4.2, of a message, with a salt and a factor.
 * @param {Uint8Array} message @param {Uint8Array} salt @param {bigint} factor @param {bigint} modulus
 * @returns {Promise<Uint8Array>}
 */
export function blind(message: Uint8Array, salt: Uint8Array, factor: bigint, modulus: bigint): Promise<Uint8Array>;
/**
 * Return the signature of a blind one: RFC 9474, 4.4; null where it does not fit the key, by WebCrypto.
 * @param {Uint8Array} message @param {Uint8Array} signed @param {bigint} factor @param {bigint} modulus
 * @param {string} key the modulus as the survey names it @returns {Promise<Uint8Array | null>}
 */
export function finish(message: Uint8Array, signed: Uint8Array, factor: bigint, modulus: bigint, key: string): Promise<Uint8Array | null>;
/** Return the inverse of a number by Euclid's algorithm; 0n where it has none. @param {bigint} number @param {bigint} modulus */
export function inverse(number: bigint, modulus: bigint): bigint;
/** Return bytes in base64url without padding. @param {Uint8Array} bytes */
export function toText(bytes: Uint8Array): string;
export function readKey(key: string): bigint;
/**
 * What a survey has of this file: its `keys`, of every wave of every stratum; the `longest` that admits a report; `check`
 * throws for a survey without keys.
 */
export type OfSurvey = {
    keys: readonly string[];
    longest: Admission;
    trade: typeof trade;
    tokenOf: typeof tokenOf;
    sayAll: typeof sayAll;
    sayTraded: typeof sayTraded;
    check: (error: typeof import("../src/errors.js").SurveyRefused) => void;
};
export type Client = import("../src/client.js").SurveyClient;
export type Survey = import("../src/survey.js").Survey;
export type Transaction = import("../src/state.js").Transaction;
/**
 * A token that is wanted, or there. `stratum`: 0 until the collector said it; `salt` and `factor` are kept before they are
 * used, and with the invitation they could join the token to it: they go as it comes.
 */
export type Wish = {
    random: Uint8Array;
    stratum: number;
    invitation: string;
    salt: Uint8Array | null;
    factor: bigint;
    token: string;
};
export type Kept = {
    fingerprint: string;
    surveyId: string;
    invitation: string;
    wishes: {
        [wave: number]: Wish;
    };
};
/**
 * What the client lends: `post` posts to an address of the survey's, obliviously if it is so delivered; `ended`
 * makes the fault of a device that takes part no longer.
 */
export type Lent = {
    transact: <Result>(work: (transaction: Transaction) => Promise<Result>) => Promise<Result>;
    post: (last: string, sent: object) => Promise<import("../src/exchange.js").Reply>;
    ended: typeof import("../src/draft.js").ended;
    DeliveryError: typeof import("../src/errors.js").DeliveryError;
    InvitationError: typeof import("../src/errors.js").InvitationError;
};
/**
 * What admits a report.
 */
export type Admission = {
    token?: string;
    stratum?: number;
};
/**
 * What came: `id` is the report's.
 */
export type Traded = {
    state: string;
    id?: Uint8Array;
    admission?: Admission;
};
/**
 * Return the token of a wave in a blind survey, and the id that its report gets of it; fetched if it is not there. A
 * survey that is not published has no keys. With `isNeeded` it throws InvitationError where there is none to have, and
 * asks for none where the wave is answered: that is refused soon. Throws ParticipationEnded.
 * @param {Client} client @param {number} wave @param {boolean} isNeeded
 * @param {string | null} given the invitation that the client was given @param {Lent} lent @returns {Promise<Traded>}
 */
declare function trade(client: Client, wave: number, isNeeded: boolean, given: string | null, lent: Lent): Promise<Traded>;
import { tokenOf } from "../form/blind.js";
import { sayAll } from "../form/blind.js";
import { sayTraded } from "../form/blind.js";
export {};
