/**
 * Return the invitation behind the # of the page's address, or an empty text. It leaves the address, so that no photo,
 * bookmark or shared address has it. An address that has anything else there is left alone.
 */
export function takeFromAddress(): string;
/** @param {string} text */
export function isInvitation(text: string): boolean;
/**
 * Ask the collector whether an invitation can be used, which spends nothing. Who cannot ask now goes on as if it could:
 * the report tells.
 * @param {string} url of the survey @param {string} invitation @param {number} wave @returns {Promise<boolean>}
 */
export function isUsable(url: string, invitation: string, wave: number): Promise<boolean>;
