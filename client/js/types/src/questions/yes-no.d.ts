export namespace yesNo {
    export function options(): never[];
    export { refuseSkip as skip };
    export function encode(given: any): number | null;
    export function expected(): string;
    export function said(values: any): boolean;
}
import { refuseSkip } from "./members.js";
