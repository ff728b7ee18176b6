/** A number, of `span` steps; its outputs stand for levels, which are evenly spaced from the least number to the greatest. */
export class LevelResponse extends NumberResponse {
    /** @type {number} */
    span: number;
    /** @type {number} */
    levels: number;
    /**
     * Return the level below or above a number, so that their mean is the number, exactly; by coins that say nothing of it.
     * @param {any} answer in steps @param {import("./coins.js").Coins} coins
     */
    settle(answer: any, coins: import("./coins.js").Coins): Promise<number>;
    /** @param {number} _output @returns {number[]} the first and the last level that it stands for */
    endsOf(_output: number): number[];
    /** @param {Uint8Array} report @returns {any} the output, and from which number to which it speaks for, in steps */
    said(report: Uint8Array): any;
}
import { NumberResponse } from "./sets.js";
