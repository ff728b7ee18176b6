/**
 * A SurveyJS form without answers again, once they are sent.
 *
 * survey-core keeps what it makes of answers, and some of it for longer than the answers: texts that have one in them,
 * the values that expressions were last run with, the choice that was last selected. It has no call that drops all of
 * that, so whatever the model leads to is looked through.
 */

/** @typedef {import("survey-core").SurveyModel} Model */

/** Members, of whatever has them, that survey-core makes anew when it needs them. */
const MADE = [
  "cachedValueForUrlRequests",
  "defaultSelectedItemValues",
  "lastSelectedItemValue",
  "prevLoadedPreviewValue",
  "prevOtherErrorValue",
  "previousValue",
  "selectedItemValues",
  "triggerKeys",
];

/**
 * Take the answers out of a model, and all that was made of them.
 * @param {Model} model @param {ReadonlyMap<string, unknown>} variables what its variables are to be; others become null
 */
export function emptyForm(model, variables) {
  for (const _ of [1, 2]) model.data = null; // a dynamic panel that was added to brings its values back once
  for (const name of model.getVariableNames()) model.setVariable(name, variables.get(name) ?? null);
  for (const element of model.getAllQuestions(false, false, true)) forgetAnswer(element);
  for (const part of reachable(model)) forgetMade(part);
}

/** @param {any} element */
function forgetAnswer(element) {
  element.clearErrors();
  if (element.getType() === "file") element.pages = element.renderedPages = []; // its previews
  if (element.customChoices?.length) element.customChoices = [];
  if (element.itemDisplayNameMap) element.itemDisplayNameMap = {};
  for (const rate of element.renderedRateItems ?? []) rate.highlight = "none";
  if (element.dropdownListModelValue) forgetSearch(element.dropdownListModelValue);
}

/** @param {any} dropdown */
function forgetSearch(dropdown) {
  const { listModel } = dropdown;
  dropdown.clear();
  listModel.filterString = "";
  listModel.selectedItem = listModel.focusedItem = undefined;
  listModel.setSelectedItems?.([]);
}

/** @param {any} part of what a model leads to */
function forgetMade(part) {
  if (typeof part.strChanged === "function") part.strChanged(); // a text: it is written anew
  if (typeof part.getType !== "function") return; // not survey-core's
  for (const name of MADE) if (part[name]) part[name] = undefined;
  if (part.getType() === "variable") part.valueInfo = {}; // in an expression
}

/**
 * Return every object that a model leads to by its members; a page's document is left alone.
 * @param {object} model @returns {Set<any>}
 */
function reachable(model) {
  /** @type {Set<any>} */
  const found = new Set([model]);
  for (const part of found) {
    for (const member of membersOf(part)) {
      if (typeof member === "object" && member !== null && !("nodeType" in member) && member !== globalThis) {
        found.add(member);
      }
    }
  }
  return found;
}

/** @param {any} part @returns {unknown[]} */
function membersOf(part) {
  if (part instanceof Map) return [...part.values()];
  if (part instanceof Set) return [...part];
  const members = Reflect.ownKeys(part).map((name) => Object.getOwnPropertyDescriptor(part, name));
  return members.map((member) => member?.value); // no getter runs
}
