/** @param {string | import("../kept/storage.js").Storage | undefined} state */
export function nameOfState(state: string | import("../kept/storage.js").Storage | undefined): string;
/**
 * As of a page, but `state`: the path of a folder, ":memory:", or a storage of the program's own.
 * @typedef {Omit<import("../src/options.js").Options, "state"> & {state?: string | import("../kept/storage.js").Storage}} Options
 */
/** @template {object} [Given=import("../src/client.js").Answers] @extends {Client<Given>} */
export class SurveyClient<Given extends object = import("../src/client.js").Answers> extends Client<Given> {
    /** @param {string} url @param {string} surveyId @param {Options} [options] */
    constructor(url: string, surveyId: string, { state, ...options }?: Options);
}
/**
 * As of a page, but `state`: the path of a folder, ":memory:", or a storage of the program's own.
 */
export type Options = Omit<import("../src/options.js").Options, "state"> & {
    state?: string | import("../kept/storage.js").Storage;
};
import { SurveyClient as Client } from "../src/client.js";
