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

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not one of ours; its form is checked later
  }
}
