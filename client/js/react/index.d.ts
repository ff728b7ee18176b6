/** `<sotto-survey>` for React, from 18 on. It also types the element in JSX, as `sottovoce/component/react` does. */

import type { ForwardRefExoticComponent, HTMLAttributes, ReactNode, RefAttributes, RefCallback } from "react";
import type {} from "../component/react.js";
import type { SottoAttributes, SottoEventMap, SottoSurvey as SottoElement } from "../component/index.js";
import type { SottoDetail, SottoErrorDetail, SottoReadyDetail, SottoRefusedDetail } from "../component/index.js";

/** Each is called with the element's event. No event carries an answer, a report or a receipt. */
export interface SottoHandlers {
  /** The survey is shown, or the receipt of an earlier answer. */
  onReady?: (event: SottoEventMap["sotto-ready"]) => void;
  /** A report was made; the person looks at it before it is sent. */
  onPrepared?: (event: SottoEventMap["sotto-prepared"]) => void;
  /** The person sent it: the report is in the device's outbox. */
  onSent?: (event: SottoEventMap["sotto-sent"]) => void;
  /** The collector has the report. */
  onDelivered?: (event: SottoEventMap["sotto-delivered"]) => void;
  /** The collector refused the report for good. */
  onRefused?: (event: SottoEventMap["sotto-refused"]) => void;
  /** The survey could not be shown or answered. */
  onError?: (event: SottoEventMap["sotto-error"]) => void;
}

/** The element's attributes, and those of any element. `children` are shown if the element does not work. */
export interface SottoSurveyProps
  extends Omit<SottoAttributes, "max-epsilon" | "resend-days">,
    SottoHandlers,
    Omit<HTMLAttributes<SottoElement>, keyof SottoHandlers | "children"> {
  maxEpsilon?: string | number;
  resendDays?: string | number;
  children?: ReactNode;
}

/** `<sotto-survey>` as a component of React. */
export const SottoSurvey: ForwardRefExoticComponent<SottoSurveyProps & RefAttributes<SottoElement>>;

/** The last event of a survey. */
export type SottoHeard =
  | { readonly status: "waiting"; readonly detail: null }
  | { readonly status: "ready"; readonly detail: SottoReadyDetail }
  | { readonly status: "prepared" | "sent" | "delivered"; readonly detail: SottoDetail }
  | { readonly status: "refused"; readonly detail: SottoRefusedDetail }
  | { readonly status: "error"; readonly detail: SottoErrorDetail };

/** Give `ref` to a `<sotto-survey>` or a `SottoSurvey`. */
export function useSottoSurvey(handlers?: SottoHandlers): { readonly ref: RefCallback<SottoElement> } & SottoHeard;
