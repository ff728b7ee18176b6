export namespace INTEGRITY {
    let de: string;
    let fr: string;
    let es: string;
    let pt: string;
    let ar: string;
    let hi: string;
    let zh: string;
    let it: string;
    let nl: string;
    let pl: string;
    let tr: string;
    let uk: string;
}
