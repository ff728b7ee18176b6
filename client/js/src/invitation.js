/** Invitations: 16 random bytes each, written as 26 characters of a-z and 2-7 (base32, lower case, no padding). */

/**
 * Return an invitation as it is written; upper case, dashes and white space are overlooked, for people who type it.
 *
 * The last of 26 characters has three bits of the code and two zeros: so it is a, e, i, .. or 4. Throws RangeError,
 * which quotes nothing.
 * @param {unknown} text @returns {string}
 */
export function parseInvitation(text) {
  const letters = typeof text === "string" && text.length <= 200 ? text.replace(/-|(?!\ufeff)\s/g, "") : "";
  if (!/^[a-z2-7]{25}[aeimquy4]$/i.test(letters)) {
    throw new RangeError("invitation must be 26 letters a to z and digits 2 to 7.");
  }
  return letters.toLowerCase();
}
