export namespace file {
    function load(name: "blind" | "oblivious"): Promise<any>;
}
