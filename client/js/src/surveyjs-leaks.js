/**
 * What in a SurveyJS form would give answers away while it is filled in, or by the address that it leads to.
 *
 * survey-core writes an answer wherever a text has its question's name in braces, and shows much only where answers say
 * so. Both tell answers to whoever is asked for what a browser fetches. So braces are for what is known to be plain text
 * or an expression; everything else is taken for an address. `sotto survey import` finds the same
 * (sotto_author/forms/surveyjs_leaks.py).
 */

/** Members that are shown as text, by language: as HTML where `onTextMarkdown` is used. */
const TEXT =
  /([tT]ext|[tT]itle|[dD]escription|[pP]laceholder|[fF]ormat|Template|ReadOnly)$|^(label|labelTrue|labelFalse|keyDuplicationError|defaultDisplayValue|cellHint|dataList|cells)$/;
/** Lists whose items may be texts. */
const LIST = /^(choices|rows|columns|rateValues|customLabels)$/;
/** Members that are names, expressions, values, or patterns of texts. */
const NOT_SHOWN =
  /(Expression|If|Value)$|^(name|expression|value|valueTrue|valueFalse|correctAnswer|min|max|regex|pattern)$/;
const HTML = /Html$|^(html|content)$/;
const ADDRESS = /^(imageLink|backgroundImage|logo|url)$/;
const PIPED = /\{[^{}:]+\}/; // {a:b} stands for itself

/** Members that let answers decide what of an element is shown. */
const HIDING = /([vV]isibleIf|^choicesFromQuestion)$/;
const HIDING_TRIGGER = /^(complete|skip|visible)(trigger)?$/;
const CONTENT = /^(pages|elements|questions)$/;
const MADE_LATER = /^(templateElements|detailElements)$/; // for every panel or row that is added
/** HTML that fetches nothing: texts, images that are there already, and links, which a browser follows on a click. */
const HARMLESS_TAG =
  /<\/?(a|abbr|b|blockquote|br|code|dd|div|dl|dt|em|h[1-6]|hr|i|img|li|mark|ol|p|pre|s|small|span|strong|sub|sup|u|ul)(\s+(src="data:[^"<>]*"|src='data:[^'<>]*'|(alt|class|dir|height|href|id|lang|rel|role|target|title|width|aria-[a-z]+)(="[^"<>]*"|='[^'<>]*'|=[^\s"'<>=]+)?))*\s*\/?>/gi;

/** Elements that fetch their own value where it is an address, and what would let a form choose that value. */
const FETCHES_VALUE = /^(file|signaturepad)$/;
const GIVES_VALUE = ["defaultValue", "defaultValueExpression", "setValueExpression", "valueName"];

/**
 * @typedef {object} Place where a text stands in a form
 * @property {string} owner the nearest thing that has a name: an element, a page, or the form
 * @property {string} path where it is in its owner
 * @property {string} member the member that it is, or is a language of
 * @property {boolean} isHidden whether answers decide if it is shown
 */

/**
 * Return what in a form gives answers away, a line for each.
 * @param {any} form as JSON @param {boolean} hasMarkdown whether the page makes HTML of texts @returns {string[]}
 */
export function findLeaks(form, hasMarkdown = false) {
  const found = new Set([...chosenAddresses(form), ...namesInMenu(form)]);
  for (const [text, place] of texts(form, { owner: "the form", path: "", member: "", isHidden: false })) {
    const isText = TEXT.test(place.member) || LIST.test(place.member);
    const isHtml = HTML.test(place.member) || (isText && hasMarkdown);
    const piped = PIPED.exec(text);
    const what = `${place.path} of ${place.owner}`;
    if (NOT_SHOWN.test(place.member) || (isText && !isHtml)) continue;
    if (piped) {
      found.add(
        `${what} must not have ${piped[0]} in it: ${isHtml ? "HTML" : "an address"} could give the answer away`,
      );
    } else if (place.isHidden && (isHtml ? isFetching(text, hasMarkdown) : isAddress(text, place.member))) {
      found.add(`${what} fetches only where answers say so: show it to everybody, or write what it fetches as data:`);
    }
  }
  return [...found];
}

