export namespace file {
    function load(): Promise<{
        ask: () => Promise<never>;
    }>;
}
