/**
 * Give a shadow root the element's style, by a sheet that all elements share: no inline style, which pages' policies
 * forbid. Safari before 16.4 makes no such sheets, and takes an inline one, if the page's policy lets it.
 * @param {ShadowRoot} root
 */
export function adoptStyle(root: ShadowRoot): void;
