"use client";

/**
 * `<sotto-survey>` for React, from 18 on: a component with its attributes as props, and a hook that hears its events.
 *
 *     import { SottoSurvey } from "sottovoce/react";
 *
 *     <SottoSurvey collector="https://collector.example" survey="lunch-2026" fingerprint="0e23d8.."
 *       onDelivered={({ detail }) => thank(detail.survey)} />
 *
 * React before 19 passes on no events of an element and does not write its attributes as the element reads them. This
 * component does both.
 * @module
 */

import { createElement, forwardRef, useCallback, useEffect, useRef, useState } from "react";
import "../sotto-survey.js";

const EVENTS = ["Ready", "Prepared", "Sent", "Delivered", "Refused", "Error"];
const ATTRIBUTES = { className: "class", maxEpsilon: "max-epsilon", resendDays: "resend-days" };
const WAITING = { status: "waiting", detail: null };

/**
 * Return `ref`, `status` and `detail`. Give `ref` to a `<sotto-survey>` or a `SottoSurvey`. `status` is its last event:
 * `waiting` (for the survey), `ready`, `prepared`, `sent`, `delivered`, `refused` or `error`. `detail` is that event's
 * detail, which never holds an answer. `handlers`, such as `onDelivered`, are called with the events.
 */
export function useSottoSurvey(handlers = {}) {
  const [heard, setHeard] = useState(WAITING);
  return { ref: useListeners(handlers, setHeard), ...heard };
}

export const SottoSurvey = forwardRef(function SottoSurvey({ children, ...props }, ref) {
  const attributes = {};
  const handlers = {};
  for (const [name, value] of Object.entries(props)) {
    if (EVENTS.some((event) => name === `on${event}`)) handlers[name] = value;
    else attributes[ATTRIBUTES[name] ?? name] = value;
  }
  const listen = useListeners(handlers);
  const attach = useCallback(
    (element) => {
      listen(element);
      if (typeof ref === "function") ref(element);
      else if (ref) ref.current = element;
    },
    [listen, ref],
  );
  return createElement("sotto-survey", { ...attributes, ref: attach }, children);
});

/** Return a ref that listens as soon as the element is in the page, and calls the handlers of the latest rendering. */
function useListeners(handlers, tell = ignore) {
  const latest = useRef(handlers);
  const stop = useRef(ignore);
  useEffect(() => {
    latest.current = handlers;
  });
  return useCallback(
    (element) => {
      stop.current();
      stop.current = ignore;
      if (!element) return;
      tell(WAITING);
      const hear = (event) => {
        const status = event.type.slice("sotto-".length);
        tell({ status, detail: event.detail });
        latest.current[`on${status[0].toUpperCase()}${status.slice(1)}`]?.(event);
      };
      const names = EVENTS.map((event) => `sotto-${event.toLowerCase()}`);
      for (const name of names) element.addEventListener(name, hear);
      stop.current = () => {
        for (const name of names) element.removeEventListener(name, hear);
      };
    },
    [tell],
  );
}

function ignore() {}
