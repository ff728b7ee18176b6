export class ReceiptView {
    /**
     * @param {Translate} t @param {{client: SurveyClient, survey: Survey}} asked
     * @param {string} receipt @param {(t: Translate) => string} title @param {(fate: Fate, code: string) => void} onFate once for each
     */
    constructor(t: Translate, { client, survey }: {
        client: SurveyClient;
        survey: Survey;
    }, receipt: string, title: (t: Translate) => string, onFate: (fate: Fate, code: string) => void);
    element: HTMLElement;
    /** Say all of it in these words. */
    translate(t: Translate): void;
    /** Show it, and from then on what becomes of the report. */
    open(): Promise<void>;
    close(): void;
    #private;
}
export type Translate = import("../form/words.js").Translate;
export type Survey = import("../src/survey.js").Survey;
export type SurveyClient = import("../src/client.js").SurveyClient;
export type Fate = "waiting" | "delivered" | "forgotten" | "refused" | "erased";
