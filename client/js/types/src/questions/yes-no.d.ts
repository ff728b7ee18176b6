export namespace yesNo {
    function options(): never[];
    function skip(fields: import("../documents.js").Fields): boolean;
    function encode(given: any): number | null;
    function expected(): string;
    function said(values: any): boolean;
}
