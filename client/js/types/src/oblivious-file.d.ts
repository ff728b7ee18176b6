export namespace file {
    function load(): Promise<import("./way.js").Oblivious>;
}
