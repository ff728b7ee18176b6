export namespace PINS {
    let blind: string;
    let oblivious: string;
}
