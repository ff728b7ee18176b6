/** What the files hold that only some surveys need. Written by scripts/bundle_client.mjs. */
export const PINS = {
  blind: "sha256-N6fK/cpmeu78eCK0SCUd5NZjgxtHhxb2guF1TcgqcY0=",
  oblivious: "sha256-LVokbfN/fOzax9yUho/lMhC9uZDLlHvPwVLJQz6eZP0=",
};
