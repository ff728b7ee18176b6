/** The element's look: of a page's own font, in colours that a page may set; contrasts hold in light and dark. */

const COLOURS = ["ink", "quiet", "sheet", "line", "edge", "accent", "on-accent", "tint", "error"];
const LIGHT = schemeOf("light", "1f262b 545f67 fff ddd8cf 7d8588 0b5c63 fff e7f0ef a1201c");
const DARK = schemeOf("dark", "e9e6df aab4b9 1a2024 333c41 7d878c 83cbc8 0c1719 1c2b2d ff9b8d");

/** What stands for each colour, unless the page sets it: such as --_ink for --sotto-ink. */
function schemeOf(/** @type {string} */ name, /** @type {string} */ values) {
  const set = values.split(" ").map((value, at) => `--_${COLOURS[at]}: var(--sotto-${COLOURS[at]}, #${value});`);
  return `${set.join("")} color-scheme: ${name};`;
}

const STYLE = `
:host { display: block; ${LIGHT} }
:host([hidden]) { display: none; }
@media (prefers-color-scheme: dark) { :host { ${DARK} } }
:host([theme="light"]) { ${LIGHT} }
:host([theme="dark"]) { ${DARK} }
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
.survey {
padding: var(--sotto-padding, clamp(1rem, 4vw, 1.6rem)); border-radius: var(--sotto-radius, .8rem); background:
var(--_sheet); color: var(--_ink); line-height: 1.5; overflow-wrap: break-word; text-align: start; }
h2, h3, h4, p, ul, ol, dl, dd, pre, fieldset, details { margin: 0 0 .75em; padding: 0; border: 0; }
fieldset, .choice span { min-width: 0; }
legend { float: left; width: 100%; padding: 0; }
legend + * { clear: both; }
h2 { font-size: 1.5em; line-height: 1.25; }
h3 { font-size: 1.15em; line-height: 1.35; }
h4 { margin-bottom: .35em; font-size: 1em; }
.title, [tabindex="-1"] { outline: none; }
:focus-visible { outline: 3px solid var(--_accent); outline-offset: 2px; }
.hint, .small, .number, .progress, .comfort, dt { color: var(--_quiet); font-size: .92em; }
.number { display: block; font-weight: 400; }
.question { margin: 0 0 1.25em; padding: 1em 0 0; border-top: 1px solid var(--_line); }
.question.wrong { padding-inline-start: .8em; border-inline-start: 4px solid var(--_error); }
.question h3 { margin-bottom: .4em; }
.error { color: var(--_error); font-weight: 600; }
.error:empty { display: none; }
.alert:not(:empty), .problems {
margin: 0 0 1.25em; padding: .8em 1em; border: 2px solid var(--_error); border-radius: .5rem; }
.alert > :last-child, .problems > :last-child { margin-bottom: 0; }
.alert strong, .problems-title { display: block; color: var(--_error); font-weight: 600; }
.about { list-style: none; }
ol, .problems ul { padding-inline-start: 1.4em; }
a { color: var(--_error); }
summary { padding: .35em 0; color: var(--_accent); cursor: pointer; }
.noise { font-size: .92em; }
figure { display: flex; gap: 1em; align-items: center; margin: 0 0 .75em; }
.marks { flex: none; width: 7em; }
.marks path { fill: none; stroke: currentColor; stroke-width: 3; stroke-linecap: round; stroke-dasharray: 0 10; }
.marks path + path { color: var(--_accent); stroke-width: 8; }
[dir="rtl"] .marks { transform: scaleX(-1); }
.choices { display: grid; grid-template-columns: minmax(0, 1fr); gap: .5em; }
.choice {
display: flex; gap: .75em; align-items: flex-start; min-height: 2.9em; padding: .6em .9em; border: 1px solid
var(--_edge); border-radius: var(--sotto-radius, .6rem); cursor: pointer; }
@media (min-width: 40rem) {
.scale { display: flex; flex-wrap: wrap; }
.scale .choice { flex: 1; display: grid; justify-items: center; text-align: center; } }
.choice:hover { border-color: var(--_accent); }
.choice input { flex: none; width: 1.2em; height: 1.2em; margin: .15em 0 0; accent-color: var(--_accent); }
input[type="text"], input[type="search"], select {
width: 100%; min-height: 2.9em; padding: .5em .8em; border: 1px solid var(--_edge); border-radius:
var(--sotto-radius, .6rem); background: var(--_sheet); color: inherit; font: inherit; }
[aria-invalid="true"] { border: 2px solid var(--_error) !important; }
.measured, .chooser { display: flex; gap: .6em; align-items: center; }
.measured { max-width: 22em; }
.chooser { justify-content: flex-end; }
select { contain: paint; }
.search { margin: 0 0 .6em; }
.chooser select { width: auto; }
button {
min-height: 2.9em; padding: .5em 1.3em; border: 1px solid var(--_accent); border-radius: var(--sotto-radius, .6rem);
background: transparent; color: var(--_accent); font: inherit; font-weight: 600; cursor: pointer; }
button.primary { background: var(--_accent); color: var(--_on-accent); }
button:hover { text-decoration: underline; }
.actions { display: flex; flex-wrap: wrap; gap: .75em 1em; align-items: center; margin: 1em 0; }
dd, .actions p { margin: 0; }
.row { padding: .8em 0; border-top: 1px solid var(--_line); }
dl { display: flex; flex-wrap: wrap; gap: .5em 1em; margin: 0; }
dl > div { flex: 1 1 14em; min-width: 0; overflow-wrap: anywhere; }
dl > div:last-child { padding: 0 .7em; border-radius: .4rem; background: var(--_tint); }
.comfort { margin: .5em 0 0; }
.notice, pre, .slip { padding: .8em 1em; border-radius: .5rem; background: var(--_tint); }
pre, code { font-family: ui-monospace, monospace; font-size: .9em; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.slip { margin: 0 0 1em; background: transparent; border: 1px dashed var(--_edge); }
.slip code { overflow-wrap: anywhere; user-select: all; }
@media print { .actions { display: none; } }
`;

/** @type {CSSStyleSheet | null} */
let sheet = null;

/**
 * Give a shadow root the element's style, by a sheet that all elements share: no inline style, which pages' policies
 * forbid. Safari before 16.4 makes no such sheets, and takes an inline one, if the page's policy lets it.
 * @param {ShadowRoot} root
 */
export function adoptStyle(root) {
  if ("adoptedStyleSheets" in root) {
    if (sheet === null) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(STYLE);
    }
    root.adoptedStyleSheets = [sheet];
    return;
  }
  const style = document.createElement("style");
  style.textContent = STYLE;
  /** @type {ShadowRoot} */ (root).append(style);
}