/** @param {string} html @param {boolean} isMarkdown @returns {boolean} */
function isFetching(html, isMarkdown) {
  return html.replace(HARMLESS_TAG, "").includes("<") || (isMarkdown && html.includes("!["));
}

/** @param {string} text @param {string} member @returns {boolean} whether it is fetched, and not the content itself */
function isAddress(text, member) {
  return ADDRESS.test(member) ? text !== "" && !/^data:/i.test(text) : text.includes("//");
}

/**
 * Yield every text in a part of a form, and where it is.
 * @param {any} part @param {Place} place @returns {Generator<[string, Place]>}
 */
function* texts(part, place) {
  if (typeof part === "string") yield [part, place];
  else if (Array.isArray(part)) {
    for (const [index, each] of part.entries()) yield* texts(each, { ...place, path: `${place.path}[${index}]` });
  } else if (part !== null && typeof part === "object") {
    for (const [name, member] of Object.entries(part)) yield* texts(member, within(part, name, place));
  }
}

/** @param {any} part @param {string} name of a member of it @param {Place} place of the part @returns {Place} the member's */
function within(part, name, place) {
  const isOwner = typeof part.name === "string" && part.name !== "";
  const isPassed = items(part.triggers).some((each) => HIDING_TRIGGER.test(each?.type)) && CONTENT.test(name);
  const isMadeLater = MADE_LATER.test(name) || (name === "elements" && place.member === "choices");
  const hides = Object.keys(part).some((each) => HIDING.test(each) && part[each]);
  return {
    owner: isOwner ? `"${part.name}"` : place.owner,
    path: isOwner || place.path === "" ? name : `${place.path}.${name}`,
    member: [TEXT, HTML, ADDRESS, NOT_SHOWN].some((kind) => kind.test(place.member)) ? place.member : name,
    isHidden: place.isHidden || isPassed || isMadeLater || hides,
  };
}

/** @param {any} form @returns {Generator<string>} what lets answers choose among addresses, or make one */
function* chosenAddresses(form) {
  const parts = [...objects(form)];
  const setting = items(form.triggers).some((each) => each?.setToName) ? ["setToName of a trigger"] : [];
  const made = parts.some((each) => each.includeIntoResult) ? ["includeIntoResult"] : [];
  for (const part of parts) {
    if (part.type === "imagepicker" && part.choicesFromQuestion) {
      yield `choicesFromQuestion of "${part.name}" fetches only the images that answers say: list its choices`;
    }
    const type = [part.type, part.cellType].find((each) => FETCHES_VALUE.test(each));
    if (type === undefined) continue;
    const around = parts.filter((each) => [...objects(each)].includes(part));
    const own = GIVES_VALUE.filter((name) => around.some((each) => each[name] !== undefined));
    const isNamesake = parts.some((each) => each !== part && [each.name, each.valueName].includes(part.name));
    const given = [...own, ...(isNamesake ? ["another of its name"] : []), ...setting, ...made];
    if (given.length)
      yield `"${part.name}" (${type}) fetches what it holds, so the form must not have ${given.join(", ")}`;
  }
}

/** @param {any} form @returns {Generator<string>} titles that survey-core makes HTML of: those by which a menu leads to pages */
function* namesInMenu(form) {
  if (!form.showTOC && (!form.showProgressBar || form.showProgressBar === "off")) return;
  for (const part of objects(form)) {
    if (!Array.isArray(part.elements) || part.navigationTitle) continue;
    const piped = PIPED.exec(JSON.stringify(part.title ?? ""));
    if (piped)
      yield `title of "${part.name}" must not have ${piped[0]} in it while it is in a menu: have a navigationTitle`;
  }
}

/** @param {any} part @returns {Generator<any>} every object in a part of a form */
function* objects(part) {
  if (part === null || typeof part !== "object") return;
  if (!Array.isArray(part)) yield part;
  for (const member of Object.values(part)) yield* objects(member);
}

/** @param {unknown} list @returns {any[]} */
function items(list) {
  return Array.isArray(list) ? list : [];
}
