/** What in a SurveyJS form would give answers away, with the real survey-core. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ComponentCollection, Model, Serializer, settings } from "survey-core";
import { attachSurvey } from "../surveyjs.js";
import { findLeaks } from "../src/surveyjs-leaks.js";
import { CANARY, VECTORS, findText, lunch, recorder } from "./surveyjs-forms.js";

const problemsOf = (model, leaveOut = []) =>
  attachSurvey(model, recorder(), { leaveOut }).then(
    () => [],
    (fault) => fault.problems,
  );

for (const { what, form, leaks } of VECTORS.leaks) {
  test(`what gives answers away is found by place and member: ${what}`, () => {
    assert.deepEqual(findLeaks(new Model(form).toJSON()).sort(), leaks.sort());
  });
}

test("no address and no HTML that survey-core makes of a form that is taken has an answer in it", () => {
  const { form } = VECTORS.leaks.find(({ leaks }) => leaks.length === 0);
  const model = new Model(form);
  model.setValue("word", `<${CANARY}>`);
  const texts = textsOf(model).filter((text) => text.owner && (text.renderedHtml ?? "") !== "");
  const html = texts
    .filter((text) => text.hasHtml || /html|content/i.test(text.name ?? ""))
    .map((text) => text.renderedHtml);
  const addresses = texts.filter((text) => /link|logo|url/i.test(text.name ?? "")).map((text) => text.renderedHtml);
  assert.ok(findText(model, CANARY).length > 10 && html.length > 2 && addresses.length > 2);
  assert.deepEqual([findText(html, CANARY), findText(addresses, CANARY)], [[], []]);
});

/** Return every text that is in a form, in any language, as survey-core has it. */
function textsOf(model) {
  const paths = findText(model, "").map((path) => path.split(".").slice(0, -1));
  const owners = paths.map((path) => path.reduce((part, name) => part?.[name], model));
  return [...new Set(owners.filter((owner) => typeof owner?.strChanged === "function"))];
}

test("of all that survey-core takes braces in, these and no other members are plain text", () => {
  const members = classes().flatMap((name) => Serializer.getProperties(name));
  const texts = members.filter((member) => member.serializationProperty || member.isLocalizable);
  const isTaken = ({ name }) => findLeaks({ elements: [{ name: "q", [name]: "{a}" }] }).length === 0;
  const taken = new Set(texts.filter(isTaken).map(({ name }) => name));
  const refused = new Set(texts.filter((member) => !isTaken(member)).map(({ name }) => name));
  assert.deepEqual([...taken].sort(), PLAIN.split(" "));
  assert.deepEqual(
    [...refused].sort(),
    "bindings completedBeforeHtml completedHtml content html imageLink loadingHtml logo url".split(" "),
  );
});

/** What an author may use an answer in: look at what survey-core does with a member before it is added here. */
const PLAIN =
  "addPanelText addRowText altText cellHint cells commentPlaceholder commentText completeText confirmDeleteText " +
  "createCustomChoiceText dataList defaultDisplayValue description dontKnowText editText fileOrPhotoPlaceholder " +
  "filePlaceholder format keyDuplicationError label labelFalse labelTrue maxErrorText maxRateDescription minErrorText " +
  "minRateDescription navigationDescription navigationTitle nextPanelText noEntriesText noRowsText noneText " +
  "otherErrorText otherPlaceholder otherText pageNextText pagePrevText photoPlaceholder placeholder " +
  "placeholderReadOnly prevPanelText previewText questionTitleTemplate refuseText removePanelText removeRowText requiredErrorText " +
  "selectAllText selectToRankEmptyRankedAreaText selectToRankEmptyUnrankedAreaText singleInputTitleTemplate " +
  "startSurveyText stepErrorText tabTitlePlaceholder templateDescription templateTabTitle templateTitle text title " +
  "totalFormat totalText";

/** Return the names of survey-core's classes that a form is made of. */
function classes() {
  const roots =
    "survey page panel question itemvalue matrixdropdowncolumn multipletextitem surveyvalidator trigger expressionitem " +
    "calculatedvalue masksettings choicesByUrl";
  return roots.split(" ").flatMap((root) => [root, ...Serializer.getChildrenClasses(root).map(({ name }) => name)]);
}

test("a member that nobody knows is taken for an address", () => {
  const widget = { type: "acme", name: "a", widget: { source: ["x", "{word}"] }, help: "https://a.example" };
  const written = 'widget.source[1] of "a" must not have {word} in it: an address could give the answer away';
  assert.deepEqual(findLeaks({ elements: [widget] }), [written]);
  const [, hidden] = findLeaks({ elements: [{ ...widget, visibleIf: "{word} = 1" }] });
  assert.match(hidden, /^help of "a" fetches only where answers say so/);
});

test("where a page makes HTML of texts, no text may have an answer in it, or fetch where answers say so", async () => {
  const elements = [
    { type: "panel", name: "p", title: "About {place}" },
    { type: "panel", name: "more", visibleIf: "{place} = 1", title: "<b>more</b>", description: "![](a.png)" },
  ];
  assert.deepEqual(await problemsOf(lunch({}, {}, elements)), []);
  const model = lunch({}, {}, elements);
  model.onTextMarkdown.add(() => {});
  assert.deepEqual(
    (await problemsOf(model)).map((problem) => problem.replace(/[:{].*/, "")),
    ['title of "p" must not have ', 'description of "more" fetches only where answers say so'],
  );
});

test("elements of a page's own types are looked into, wherever they are", async (t) => {
  const html = { type: "html", name: "inner", html: "<img src='/{composite.word}'>" };
  ComponentCollection.Instance.add({ name: "pair", elementsJSON: [{ type: "text", name: "word" }, html] });
  ComponentCollection.Instance.add({
    name: "town",
    questionJSON: { type: "dropdown", choicesByUrl: { url: "/{place}" } },
  });
  t.after(() => ComponentCollection.Instance.clear());
  const ofPair = 'html of "inner" must not have {composite.word} in it: HTML could give the answer away';
  const ofTown = 'choicesByUrl.url of "own" must not have {place} in it: an address could give the answer away';
  for (const [element, expected] of [
    [{ type: "pair", name: "own" }, ofPair],
    [{ type: "town", name: "own" }, ofTown],
    [{ type: "paneldynamic", name: "many", templateElements: [{ type: "pair", name: "own" }] }, ofPair],
    [{ type: "matrixdynamic", name: "many", columns: [{ name: "own", cellType: "town" }] }, ofTown],
    [{ type: "matrixdynamic", name: "many", detailElements: [{ type: "town", name: "own" }] }, ofTown],
    [{ type: "radiogroup", name: "many", choices: [{ value: 1, elements: [{ type: "pair", name: "own" }] }] }, ofPair],
  ]) {
    const problems = await problemsOf(lunch({}, {}, [element]), [element.name]);
    assert.ok(problems.includes(expected), `${JSON.stringify(element)}: ${problems}`);
  }
});

test("a page that uses other braces is refused, for nobody knows what they stand for", async (t) => {
  t.after(() => (settings.expressionVariableDelimiters = { start: "{", end: "}" }));
  settings.expressionVariableDelimiters = { start: "[[", end: "]]" };
  assert.match(String(await problemsOf(lunch())), /expressionVariableDelimiters must be \{ and \}/);
});
