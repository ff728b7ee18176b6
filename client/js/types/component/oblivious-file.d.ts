export namespace file {
    function load(): Promise<import("../src/way.js").Oblivious>;
}
