/** A SurveyJS form with a piece of everything that keeps what it makes of answers, and somebody who fills it in. */

import { Model, _setIsTouch } from "survey-core";
import { CANARY } from "./surveyjs-forms.js";

const IF = "{yes} = true and {word} notempty"; // what is after `and` is not looked at when `yes` is false
const OFF = "{yes} = true and {word} = 'never'";
const INLINE = "data:image/png;base64,aaaa";
const text = (name, members = {}) => ({ type: "text", name, ...members });

const ASKED = [
  { type: "boolean", name: "yes" },
  text("word", {
    ...{ title: "You said {word}", description: "{word}", placeholder: "{word}", requiredErrorText: "{word}" },
    validators: [
      { type: "expression", expression: IF, text: "no {word}" },
      { type: "regex", regex: "^b", text: "not {word}" },
    ],
  }),
  {
    ...{ type: "panel", name: "panel", title: "{word}", visibleIf: IF, requiredIf: OFF },
    elements: [text("inside", { visibleIf: IF, enableIf: IF, requiredIf: OFF })],
  },
  text("given", { defaultValueExpression: "iif({yes} = true, {word}, 'x')" }),
  text("set", { setValueIf: IF, setValueExpression: "iif({yes} = true, {word}, 'x')", resetValueIf: OFF }),
  text("number", { inputType: "number", minValueExpression: `iif(${IF}, 1, 2)` }),
  text("copied"),
  text("shown", { visible: false }),
  text("listed", { dataList: ["{word}"] }),
  { type: "comment", name: "long" },
  { type: "expression", name: "sum", title: "{word}", expression: "iif({yes} = true, {word} + '!', 'x')" },
  {
    ...{ type: "radiogroup", name: "fruit", title: "{word}", choicesVisibleIf: "{yes} != 0 or {word} = {item}" },
    choices: [{ value: 1, text: "apple {word}", visibleIf: "{yes} != 0 or {word} = 1", enableIf: IF }, 2],
  },
  { type: "checkbox", name: "many", title: "{fruit}", choices: ["apple", "pear"] },
  { type: "dropdown", name: "drop", placeholder: "{word}", choices: ["apple", "pear"] },
  { type: "tagbox", name: "tags", choices: ["apple", "pear"], closeOnSelect: false },
  { type: "rating", name: "rate", minRateDescription: "{word}" },
];

const LEFT_OUT = [
  { type: "html", name: "html", html: "<p>plain</p>" },
  { type: "image", name: "image", imageLink: INLINE, altText: "{word}" },
  {
    ...{ type: "matrixdynamic", name: "rows", rowCount: 1, detailPanelMode: "underRow" },
    columns: [
      { name: "cell", cellType: "text", title: "{word}", visibleIf: "{yes} != 0 or {word} = 1" },
      { name: "total", cellType: "expression", expression: "{row.cell} + {word}", totalExpression: "{word}" },
    ],
    detailElements: [text("detail", { title: "{row.cell}" })],
  },
  { type: "matrix", name: "grid", columns: ["a"], rows: ["b {word}"], rowsVisibleIf: "{yes} != 0 or {word} = {item}" },
  {
    ...{ type: "paneldynamic", name: "panels", panelCount: 2, displayMode: "tab", templateTabTitle: "{panel.name}" },
    ...{ templateTitle: "{panel.name}", templateElements: [text("name", { title: "{panel.name}" })] },
  },
  { type: "multipletext", name: "lines", items: [{ name: "line", title: "{word}" }] },
  { type: "radiogroup", name: "other", choices: ["a"], showOtherItem: true, otherText: "{word}" },
  { type: "checkbox", name: "noted", choices: ["a"], showCommentArea: true, commentText: "{word}" },
  { type: "dropdown", name: "from", choicesFromQuestion: "rows", choiceValuesFromQuestion: "cell" },
  { type: "dropdown", name: "lazy", choicesLazyLoadEnabled: true },
  { type: "tagbox", name: "lazier", choicesLazyLoadEnabled: true },
  { type: "tagbox", name: "custom", choices: ["a"], allowCustomChoices: true },
  { type: "ranking", name: "ranks", choices: ["a {word}", "b"] },
  { type: "slider", name: "slides" },
  { type: "imagepicker", name: "pictures", choices: [{ value: 1, text: "{word}", imageLink: INLINE }] },
];
const FILES = [
  { type: "file", name: "file", allowMultiple: true },
  { type: "signaturepad", name: "signature" },
];
/** One trigger of every kind; a form with them may have no file. */
const TRIGGERS = [
  { type: "setvalue", expression: IF, setToName: "told", setValue: "did", isVariable: true },
  { type: "setvalue", expression: IF, setToName: "inside", setValue: "x" },
  { type: "copyvalue", expression: IF, fromName: "word", setToName: "copied" },
  { type: "runexpression", expression: IF, runExpression: "iif({yes} = true, {word} + '#', 'x')", setToName: "made" },
  { type: "runexpression", expression: IF, runExpression: "{word} + '#'" },
  { type: "visible", expression: IF, questions: ["shown"] },
  { type: "skip", expression: OFF, gotoName: "shown" },
  { type: "complete", expression: OFF },
];

