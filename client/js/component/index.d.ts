/** The types of `<sotto-survey>`: what it says in its events, and where TypeScript's DOM finds it. */

export { SottoSurvey } from "../types/sotto-survey.js";
import type { SottoSurvey } from "../types/sotto-survey.js";

/** Which survey an event is about. No event carries an answer, a report or a receipt. */
export interface SottoDetail {
  readonly survey: string;
  readonly fingerprint: string;
  readonly wave: number;
}

/** `code` is the collector's: docs/http.md lists them. */
export interface SottoRefusedDetail extends SottoDetail {
  readonly code: string;
}

/** `isAnswered`: this device has answered before. The element shows a receipt and asks nothing. */
export interface SottoReadyDetail extends SottoDetail {
  readonly isAnswered: boolean;
}

/**
 * `name` is the name of the client's error, or `WordsMissing` if buttons and hints could not be loaded in the survey's
 * language. `message` is English, for the people who run the page.
 */
export interface SottoErrorDetail {
  readonly survey: string;
  readonly name: string;
  readonly message: string;
}

/** The events of the element, by name. */
export interface SottoEventMap {
  "sotto-ready": CustomEvent<SottoReadyDetail>;
  "sotto-prepared": CustomEvent<SottoDetail>;
  "sotto-sent": CustomEvent<SottoDetail>;
  "sotto-delivered": CustomEvent<SottoDetail>;
  "sotto-refused": CustomEvent<SottoRefusedDetail>;
  "sotto-error": CustomEvent<SottoErrorDetail>;
}

/** What a page says about a survey. All are attributes, so their values are texts. */
export interface SottoAttributes {
  collector: string;
  survey: string;
  fingerprint: string;
  wave?: string | number;
  invitation?: string;
  "max-epsilon"?: string | number;
  state?: string;
  "resend-days"?: string | number;
  theme?: "light" | "dark";
  words?: string;
}

declare global {
  interface HTMLElementTagNameMap {
    "sotto-survey": SottoSurvey;
  }
  interface GlobalEventHandlersEventMap extends SottoEventMap {} // they bubble: to elements, document and window
}
