// The invitation that comes in the address, behind its #: browsers send that part to nobody.

/**
 * Return the invitation in the address, or an empty text. It leaves the address bar, so that no photo, bookmark or shared
 * address has it; the tab's history keeps it, so that it outlives a reload.
 */
export function takeInvitation() {
  const given = decode(location.hash.slice(1));
  if (given) history.replaceState({ invitation: given }, "", location.pathname + location.search);
  return given || history.state?.invitation || "";
}

/**
 * Ask the collector of the survey at `url` whether an invitation can be used for a wave: unused, used or invalid. It is not
 * spent by that. Nothing where the collector does not say; the report will tell.
 */
export async function askOf(url, invitation, wave) {
  try {
    const answer = await fetch(`${url}/invitations/check`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      credentials: "omit",
      body: JSON.stringify({ invitation, wave }),
    });
    return answer.ok ? (await answer.json()).state : "";
  } catch {
    return "";
  }
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not one of ours; its form is checked later
  }
}
