/** Have the browser ask before the page is left, from now on or, for this holder, no more. @param {unknown} holder */
export function holdPage(holder: unknown, isHeld?: boolean): void;
