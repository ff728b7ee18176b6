/** `<sotto-survey>` for React, from 18 on. It also types the element in JSX, as `sottovoce/component/react` does. */

import type { ForwardRefExoticComponent, HTMLAttributes, ReactNode, RefAttributes, RefCallback } from "react";
import type {} from "../component/react.js";
import type { SottoAttributes, SottoEventMap, SottoSurvey as SottoElement } from "../component/index.js";
import type { SottoDetail, SottoErrorDetail, SottoReadyDetail, SottoRefusedDetail } from "../component/index.js";

/** Each is called with the element's event. No event carries an answer, a report or a receipt. */
export interface SottoHandlers {
  onReady?: (event: SottoEventMap["sotto-ready"]) => void;
  onPrepared?: (event: SottoEventMap["sotto-prepared"]) => void;
  onSent?: (event: SottoEventMap["sotto-sent"]) => void;
  onDelivered?: (event: SottoEventMap["sotto-delivered"]) => void;
  onRefused?: (event: SottoEventMap["sotto-refused"]) => void;
  onError?: (event: SottoEventMap["sotto-error"]) => void;
}

/** The element's attributes, and those of any element; `children` are shown where the element cannot be. */
export interface SottoSurveyProps
  extends Omit<SottoAttributes, "max-epsilon" | "resend-days">,
    SottoHandlers,
    Omit<HTMLAttributes<SottoElement>, keyof SottoHandlers | "children"> {
  maxEpsilon?: string | number;
  resendDays?: string | number;
  children?: ReactNode;
}

export const SottoSurvey: ForwardRefExoticComponent<SottoSurveyProps & RefAttributes<SottoElement>>;

/** What was heard of a survey last. */
export type SottoHeard =
  | { readonly status: "waiting"; readonly detail: null }
  | { readonly status: "ready"; readonly detail: SottoReadyDetail }
  | { readonly status: "prepared" | "sent" | "delivered"; readonly detail: SottoDetail }
  | { readonly status: "refused"; readonly detail: SottoRefusedDetail }
  | { readonly status: "error"; readonly detail: SottoErrorDetail };

/** `ref`: to be given to a `<sotto-survey>` or a `SottoSurvey`. */
export function useSottoSurvey(handlers?: SottoHandlers): { readonly ref: RefCallback<SottoElement> } & SottoHeard;
