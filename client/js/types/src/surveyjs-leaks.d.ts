/**
 * @typedef {object} Place where a text stands in a form
 * @property {string} owner the nearest thing that has a name: an element, a page, or the form
 * @property {string} path where it is in its owner
 * @property {string} member the member that it is, or is a language of
 * @property {boolean} isHidden whether answers decide if it is shown
 */
/**
 * Return what in a form gives answers away, a line for each.
 * @param {any} form as JSON @param {boolean} hasMarkdown whether the page makes HTML of texts @returns {string[]}
 */
export function findLeaks(form: any, hasMarkdown?: boolean): string[];
/**
 * where a text stands in a form
 */
export type Place = {
    /**
     * the nearest thing that has a name: an element, a page, or the form
     */
    owner: string;
    /**
     * where it is in its owner
     */
    path: string;
    /**
     * the member that it is, or is a language of
     */
    member: string;
    /**
     * whether answers decide if it is shown
     */
    isHidden: boolean;
};
