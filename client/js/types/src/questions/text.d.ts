export namespace text {
    export function options(): never[];
    export function skip(fields: import("../documents.js").Fields): any;
    export function encode(given: any): string | null;
    export { expectedOf as expected };
    export function said(said: any): any;
}
import { expectedOf } from "../text.js";
