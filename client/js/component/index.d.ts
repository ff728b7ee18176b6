/** The types of `<sotto-survey>`: what it says in its events, and where TypeScript's DOM finds it. */

export { SottoSurvey } from "../types/sotto-survey.js";
import type { SottoSurvey } from "../types/sotto-survey.js";

/** Which survey an event is about. No event carries an answer, a report or a receipt. */
export interface SottoDetail {
  readonly survey: string;
  readonly fingerprint: string;
  readonly wave: number;
}

/** `code`: the collector's, as docs/http.md has it. */
export interface SottoRefusedDetail extends SottoDetail {
  readonly code: string;
}

/** `isAnswered`: this device has answered before; a receipt is shown, and nothing is asked. */
export interface SottoReadyDetail extends SottoDetail {
  readonly isAnswered: boolean;
}

/**
 * `name`: of the client's error, or `WordsMissing` where buttons and hints could not be loaded in the survey's language;
 * `message`: in English, for whoever runs the page.
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

/** What a page says of a survey; all are attributes, and so texts. */
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
