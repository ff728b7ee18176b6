export namespace anyOf {
    export function options(fields: import("../documents.js").Fields): readonly string[];
    export { refuseSkip as skip };
    export function encode(given: any, question: import("../survey.js").Item): Uint8Array | null;
    export function expected(_: unknown, question: import("../survey.js").Item): string;
    export function said(said: any, question: import("../survey.js").Item): string[] | {
        asked: any;
        yes: any;
    };
}
import { refuseSkip } from "./members.js";
