/**
 * Return a published survey, trusting nothing: thresholds, epsilons and the text's form are checked. Throws SurveyError,
 * also where a question takes more epsilon than it declares, and DeliveryError where what trades blind invitations cannot
 * be loaded.
 * @param {Uint8Array} bytes @returns {Promise<Survey>}
 */
export function readSurvey(bytes: Uint8Array): Promise<Survey>;
/** @param {unknown} value @returns {value is string} whether a survey or a question can have it as its id */
export function isId(value: unknown): value is string;
/** @param {unknown} value whether it can be a SHA-256, or an Ed25519 key, in hexadecimal digits */
export function isHash(value: unknown): boolean;
export const MAX_SURVEY_BYTES: number;
export const HASH_EXPECTED: "64 hexadecimal digits";
export const ID_EXPECTED: "1 to 64 lower-case letters, digits, - or _, the first a letter or digit";
/** What stands on a form for one answer: what is asked, and what may be answered. */
export class Item {
    /** @param {Fields} fields @param {{[name: string]: import("./questions/types.js").QuestionType}} [types] */
    constructor(fields: Fields, types?: {
        [name: string]: import("./questions/types.js").QuestionType;
    });
    id: any;
    type: "number" | "yes-no" | "one-of" | "any-of" | "text" | "joint";
    /** @type {string} */
    text: string;
    /** Whether its options have scores, and so an order. */
    scale: boolean;
    /** @type {readonly string[]} */
    options: readonly string[];
    /** @type {any} of a number question: minimum, maximum, step and unit */
    range: any;
    /** @type {string | number | boolean | null} the answer that a skipped question counts as */
    skip: string | number | boolean | null;
    /** The margin of error that its author wants, as a plain decimal, or null. */
    want: string | null;
    /** The title of the section that begins with it, or "". */
    section: string;
    /** What stands on a form for it: itself, or the items that are asked together. @returns {readonly Item[]} */
    get items(): readonly Item[];
    /**
     * Return one person's answer as the mechanism takes it. Throws AnswerError, which never holds the answer.
     * @param {unknown} answer @returns {any} number, or as `Encoded`
     */
    encode(answer: unknown): any;
    /** What an answer must be, in words. */
    get expected(): string;
    /** @returns {import("./questions/types.js").QuestionType} */
    get kind(): import("./questions/types.js").QuestionType;
    #private;
}
/** One question; epsilons are exact decimals, in nats: of one report, and of all reports of one answer. */
export class Question extends Item {
    /** @param {Fields} fields */
    constructor(fields: Fields);
    mechanism: import("./mechanisms.js").Mechanism;
    epsilon: string;
    epsilonForever: string;
    /**
     * Return the epsilon that `nReports` reports of one answer take together, in units of 1e-12 nats: at most
     * `epsilonForever`.
     * @param {number} nReports
     */
    epsilonOf(nReports: number): bigint;
    /**
     * Return what `encode` takes, of answers by item.
     * @param {{[id: string]: unknown}} answers
     */
    answerIn(answers: {
        [id: string]: unknown;
    }): any;
    /** @param {Uint8Array} report @returns {any} what it says in the survey's words: see `Draft.reported` */
    reported(report: Uint8Array): any;
}
/** A survey, checked; epsilons are exact decimals, in nats: of one report, and of all waves if the answers stay. */
export class Survey {
    /**
     * @param {Fields} fields @param {string} canonical its text @param {string} fingerprint the text's SHA-256
     * @param {import("./way.js").Blind | null} blind
     */
    constructor(fields: Fields, canonical: string, fingerprint: string, blind: import("./way.js").Blind | null);
    /** @type {string} */
    id: string;
    title: string;
    waves: number;
    invited: boolean;
    minReports: number;
    publicResults: boolean;
    keep: "reports" | "counts";
    /** How many questions each device draws; 0: it asks all. */
    draw: number;
    /** In how many of its waves each device is asked; 0: in all. */
    askedIn: number;
    /** The most reports of one device. */
    maxReports: number;
    /** @type {readonly string[]} the groups in which people are invited */
    strata: readonly string[];
    /**
     * What trades an invitation for a token that nobody can join to it; undefined where invitations are sent.
     * @type {import("../blind/index.js").OfSurvey | undefined}
     */
    blind: import("../blind/index.js").OfSurvey | undefined;
    about: "population" | "respondents";
    /** The language of its texts, a tag. */
    lang: any;
    introduction: string;
    controller: string;
    contact: string;
    /** The last day on which a collector takes reports, in UTC, such as 2026-12-31; or "". */
    closes: any;
    /** How many days after the last one the collector erases the reports and keeps counts; 0: it never does. */
    eraseAfter: number;
    /** The first day, in UTC, on which the reports must be gone, or "". */
    eraseOn: string;
    /** How devices reach the collector: `oblivious`, only by encrypted requests through a relay. @type {"direct" | "oblivious"} */
    delivery: "direct" | "oblivious";
    /** The address of the relay, or ""; `oblivious.min.js` checks it. */
    relay: string;
    /** The key that signs those of the collector's gateway, Ed25519 in 64 hexadecimal digits; or "". @type {string} */
    gatewayKey: string;
    questions: readonly Question[];
    /** The tags of the languages in which it can be read, its own first. */
    languages: readonly string[];
    /** How many questions a device answers. */
    nDrawn: number;
    /** Whether a device's reports of an answer share their permanent noise, over the waves. */
    keepsNoise: boolean;
    epsilon: string;
    epsilonForever: string;
    canonical: string;
    fingerprint: string;
    /**
     * Return the words that respondents read in one of its languages. Answers are always options of its own language.
     * Throws RangeError for another language.
     * @param {string} [lang] the survey's own by default
     */
    words(lang?: string): Readonly<{
        lang: string;
        title: string;
        introduction: string;
        controller: string;
        contact: string;
        questions: Readonly<{
            [id: string]: import("./words.js").QuestionWords;
        }>;
    }>;
    /**
     * An English sentence for respondents if their answers are protected little, or else "". Show it above the questions,
     * and where respondents look at what will be sent.
     */
    get protectedLittle(): string;
    /** Throw RangeError for a wave that this survey does not have. @param {number} wave */
    checkWave(wave: number): void;
    /**
     * Return every question's encoded answer. Throws AnswerError, which never quotes what was given.
     *
     * Every question must be answered: a gap in a report would show that it was skipped. If a question has `skip`, an
     * answer that is null, undefined or left out counts as that. In a survey with `draw` only the drawn questions need an
     * answer. Answers to the others are checked and dropped, and are null here.
     * @param {{[id: string]: unknown}} answers @param {readonly boolean[]} [drawn]
     * @returns {(import("./mechanisms.js").Encoded | null)[]}
     */
    encode(answers: {
        [id: string]: unknown;
    }, drawn?: readonly boolean[]): (import("./mechanisms.js").Encoded | null)[];
    /**
     * How many questions a respondent is asked, and of how many, where each drawn question has as many items.
     * @returns {[number, number]}
     */
    get nAsked(): [number, number];
    /**
     * The question that an item is asked in: itself, or of those asked together the one whose items are all `asked`.
     * @param {Item} item @param {readonly Item[]} asked @returns {Question}
     */
    questionOf({ id }: Item, asked: readonly Item[]): Question;
    /** What stands on a form, each item once, in order: those of questions that are asked together, too. */
    get items(): Item[];
    #private;
}
import { Fields } from "./documents.js";
