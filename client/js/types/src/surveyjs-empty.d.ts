/**
 * Take the answers out of a model, and all that was made of them.
 * @param {Model} model @param {ReadonlyMap<string, unknown>} variables what its variables are to be; others become null
 */
export function emptyForm(model: Model, variables: ReadonlyMap<string, unknown>): void;
export type Model = import("survey-core").SurveyModel;