/** Return a form of two pages with everything, with triggers or with files, and the names of what no survey asks. */
export function everything({ hasFiles = false, ...members } = {}) {
  const made = { calculatedValues: [{ name: "twice", expression: "{word} + {word}", includeIntoResult: true }] };
  const model = new Model({
    ...{
      title: "About {word}",
      description: "{word}",
      ...members,
      ...(hasFiles ? {} : { ...made, triggers: TRIGGERS }),
    },
    completedHtmlOnCondition: [{ expression: OFF, html: "<p>never</p>" }],
    pages: [
      { name: "first", title: "{word}", visibleIf: "{yes} != 0 or {word} = 1", elements: ASKED },
      {
        name: "second",
        title: "{word}",
        navigationTitle: "{word}",
        elements: [...LEFT_OUT, ...(hasFiles ? FILES : [])],
      },
    ],
  });
  model.onGetChoiceDisplayValue.add((_, { values, setItems }) => setItems(values.map((value) => `${value}, shown`)));
  const asks = (element) => !["html", "image", "expression"].includes(element.getType());
  return {
    model,
    leaveOut: model
      .getAllQuestions()
      .filter(asks)
      .map((element) => element.name),
  };
}

/** Fill a form in several times over, as respondents do; at last with `fruit` 1 or 2 for every question with choices. */
export function fillIn(model, fruit = 1) {
  for (const round of [1, 2, 3]) {
    model.mergeData({ ...valuesOf(round), yes: round % 2 === 0 });
    model.setValue("word", `${CANARY}w${round}`);
    model.setValue("yes", true);
    look(model);
    useControls(model, round === 3 ? fruit : 1);
    model.getAllQuestions().forEach((element) => element.validate(true));
    look(model);
  }
  model.validationEnabled = false;
}

function valuesOf(round) {
  const said = `${CANARY}${round}`;
  return {
    ...{
      word: said,
      inside: said,
      long: said,
      listed: said,
      shared: said,
      unknown: said,
      rate: 3,
      custom: ["a", said],
    },
    ...{ rows: [{ cell: said, detail: said }], grid: { "b {word}": "a" }, panels: [{ name: said }, { name: "x" }] },
    ...{ lines: { line: said }, other: "other", "other-Comment": said, noted: ["a"], "noted-Comment": said },
    ...{
      lazy: said,
      lazier: [said],
      ranks: ["b", "a {word}"],
      slides: 30,
      pictures: 1,
      signature: `data:image/png;base64,${said}`,
    },
    file: [{ name: `${said}.png`, type: "image/png", content: `data:image/png;base64,${said}` }],
  };
}

/** Do by the elements' own controls what values alone do not. */
function useControls(model, fruit) {
  const [choice, named] = [fruit - 1, (name) => model.getQuestionByName(name)];
  named("fruit").value = fruit;
  for (const name of ["many", "drop", "tags"]) named(name).value = undefined;
  named("many").clickItemHandler(named("many").visibleChoices[choice], true);
  for (const name of ["drop", "tags"]) {
    const { dropdownListModel } = named(name);
    dropdownListModel.inputStringRendered = CANARY;
    dropdownListModel.inputStringRendered = "";
    dropdownListModel.listModel.onItemClick(dropdownListModel.listModel.actions[choice]);
    dropdownListModel.inputStringRendered = `${CANARY} typed`;
  }
  _setIsTouch(true); // there a list can be left without a choice, so it remembers the one before
  for (const isVisible of [false, true]) named("tags").dropdownListModel.popupModel.isVisible = isVisible;
  _setIsTouch(false);
  named("rate").setValueFromClick(String(fruit + 1));
  named("rate").onItemMouseIn(named("rate").renderedRateItems[fruit]); // where the mouse stays
  const { dropdownListModel: custom } = named("custom");
  custom.inputStringRendered = `${CANARY} custom`;
  custom.listModel.onItemClick(custom.listModel.actions.find((action) => action.id === "newCustomItem"));
  named("other").otherValue = `${CANARY} other`;
  named("rows").addRow();
  named("rows").visibleRows[1].cells[0].value = `${CANARY} row`;
  named("panels").addPanel();
  named("panels").panels.at(-1).questions[0].value = `${CANARY} panel`;
  model.setVariable("told too", CANARY);
  model.setComment("fruit", CANARY);
}

/** Ask for every text, as a renderer does. */
function look(model) {
  const elements = [model, ...model.pages, ...model.getAllPanels(), ...model.getAllQuestions(false, false, true)];
  for (const element of elements) {
    const items = ["visibleChoices", "visibleRows", "columns", "items", "errors"].flatMap(
      (name) => element[name] ?? [],
    );
    for (const part of [element, ...items]) {
      Object.values(part.localizableStrings ?? {}).forEach((shown) => shown.renderedHtml);
      part.locText?.renderedHtml;
    }
    element.processedTitle;
    element.selectedItems;
    element.renderedTable;
  }
}
