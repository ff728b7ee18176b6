export namespace oneOf {
    export function options(fields: import("../documents.js").Fields): readonly string[];
    export function skip(fields: import("../documents.js").Fields, { options }: import("../survey.js").Item): string;
    export function encode(given: any, { options }: import("../survey.js").Item): number | null;
    export function expected(_: unknown, { options }: import("../survey.js").Item): string;
    export { textsOf as said };
}
import { textsOf } from "./members.js";
